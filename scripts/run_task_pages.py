#!/usr/bin/env python3
"""Run the commands of pages of docs/tasks on the files that they show; with --plots renew the plots in the pages.

    .venv/bin/python scripts/run_task_pages.py [--plots] [PAGE ...]

A page shows files as code blocks with a title, commands as lines that begin with "$ ", and plots as images whose title
is the file that the commands have written.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

PAGES = Path(__file__).parents[1] / "docs/tasks"
_FILE = re.compile(r'^```\w+ title="(\S+)"\n(.*?)^```$', re.S | re.M)
_COMMAND = re.compile(r"^\$ ((?:wavegrid|python) .*)$", re.M)
_EXIT_CODE = re.compile(r"# exit code (\d+)")
_PLOT = re.compile(r'!\[[^]]*\]\((plots/\S+) "(\S+)"\)')
_PROGRAMS = {"wavegrid": [sys.executable, "-m", "wavegrid"], "python": [sys.executable, "-W", "ignore"]}


def run(
    page: str, folder: Path, changes: Mapping[str, str] | None = None, environment: dict[str, str] | None = None
) -> dict[str, str]:
    """Write the files of a page into a folder, run its commands there, and return what each printed, by command.

    `changes`: what is replaced in the files and in the commands; each has to occur. Raises RuntimeError where a command
    does not end with exit code 0, or with that of a comment "# exit code N" behind it.
    """
    text = (PAGES / page).read_text()
    for old, new in (changes or {}).items():
        if old not in text:
            raise RuntimeError(f"docs/tasks/{page} does not contain '{old}'")
        text = text.replace(old, new)
    for name, content in _FILE.findall(text):
        (folder / name).write_text(content)
    printed = {}
    for command in _COMMAND.findall(text):
        name, *arguments = shlex.split(command, comments=True)
        expected = int(code[1]) if (code := _EXIT_CODE.search(command)) else 0
        answer = subprocess.run(
            [*_PROGRAMS[name], *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if answer.returncode != expected:
            raise RuntimeError(f"{page}: {command}\n{answer.stdout}{answer.stderr}")
        printed[command.split("#")[0].strip()] = answer.stdout
    return printed


def plots(page: str) -> dict[str, str]:
    """Return the plots that a page shows: the file in the page's folder and that in the folder of the run."""
    return dict(_PLOT.findall((PAGES / page).read_text()))


def save_small(plot: Path, shown: Path) -> None:
    """Copy a plot with at most 700 points across and 32 colours: some 20 kB."""
    with Image.open(plot) as image:
        small = image.convert("RGB")
        small.thumbnail((700, 700))
        small.quantize(32, dither=Image.Dither.NONE).save(shown, optimize=True)


def main() -> None:
    """Run pages, print what their commands print, and copy the plots."""
    pages = sorted(path.name for path in PAGES.glob("*.md"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plots", action="store_true", help="renew the plots in the pages")
    parser.add_argument("pages", nargs="*", metavar="PAGE", choices=pages, help="such as surface.md; default: all")
    arguments = parser.parse_args()
    for page in arguments.pages or pages:
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            for command, output in run(page, Path(folder), environment=dict(os.environ)).items():
                print(f"$ {command}\n{output}")
            print(f"{page}: {time.perf_counter() - began:.1f} s\n")
            for shown, written in plots(page).items():
                if arguments.plots:
                    save_small(Path(folder) / written, PAGES / shown)


if __name__ == "__main__":
    main()
