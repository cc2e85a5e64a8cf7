"""Boxes of local orbitals on many ranks: values between boxes and the grid, and functions of other ranks by both ways.

Silicon with 512 atoms, four functions in each box, and a chain with 2048 atoms, one function in each.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from cluster import FLAT, SLINGSHOT, simulate
from propagation import SHARES

METHODS = ("two_sided", "lock", "flush", "planned_union")
# Boxes, and the most ranks: for 64 of silicon, where each gets most functions, minutes of a core are not enough.
CASES = {"silicon": (512, 16), "chain": (2048, 256)}
SIZE = 16  # points per edge of a box


def run(full: bool) -> list[dict[str, Any]]:
    """Print and return a row for each system and number of ranks, up to 64 or with `full` to 256."""
    cluster = dataclasses.replace(SLINGSHOT, settings=(*FLAT, SHARES))
    found: list[dict[str, Any]] = []
    for shape, (boxes, most) in CASES.items():
        print(f"\n{shape}, {boxes} boxes of {SIZE} points per edge on {cluster.name}: ms of a deposit, an extraction")
        print(f"{'ranks':>5} " + "".join(f"{method:>19}" for method in METHODS) + f"{'get':>9}{'request':>9}")
        for ranks in (16, 64, 256)[: None if full else 2]:
            if ranks > most:
                break
            options = ("--shape", shape, "--boxes", boxes, "--size", SIZE, "--method", ",".join(METHODS))
            row = {"shape": shape} | simulate(cluster, ranks, "boxes", *options, "--transport", "ring")
            found.append(row)
            times = {one["method"]: one for one in row["rows"]}
            text = [f"{times[m]['deposit_us'] / 1e3:.2f}  {times[m]['extract_us'] / 1e3:.2f}" for m in METHODS]
            shared = "".join(f"{row[f'{name}_us'] / 1e3:>9.2f}" for name in ("get", "request"))
            print(f"{ranks:>5} " + "".join(f"{one:>19}" for one in text) + shared, flush=True)
    return found
