"""Halo exchanges of a mesh on many ranks, compared with what the paper on Octopus says of them.

Hoefler, Lorenzen and Lumsdaine (EuroPVM/MPI 2008): the number of neighbours grows with the ranks but stays far below
them; overlap halves the time of the exchange at 16 and 32 ranks and gains less at 64, where little is left to compute;
collectives of the neighbours alone gain little there. SimGrid has no such collectives: messages pairwise instead.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from cluster import FLAT, INFINIBAND_SDR, simulate

RANKS = [16, 32, 64, 128, 256, 512]
DENSE, SPARSE = "alltoallv_blocking", "pairwise"
MOST_DENSE = 128  # ranks; an Alltoallv of more takes too long to simulate


def run(full: bool) -> list[dict[str, Any]]:
    """Print and return a row for each number of ranks; with `full` a mesh of 1.2 million points as in the paper."""
    points = 1.2e6 if full else 1.5e5
    cluster = dataclasses.replace(INFINIBAND_SDR, settings=FLAT)
    print(f"\nhalo of a cylinder of {points:.2g} points, order 6, one state, simulated on {cluster.name}: microseconds")
    print(
        f"{'ranks':>5} {'neighbours':>12} {'ghosts':>7} {'alltoallv':>10} {'pairwise':>9} {'LogGP':>7} "
        f"{'computing':>10} {'off':>7} {'overlap':>8} {'hidden':>7}"
    )
    found = []
    per_byte = 1 / cluster.inside_bandwidth
    for ranks in RANKS:
        transports = ",".join([DENSE, SPARSE] if ranks <= MOST_DENSE else [SPARSE])
        network = ("--latency", cluster.latency, "--overhead", cluster.call, "--gap-per-byte", per_byte)
        options = ("--points", points, "--transports", transports, *network)
        row = simulate(cluster, ranks, "halo", *options)
        found.append(row)
        times = {one["transport"]: one for one in row["rows"]}
        pair = times[SPARSE]
        dense = f"{times[DENSE]['exchange_us']:.0f}" if DENSE in times else "-"
        hidden = (pair["off_us"] - pair["overlap_us"]) / pair["exchange_us"]
        print(
            f"{ranks:>5} {row['neighbours']:>6.1f} ({row['most_neighbours']:>2}) {row['ghosts']:>8.0f} {dense:>10} "
            f"{pair['exchange_us']:>9.0f} {row['model_us']:>7.0f} {row['computing_us']:>10.0f} {pair['off_us']:>7.0f} "
            f"{pair['overlap_us']:>8.0f} {100 * hidden:>6.0f}%",
            flush=True,
        )
    return found
