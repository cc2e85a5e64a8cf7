"""Halo exchanges of a propagation in time on many ranks: the chain of four Li-H of benchmarks/propagation/halo.py.

A cylinder with a radius of 6.5 bohr and points of 0.4 bohr, order 12, four complex bands in a message, 30 ns of
computing for a point and a band, 50 applications of H in a step. The network of the paper on Octopus, as octopus.py has
it.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from cluster import FLAT, INFINIBAND_SDR, simulate

RANKS = [4, 16, 64, 128, 256]
RADIUS, LENGTH, SPACING = 6.5, 35.7, 0.4  # bohr
BANDS, POINT, APPLICATIONS = 4, 30e-9, 50
# Shares of the links found anew after each event, not only of what has changed: equal times, half the computing.
SHARES = "network/optim:Full"


def run(full: bool) -> list[dict[str, Any]]:
    """Print and return a row for each number of ranks; with `full` also 512."""
    cluster = dataclasses.replace(INFINIBAND_SDR, settings=(*FLAT, SHARES))
    points = math.pi * RADIUS**2 * LENGTH / SPACING**3
    print(f"\nchain of Li-H in time, {points:.2g} points, simulated on {cluster.name}: microseconds for an application")
    print("ranks  neighbours  ghosts  exchange  LogGP  computing  off  overlap  share off, on  ms for a step, off, on")
    found = []
    for ranks in [*RANKS, *([512] if full else [])]:
        network = ("--latency", cluster.latency, "--overhead", cluster.call)
        network = (*network, "--gap-per-byte", 1 / cluster.inside_bandwidth)
        shape = ("--points", points, "--slenderness", LENGTH / RADIUS, "--order", 12)
        work = ("--width", 2 * BANDS, "--point-seconds", POINT / 2)  # of real numbers
        row = simulate(cluster, ranks, "halo", *shape, *work, "--transports", "pairwise", *network)
        found.append(row)
        one, computing = row["rows"][0], row["computing_us"]
        off, overlap = one["off_us"], one["overlap_us"]
        shares = ", ".join(f"{100 * (1 - computing / time):.0f}%" for time in (off, overlap))
        steps = ", ".join(f"{1e-3 * APPLICATIONS * time:.1f}" for time in (off, overlap))
        print(
            f"{ranks:>5} {row['neighbours']:>6.1f} ({row['most_neighbours']:>2}) {row['ghosts']:>7.0f} "
            f"{one['exchange_us']:>9.0f} {row['model_us']:>6.0f} {computing:>10.0f} {off:>5.0f} {overlap:>7.0f}  "
            f"{shares:>12}  {steps}",
            flush=True,
        )
    return found
