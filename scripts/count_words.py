#!/usr/bin/env python3
"""Count the words of the documentation that users read, page by page: at most 30 000, so that each page stays findable.

    scripts/count_words.py [--total]

All pages count, except docs/lab, docs/decisions, the two for those who change the library, and what is generated:
docs/features.md, tables between `<!-- keys: NAME -->` and `<!-- end -->`, and the drawing of the modules. A word has a
letter or a digit; programs and inputs on a page count. Exit code 1 where there are too many.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST = 30_000
MOST_OF = {"README.md": 900, "docs/performance.md": 2000, "docs/realspace.md": 1200}
NOT_COUNTED = ("docs/lab/", "docs/decisions/", "docs/features.md", "docs/energy-terms.md", "docs/input-keys.md")
_GENERATED = re.compile(r"<!-- keys: .*?<!-- end -->|^```mermaid\n.*?^```$", re.S | re.M)
_WORD = re.compile(r"\S*\w\S*")


def words(path: Path) -> int:
    """Return the number of words of a page without what is generated."""
    return len(_WORD.findall(_GENERATED.sub("", path.read_text())))


def main() -> int:
    """Print the numbers."""
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
    numbers = {name: words(ROOT / name) for name in (str(path.relative_to(ROOT)) for path in pages)}
    counted = {name: number for name, number in numbers.items() if not name.startswith(NOT_COUNTED)}
    if sys.argv[1:] != ["--total"]:
        print(*(f"{number:6d} {name}" for name, number in counted.items()), sep="\n")
    total = sum(counted.values())
    print(f"{total:6d} words for users, at most {MOST}")
    long = [f"{name}: {counted[name]} words, at most {most}" for name, most in MOST_OF.items() if counted[name] > most]
    print(*long, sep="\n", end="\n" * bool(long))
    return int(total > MOST or bool(long))


if __name__ == "__main__":
    sys.exit(main())
