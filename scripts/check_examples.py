#!/usr/bin/env python3
"""Check that the programs shown in docs/ are the files of examples/, which the tests compile and run.

    scripts/check_examples.py [--fix]

A program is shown by a line that ends in a link to its file and a colon, then the code. Prints what differs, exit code
1; with --fix the code is replaced by the file.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SHOWN = re.compile(r"(\]\((?:\.\./)+(?P<file>examples/[^)]+)\):\n\n```\w+\n)(?P<code>.*?)(?=^```$)", re.S | re.M)


def current(page: str) -> str:
    """Return a page with the present text of each program that it shows."""
    return _SHOWN.sub(lambda shown: shown[1] + (ROOT / shown["file"]).read_text(), page)


def main() -> int:
    """Check, or fix, all pages."""
    differs = 0
    for path in sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/library").glob("*.md")]):
        page = path.read_text()
        if page == current(page):
            continue
        if "--fix" in sys.argv[1:]:
            path.write_text(current(page))
        else:
            differs = 1
            name = path.relative_to(ROOT)
            print(f"{name}: a program differs from its file; scripts/check_examples.py --fix corrects it")
    return differs


if __name__ == "__main__":
    sys.exit(main())
