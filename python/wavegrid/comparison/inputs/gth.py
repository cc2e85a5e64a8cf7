"""GTH pseudopotentials in ABINIT's layout of pspcod 10, which pw.x reads, too, where the name ends in .gth."""

from dataclasses import dataclass
from pathlib import Path

from wavegrid.errors import InputError

_LETTERS = "spdf"


@dataclass
class Parameters:
    """The parameters as they are written in a file; angular momentum -> radius and upper triangle of h_ij by rows."""

    radius: str
    local: list[str]
    channels: dict[int, tuple[str, list[list[str]]]]


def from_table(file: Path, element: str, valence: int) -> Parameters:
    """Read an entry of one of our tables; raises InputError where it is not there."""
    found = Parameters("", [], {})
    inside = False
    for line in file.read_text().splitlines():
        words = line.split()
        if words == [element, f"q{valence}"]:
            inside = True
        elif inside and not words:
            break
        elif inside and words[0] == "local":
            found.radius, *found.local = words[1:]
        elif inside and words[0] == "nonlocal":
            found.channels[_LETTERS.index(words[1])] = (words[2], _triangle(words[3:]))
    if not found.radius:
        raise InputError(f"{file}: no entry {element} q{valence}; valid: an entry of the table")
    return found


def from_cp2k(file: Path, element: str, name: str, valence: int) -> Parameters:
    """Read an entry of a database of CP2K: the one of this name, or the only one of the element with this valence."""
    lines = [line.partition("#")[0].split() for line in file.read_text().splitlines()]
    lines = [words for words in lines if words]
    for start, words in enumerate(lines):
        if words[0] == element and len(words) > 1 and (not name or name in words[1:]):
            if sum(int(count) for count in lines[start + 1]) == valence:
                return _cp2k_entry(lines[start + 2 :])
    raise InputError(f"{file}: no entry {name} of {element} with {valence} electrons; valid: one of the file")


def _cp2k_entry(lines: list[list[str]]) -> Parameters:
    radius, count, *values = lines[0]
    found = Parameters(radius, values[: int(count)], {})
    at = 2
    for angular in range(int(lines[1][0])):
        radius, size, *first = lines[at]
        rows = [first] if int(size) else []
        for more in range(1, int(size)):
            rows.append(lines[at + more])
        found.channels[angular] = (radius, rows)
        at += max(1, int(size))
    return found


def _triangle(values: list[str]) -> list[list[str]]:
    """Return the rows of the upper triangle that `values` list."""
    size = next(n for n in range(8) if n * (n + 1) // 2 >= len(values))
    rows, at = [], 0
    for length in range(size, 0, -1):
        rows.append(values[at : at + length])
        at += length
    return rows


def as_pspcod10(title: str, number: int, valence: int, of: Parameters) -> str:
    """Return the text of a potential of an element (its atomic number); the spin-orbit parameters k_ij are 0."""
    last = max(of.channels, default=0)
    lines = [
        title,
        f" {number} {valence} 000000   zatom,zion,pspdat",
        f" 10 1 {last} {last} 2001 0   pspcod,pspxc,lmax,lloc,mmax,r2well",
        f" {of.radius} {' '.join([str(len(of.local)), *of.local])}  rloc nloc c",
        f" {last + 1}   nnonloc",  # ABINIT misreads a file without any channel: an empty s channel then
    ]
    for angular in range(last + 1):
        radius, rows = of.channels.get(angular, (of.radius, []))
        lines.append(f" {radius} {len(rows)} {' '.join(rows[0]) if rows else ''}".rstrip())
        lines += [f"   {' '.join(row)}" for row in rows[1:]]
        if angular:
            lines += [f"   {' '.join(['0.0'] * len(row))}" for row in rows]
    return "\n".join(lines) + "\n"
