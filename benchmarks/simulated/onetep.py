"""Values between boxes and the grid on many ranks, by messages and one-sided, compared with ONETEP's report.

The report (eCSE03-5, ARCHER2): one-sided deposits scale better on few ranks and are slower in absolute terms than
messages; what gained a factor of 2 to 6 later was to fetch all points that a rank needs once.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from cluster import FLAT, SLINGSHOT, simulate

RANKS = [16, 32, 64, 128, 256, 512]
METHODS = ("two_sided", "lock", "flush", "planned_union")
SIZE = 12


def run(full: bool) -> list[dict[str, Any]]:
    """Print and return a row for each number of ranks: a fibril, whose boxes the ranks share; with `full` all of it.

    The last column has the messages of the rank with most of them, of the first and the last method.
    """
    boxes = 13696 if full else 2048
    cluster = dataclasses.replace(SLINGSHOT, settings=FLAT)
    print(f"\n{boxes} boxes of {SIZE}^3 points of a fibril on {cluster.name}: ms of a deposit, an extraction")
    print(f"{'ranks':>5} " + "".join(f"{method:>19}" for method in METHODS) + f"{'messages':>12}")
    found: list[dict[str, Any]] = []
    for ranks in RANKS:
        options = ("--shape", "fibril", "--boxes", boxes, "--size", SIZE, "--method", ",".join(METHODS))
        row = simulate(cluster, ranks, "boxes", *options, "--transport", "ring")
        found.append(row)
        times = {one["method"]: one for one in row["rows"]}
        messages = f"{times['two_sided']['messages']}, {times['planned_union']['messages']}"
        text = [f"{times[m]['deposit_us'] / 1e3:.2f}  {times[m]['extract_us'] / 1e3:.2f}" for m in METHODS]
        print(f"{ranks:>5} " + "".join(f"{one:>19}" for one in text) + f"{messages:>12}", flush=True)
    return found
