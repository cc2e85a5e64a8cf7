#!/usr/bin/env python3
"""Find words of scripts/vocabulary.txt in all text of the repository: prose, comments, messages and identifiers.

    scripts/check_words.py [FILE ...]

Prints file:line with what to write instead; exit code 1 where a word is found.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Data of others, the list itself, and the changelog, which names old keys.
EXCLUDED = (
    "LICENSE",
    "CHANGELOG.md",
    "scripts/check_words.py",
    "scripts/vocabulary.txt",
    "python/wavegrid/data/",
    "tests/reference/",
)
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def vocabulary() -> dict[str, str]:
    """Return what to write instead of each word."""
    lines = (ROOT / "scripts/vocabulary.txt").read_text().splitlines()
    pairs = (line.split(" -> ") for line in lines if line and not line.startswith("#"))
    return dict(pairs)


def files(names: list[str]) -> list[Path]:
    """Return the files that are given, else all of the repository that are not excluded."""
    if names:
        return [Path(name) for name in names]
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [ROOT / name for name in listed if name and not name.startswith(EXCLUDED)]


def found(path: Path, instead: dict[str, str]) -> Iterator[str]:
    """Yield a line for each word of the vocabulary in a file."""
    try:
        text = path.read_text()
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return  # a plot, or deleted and not yet committed
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    for number, line in enumerate(text.splitlines(), 1):
        for piece in dict.fromkeys(_PIECE.findall(line)):
            word = piece if piece in instead else piece.lower()
            if word in instead:
                yield f"{shown}:{number}: '{piece}'; write: {instead[word]}"


def main() -> int:
    """Check the files."""
    instead = vocabulary()
    lines = [line for path in files(sys.argv[1:]) for line in found(path, instead)]
    print("\n".join(lines) or "words: none of scripts/vocabulary.txt")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
