#!/usr/bin/env python3
"""Write wavegrid's GTH tables from the GTH_POTENTIALS file that CP2K distributes.

    scripts/make_gth_tables.py [--source /usr/share/cp2k/GTH_POTENTIALS] [--target
python/wavegrid/data/pseudopotentials]

Keeps every digit as text, so that the tables can be compared with the source line by line. The format is documented in
src/pseudo/gth_table.hpp and repeated at the head of each table.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

SHELLS = "spdf"

HEADER = """\
# Goedecker-Teter-Hutter pseudopotentials for the {title} functional.
#
# Sources of the parameters:
#   S. Goedecker, M. Teter, J. Hutter, Phys. Rev. B 54, 1703 (1996), doi:10.1103/PhysRevB.54.1703
#   C. Hartwigsen, S. Goedecker, J. Hutter, Phys. Rev. B 58, 3641 (1998), doi:10.1103/PhysRevB.58.3641
#   M. Krack, Theor. Chem. Acc. 114, 145 (2005), doi:10.1007/s00214-005-0655-y
# taken with all their digits from {prefix}-q* in GTH_POTENTIALS of CP2K (cp2k-data {version}), which also holds a few
# sets that its maintainer added after the papers{later}.
# Licence: the parameters are published numbers, facts of the papers above; please cite those.
# The spin-orbit parameters k_ij of the 1998 paper are not part of the source and not of this table.
#
# Format (Hartree atomic units; '#' starts a comment; made by scripts/make_gth_tables.py, read by src/pseudo/gth_table):
#   functional NAME                  what the table was made for
#   ELEMENT qVALENCE                 starts an entry
#     electrons  s p d f             valence electrons of the neutral atom per angular momentum
#     local      r_loc C_1 .. C_4    Gaussian radius and polynomial of V_loc
#     nonlocal   l r_l h_ij          radius and upper triangle, row by row: h11 | h11 h12 h22 | h11 h12 h13 h22 h23 h33
functional {functional}
"""


@dataclass
class Table:
    """One functional: how CP2K names its entries, and how we do."""

    prefix: str
    functional: str
    title: str
    later: str


TABLES = [
    Table("GTH-PADE", "lda", "LDA (Teter-Pade)", ""),
    Table("GTH-PBE", "pbe", "PBE", " (for PBE the lanthanides, 2012)"),
]


@dataclass
class Entry:
    """One pseudopotential, its numbers as text."""

    element: str
    valence: int
    electrons: list[str]
    local: list[str]
    nonlocal_: list[tuple[int, list[str]]]  # (l, [r_l, h...])

    def text(self) -> str:
        lines = [f"{self.element} q{self.valence}"]
        lines.append("  electrons  " + " ".join(self.electrons))
        lines.append("  local      " + " ".join(self.local))
        lines += [f"  nonlocal {SHELLS[l]} " + " ".join(numbers) for l, numbers in self.nonlocal_]
        return "\n".join(lines) + "\n"


def take(words: list[str], count: int) -> list[str]:
    """Remove and return the first `count` words."""
    if len(words) < count:
        raise ValueError(f"{count} numbers needed, {len(words)} left")
    head = words[:count]
    del words[:count]
    for word in head:
        float(word)
    return head


def parse_entry(element: str, valence: int, lines: list[str]) -> Entry:
    """The numbers below a name line; raises ValueError where they do not add up."""
    electrons = lines[0].split()
    if sum(map(int, electrons)) != valence:
        raise ValueError(f"electrons {electrons} do not sum to {valence}")
    words = " ".join(lines[1:]).split()
    radius = take(words, 1)
    local = radius + take(words, int(words.pop(0)))
    channels = []
    for l in range(int(words.pop(0))):
        radius = take(words, 1)
        n = int(words.pop(0))
        if n > 0:
            channels.append((l, radius + take(words, n * (n + 1) // 2)))
    if words:
        raise ValueError(f"left over: {words}")
    return Entry(element, valence, electrons, local, channels)


def read_entries(source: str, prefix: str) -> list[Entry]:
    """All entries PREFIX-qN, in the order of the source."""
    name_line = re.compile(rf"^([A-Z][a-z]?) {re.escape(prefix)}-q(\d+)\b")
    blocks: list[tuple[str, int, list[str]]] = []
    current: list[str] | None = None
    for line in source.splitlines():
        if line.startswith("#"):
            current = None
        elif re.match(r"^[A-Z]", line):
            match = name_line.match(line)
            current = [] if match else None
            if match:
                blocks.append((match[1], int(match[2]), current))
        elif current is not None:
            current.append(line)
    entries = []
    for element, valence, lines in blocks:
        try:
            entries.append(parse_entry(element, valence, lines))
        except ValueError as error:
            sys.exit(f"{element} {prefix}-q{valence}: {error}")
    return entries


def in_table_order(entries: list[Entry]) -> list[Entry]:
    """Elements in the order of the source (by atomic number), each with rising valence."""
    position = {}
    for entry in entries:
        position.setdefault(entry.element, len(position))
    return sorted(entries, key=lambda e: (position[e.element], e.valence))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=Path("/usr/share/cp2k/GTH_POTENTIALS"))
    parser.add_argument("--source-version", default="2023.1", help="version of cp2k-data, for the header")
    here = Path(__file__).resolve().parent.parent
    parser.add_argument("--target", type=Path, default=here / "python/wavegrid/data/pseudopotentials")
    options = parser.parse_args()
    source = options.source.read_text()
    options.target.mkdir(parents=True, exist_ok=True)
    for table in TABLES:
        entries = in_table_order(read_entries(source, table.prefix))
        header = HEADER.format(**vars(table), version=options.source_version)
        target = options.target / f"gth-{table.functional}.gth"
        target.write_text(header + "".join("\n" + entry.text() for entry in entries) + "\nend\n")
        elements = len({entry.element for entry in entries})
        print(f"{target}: {len(entries)} entries of {elements} elements")


if __name__ == "__main__":
    main()
