"""Tables 1 and 2 of Gao et al. (2016): the communication of the compact FFT.

Per transform of one band, in microseconds of the slowest rank: one band in a message and one band group, as in the
paper; then `optimized`, and the same with blocks of 8 bands.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cluster import INFINIBAND_DDR, Cluster, SimulationError, simulate

SCHEMES = ("greedy", "cyclic", "balanced")
PAPER = json.loads((Path(__file__).parent / "gao2016.json").read_text())["systems"]
BLOCK = 8


def run(full: bool) -> dict[str, Any]:
    """Print and return both tables; they have no longer version."""
    del full
    return {name: table(name, PAPER[name]["ranks"], INFINIBAND_DDR, "ring") for name in PAPER}


def table(name: str, ranks: list[int], cluster: Cluster, transport: str) -> list[dict[str, Any]]:
    """Print and return the rows of one system."""
    print(
        f"\n{name}: microseconds of communication per transform, simulated on {cluster.name}; the paper's; their ratio"
    )
    print(
        f"{'ranks':>5}  " + "".join(f"{scheme:^30}" for scheme in SCHEMES) + f"{'optimized':^12}{f'{BLOCK} bands':^10}"
    )
    rows = []
    for number in ranks:
        row = {scheme: transform(name, number, scheme, 1, cluster, transport) for scheme in (*SCHEMES, "optimized")}
        row["block"] = transform(name, number, "optimized", BLOCK, cluster, transport)
        rows.append({"ranks": number, **row})
        text = "".join(f"{_compared(row[scheme], paper(name, number, scheme)):^30}" for scheme in SCHEMES)
        print(f"{number:>5}  {text}{_time(row['optimized']):^12}{_time(row['block']):^10}", flush=True)
    _compare_with_estimate(rows, cluster)
    return rows


def estimate(figures: dict[str, Any], cluster: Cluster) -> float:
    """Return microseconds from counts alone: the messages and bytes of the busiest rank in each transpose.

    A message costs its calls; its bytes pass the rank's own link, or its share of the adapter; and a transpose waits
    twice for a latency.
    """
    seconds = 0.0
    for second, (messages, size) in enumerate(zip(figures["messages"], figures["bytes"], strict=True)):
        if messages == 0:
            continue
        outside = _outside(figures, bool(second), cluster.cores)
        shared = min(cluster.cores, figures["ranks"])
        seconds += 2 * messages * cluster.call
        seconds += 2 * (outside * cluster.latency + (1 - outside) * cluster.inside_latency)
        seconds += size * (outside * shared / cluster.bandwidth + (1 - outside) / cluster.inside_bandwidth)
    return 1e6 * seconds


def _outside(figures: dict[str, Any], second: bool, cores: int) -> float:
    """Return the share of the partners in a transpose that are on other nodes."""
    ranks, columns = range(figures["ranks"]), figures["columns"]
    pairs = outside = 0
    for a in ranks:
        for b in ranks:
            group = a % columns == b % columns if second else figures["transposes"] == 1 or a // columns == b // columns
            pairs += a != b and group
            outside += a // cores != b // cores and group
    return outside / pairs if pairs else 0.0


def _compare_with_estimate(rows: list[dict[str, Any]], cluster: Cluster) -> None:
    found = [row[scheme] for row in rows for scheme in (*SCHEMES, "optimized") if row[scheme]]
    ratios = sorted(estimate(figures, cluster) / figures["transform_us"] for figures in found)
    near = sum(0.8 <= ratio <= 1.25 for ratio in ratios)
    print(
        f"estimated from counts of messages and bytes: {near} of {len(ratios)} within 25% of the simulated time, "
        f"{ratios[0]:.2f} to {ratios[-1]:.2f} of it"
    )


def transform(
    name: str, ranks: int, scheme: str, bands: int, cluster: Cluster, transport: str
) -> dict[str, Any] | None:
    """Return the simulated figures; none where the partition does not exist for so many ranks."""
    radius = (PAPER[name]["squared_radius"] + 0.5) ** 0.5
    options = ("--grid", PAPER[name]["grid"], "--radius", radius, "--scheme", scheme, "--bands", bands)
    try:
        return simulate(cluster, ranks, "transforms", *options, "--transport", transport)
    except SimulationError as error:
        print(f"note: {error}".splitlines()[0], file=sys.stderr)
        return None


def paper(name: str, ranks: int, scheme: str) -> float | None:
    """Return the paper's microseconds per transform, where it has them."""
    system = PAPER[name]
    if ranks not in system["ranks"]:
        return None
    seconds = system["seconds"][scheme][system["ranks"].index(ranks)]
    return None if seconds is None else 1e6 * seconds / system["transforms"]


def _time(row: dict[str, Any] | None) -> str:
    return "-" if row is None else f"{row['transform_us']:.0f}"


def _compared(row: dict[str, Any] | None, theirs: float | None) -> str:
    if row is None or theirs is None:
        return _time(row)
    return f"{row['transform_us']:.0f}  {theirs:.0f}  {row['transform_us'] / theirs:.2f}"
