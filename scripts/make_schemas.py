#!/usr/bin/env python3
"""Write what follows from the models of the input and of result.json, the warnings, and the options of the commands.

    .venv/bin/python scripts/make_schemas.py [--check]

The JSON schemas in python/wavegrid/data, and the tables of docs/input.md, docs/result.md, docs/checkpoint.md and
docs/command.md between `<!-- keys: NAME -->` and `<!-- end -->`. With --check only compares; exit code 1 where a file
is not up to date.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import option_tables

from wavegrid.checkpoint import meanings as of_checkpoint
from wavegrid.input import schema as of_input
from wavegrid.input_warnings import meanings as of_warnings
from wavegrid.results import schema as of_result

ROOT = Path(__file__).parents[1]
DATA = ROOT / "python/wavegrid/data"
_REGION = re.compile(r"(<!-- keys: (\S+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def filled(page: Path, tables: dict[str, list[str]]) -> str:
    """Return a page with its tables replaced; every table has to be used once."""
    text = page.read_text()
    names = [match[1] for match in _REGION.findall(text)]
    if sorted(names) != sorted(tables):
        differing = sorted(set(names) ^ set(tables)) or names
        sys.exit(f"{page}: each of these has to stand there once as <!-- keys: NAME -->: {', '.join(differing)}")
    return _REGION.sub(lambda match: f"{match[1]}\n{chr(10).join(tables[match[2]])}\n\n{match[3]}", text)


def contents() -> dict[Path, str]:
    """Return the files and what they should hold."""
    return {
        DATA / "input.schema.json": json.dumps(of_input.input_schema(), indent=1) + "\n",
        DATA / "result.schema.json": json.dumps(of_result.result_schema(), indent=1) + "\n",
        ROOT / "docs/input.md": filled(ROOT / "docs/input.md", of_input.tables() | {"warnings": of_warnings.table()}),
        ROOT / "docs/result.md": filled(ROOT / "docs/result.md", of_result.tables()),
        ROOT / "docs/checkpoint.md": filled(ROOT / "docs/checkpoint.md", of_checkpoint.tables()),
        ROOT / "docs/command.md": filled(ROOT / "docs/command.md", option_tables.tables()),
    }


def main() -> int:
    """Write or compare all files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    changed = [path for path, text in contents().items() if not path.exists() or path.read_text() != text]
    if check:
        for path in changed:
            print(f"{path.relative_to(ROOT)}: is not up to date; run .venv/bin/python scripts/make_schemas.py")
        return 1 if changed else 0
    for path in changed:
        path.write_text(contents()[path])
        print(f"written: {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
