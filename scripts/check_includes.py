#!/usr/bin/env python3
"""Check the direction of includes in src/: a room may include only itself and rooms above it.

    scripts/check_includes.py [ROOT]

Prints file:line for each offence; exit code 1 where there is one.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# From the ground up, as the design orders them.
ROOMS = (
    "base",
    "mpi",
    "layout",
    "costmodel",
    "exchange",
    "linalg",
    "eigen",
    "basis",
    "fft",
    "atoms",
    "wavefunctions",
    "checkpoint",
    "terms",
    "scf",
    "realspace",
)
PURE = ("base", "layout")  # these know no MPI at all
SUFFIXES = (".hpp", ".h", ".cpp")

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def allowed(room: str) -> list[str]:
    """Return the rooms that `room` may include, itself last."""
    rooms = list(ROOMS[: ROOMS.index(room) + 1])
    return [name for name in rooms if not (room in PURE and name == "mpi")]


def offence(room: str, bracket: str, target: str) -> str | None:
    """Return what is wrong with an include in `room`, None where nothing is."""
    if target == "mpi.h":
        return "no MPI in this room" if room in PURE else None
    first, slash, _ = target.removeprefix("wavegrid/").partition("/")
    if first in ROOMS and slash:
        return None if first in allowed(room) else f"allowed: {', '.join(allowed(room))}"
    return "write room/file.hpp" if bracket == '"' else None


def check(root: Path) -> Iterator[str]:
    """Yield a line for each offence below root/src."""
    source = root / "src"
    for path in sorted(path for path in source.rglob("*") if path.suffix in SUFFIXES):
        room = path.relative_to(source).parts[0]
        where = path.relative_to(root)
        if room not in ROOMS:
            yield f"{where}:1: {room} is no room; rooms: {', '.join(ROOMS)}"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = _INCLUDE.match(line)
            wrong = offence(room, *include.groups()) if include else None
            if wrong:
                yield f"{where}:{number}: {room} includes {include[2]}; {wrong}"


def main() -> int:
    """Check the tree of this script, or the one given."""
    offences = list(check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
    print("\n".join(offences) or "includes: all rooms include only what stands above them")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
