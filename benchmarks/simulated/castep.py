"""Wave functions to a file and back, compared with Tables 1 and 2 of the report on CASTEP.

The al2x2 slab: 5 k-points, 40000 plane waves, 288 bands, distributed over plane waves only; 24 ranks per node. All
numbers are seconds in addition to what the disk alone takes, 6.4 s for a write and 7.0 s for a read there.
"""

from __future__ import annotations

import dataclasses
import tempfile
from typing import Any

from cluster import FLAT, GEMINI, simulate

RANKS = [24, 48, 96, 192, 384]
KPOINTS = 5
BANDS = 288
SIMULATED = (16, 48)  # bands, from which the time of all is extrapolated
DISK = {"write": 6.4, "read": 7.0}  # seconds of the disk in the paper, for all bands
BYTES = KPOINTS * 40000 * BANDS * 16

# Seconds in the paper, with the disk.
PAPER = {
    "write": {
        "point_to_point": [7.09, 7.23, 9.85, 19.49, 70.48],
        "collective": [7.63, 7.72, 7.88, 8.13, 8.42],
    },
    "read": {
        "point_to_point": [16.78, 22.03, 32.90, 57.61, 113.47],
        "mapping_inside": [14.74, 15.97, 18.57, 23.94, 34.80],
        "collective": [9.15, 9.20, 9.23, 9.36, 9.60],
    },
}
METHODS = ("point_to_point", "mapping_inside", "collective", "aggregated")


def run(full: bool) -> dict[str, Any]:
    """Print and return both tables. 16 and 48 bands of one k-point are simulated, with `full` all of them."""
    found: dict[str, Any] = {}
    times = [{method: excess(ranks, method, full) for method in METHODS} for ranks in RANKS]
    for direction in ("write", "read"):
        columns = [*PAPER[direction], "aggregated"]
        print(f"\nCASTEP, {direction}: seconds in addition to the disk, simulated on {GEMINI.name}; the report's")
        print(f"{'ranks':>5} " + "".join(f"{method:>22}" for method in columns))
        found[direction] = []
        for i, ranks in enumerate(RANKS):
            row = {method: times[i][method][direction] for method in columns}
            found[direction].append({"ranks": ranks, **row})
            text = [_compared(row, direction, method, i) for method in columns]
            print(f"{ranks:>5} " + "".join(f"{one:>22}" for one in text), flush=True)
    return found


def excess(ranks: int, method: str, full: bool) -> dict[str, float]:
    """Return the seconds of both directions for all bands and k-points, without those of the disk."""
    if full:
        one = _excess_of(ranks, method, BANDS)
        return {way: KPOINTS * one[way] for way in DISK}
    few, more = (_excess_of(ranks, method, bands) for bands in SIMULATED)
    left = (BANDS - SIMULATED[1]) / (SIMULATED[1] - SIMULATED[0])
    return {way: KPOINTS * (more[way] + left * (more[way] - few[way])) for way in DISK}


def _excess_of(ranks: int, method: str, bands: int) -> dict[str, float]:
    """Return the simulated seconds for some bands of one k-point, without those of the disk."""
    bandwidth = 2 * BYTES / sum(DISK.values())
    with tempfile.TemporaryDirectory() as folder:
        options = ("--method", method, "--bands", bands, "--directory", folder)
        cluster = dataclasses.replace(GEMINI, disk=bandwidth, probe=1e-4, settings=FLAT)
        found = simulate(cluster, ranks, "files", *options)
    return {way: found[way]["seconds"] - found[way]["bytes"] / bandwidth for way in DISK}


def _paper(direction: str, method: str, row: int) -> float:
    return PAPER[direction][method][row] - DISK[direction]


def _compared(row: dict[str, float], direction: str, method: str, i: int) -> str:
    theirs = f"  {_paper(direction, method, i):.2f}" if method in PAPER[direction] else ""
    return f"{row[method]:.2f}{theirs}"
