"""Tables 1 and 2 of Gao et al. (2016): the communication of the compact FFT.

Per transform of one band, in microseconds of the slowest rank: one band in a message and one band group, as in the
paper; then our own defaults. After that the run: transposes, communication, wall time and efficiency. Last, a term for
the collapse of greedy, fitted to two rows and compared with others.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from cluster import INFINIBAND_DDR, Cluster, simulate

SCHEMES = ("greedy", "cyclic", "balanced")
PAPER = json.loads((Path(__file__).parent / "gao2016.json").read_text())["systems"]
PAPERS = "alltoallv_blocking"  # the transport: MPI_Alltoallv, all messages at once
OURS, IN_TURN = "pairwise", "ring"
MOST_AT_ONCE = 64  # ranks of greedy: with more, so many messages at once take very long to simulate
BLOCK = 8  # bands in a message
GROUP = 8  # ranks of a band group
COLLAPSE = (24, 36)  # ranks of Al108 to which the term of greedy is fitted

Row = dict[str, Any]


def run(name: str, full: bool) -> list[Row]:
    """Print and return the tables of one system; they have no longer version."""
    del full
    rows = [_row(name, ranks, INFINIBAND_DDR) for ranks in PAPER[name]["ranks"]]
    _print_transforms(name, rows)
    _print_runs(name, rows)
    _compare_with_estimate(rows, INFINIBAND_DDR)
    _print_collapse(name, rows)
    return rows


def _row(name: str, ranks: int, cluster: Cluster) -> Row:
    row: Row = {"ranks": ranks}
    for scheme in SCHEMES:
        at_once = scheme != "greedy" or ranks <= MOST_AT_ONCE
        row[scheme] = transform(name, ranks, scheme, 1, cluster, PAPERS if at_once else IN_TURN)
    row["optimized"] = transform(name, ranks, "optimized", 1, cluster, OURS)
    row["block"] = transform(name, ranks, "optimized", BLOCK, cluster, OURS)
    row["block, ring"] = transform(name, ranks, "optimized", BLOCK, cluster, IN_TURN)
    if ranks % GROUP == 0:
        row["groups"] = transform(name, GROUP, "optimized", BLOCK, cluster, OURS)
        row["groups"]["transform_us"] *= GROUP / ranks  # the groups have different bands
    return row


def _print_transforms(name: str, rows: list[Row]) -> None:
    print(f"\n{name}: microseconds of communication per transform, simulated; the paper's; their ratio")
    own = ("optimized", "block", "block, ring", "groups")
    titles = ("optimized", f"{BLOCK} bands", f"{BLOCK}, ring", "groups")
    print(f"{'ranks':>5}  " + "".join(f"{one:^18}" for one in SCHEMES) + "".join(f"{one:>11}" for one in titles))
    near = pairs = 0
    for row in rows:
        text = ""
        for scheme in SCHEMES:
            ours, theirs = row[scheme]["transform_us"], paper(name, row["ranks"], scheme)
            text += f"{f'{ours:.0f}  {theirs:.0f}  {ours / theirs:.2f}' if theirs else f'{ours:.0f}':^18}"
            if theirs and not collapsed(name, row["ranks"], scheme):
                pairs += 1
                near += 0.8 <= ours / theirs <= 1.25
        text += "".join(f"{row[one]['transform_us']:>11.0f}" if one in row else f"{'-':>11}" for one in own)
        print(f"{row['ranks']:>5}  {text}")
    print(f"{near} of {pairs} within 25% of the paper, without the collapse of greedy")


def _print_runs(name: str, rows: list[Row]) -> None:
    """Seconds of the paper's runs: its transforms at our times; its wall time, our communication in place of its."""
    print(f"{name}: the whole run; seconds, simulated and the paper's")
    print(
        f"{'ranks':>5} {'scheme':>9} {'transposes':>10} {'communication':>16} {'wall time':>17} {'efficiency':>14}"
        f"{'ratio of wall times':>21}"
    )
    for scheme in SCHEMES:
        first = 0.0
        for row in rows:
            theirs = _of_paper(name, row["ranks"], scheme)
            if theirs is None:
                continue
            communication, wall = theirs
            ours = 1e-6 * row[scheme]["transform_us"] * PAPER[name]["transforms"]
            total = wall - communication + ours
            first = first or total * row["ranks"]
            begin = PAPER[name]["wall"][scheme][0] * PAPER[name]["ranks"][0]
            pairs = (
                f"{ours:.2f}  {communication:.2f}",
                f"{total:.2f}  {wall:.2f}",
                f"{first / total / row['ranks']:.2f}  {begin / wall / row['ranks']:.2f}",
            )
            transposes = row[scheme]["transposes"] * PAPER[name]["transforms"]
            text = f"{pairs[0]:>16} {pairs[1]:>17} {pairs[2]:>14}{total / wall:>21.2f}"
            print(f"{row['ranks']:>5} {scheme:>9} {transposes:>10} {text}")


def estimate(figures: Row, cluster: Cluster) -> float:
    """Return microseconds from counts alone: the messages and bytes of the busiest rank in each transpose.

    A message costs its calls; its bytes pass the rank's own link, or its share of the adapter, both at the same time;
    and a transpose waits twice for a latency.
    """
    seconds = 0.0
    for second, (messages, size) in enumerate(zip(figures["messages"], figures["bytes"], strict=True)):
        if messages == 0:
            continue
        outside = _outside(figures, bool(second), cluster.cores)
        shared = min(cluster.cores, figures["ranks"])
        seconds += 2 * messages * cluster.call
        seconds += 2 * (outside * cluster.latency + (1 - outside) * cluster.inside_latency)
        seconds += size * max(outside * shared / cluster.bandwidth, 1 / cluster.inside_bandwidth)
    return 1e6 * seconds


def _partners(figures: Row, second: bool) -> list[tuple[int, int]]:
    """Return the pairs of ranks that exchange messages in a transpose."""
    ranks, columns = range(figures["ranks"]), figures["columns"]

    def together(a: int, b: int) -> bool:
        if second:
            return a % columns == b % columns
        return figures["transposes"] == 1 or a // columns == b // columns

    return [(a, b) for a in ranks for b in ranks if a != b and together(a, b)]


def _outside(figures: Row, second: bool, cores: int) -> float:
    """Return the share of the partners in a transpose that are on other nodes."""
    pairs = _partners(figures, second)
    return sum(a // cores != b // cores for a, b in pairs) / len(pairs) if pairs else 0.0


def connections(figures: Row, cores: int) -> int:
    """Return the pairs of ranks whose messages pass the adapter of the busiest node, in both transposes."""
    used = {pair for second in (False, True) if figures["messages"][second] for pair in _partners(figures, second)}
    return max(Counter(a // cores for a, b in used if a // cores != b // cores).values(), default=0)


def _compare_with_estimate(rows: list[Row], cluster: Cluster) -> None:
    found = [row[scheme] for row in rows for scheme in (*SCHEMES, "optimized")]
    ratios = sorted(estimate(figures, cluster) / figures["transform_us"] for figures in found)
    near = sum(0.8 <= ratio <= 1.25 for ratio in ratios)
    print(
        f"estimated from counts of messages and bytes: {near} of {len(ratios)} within 25% of the simulated time, "
        f"{ratios[0]:.2f} to {ratios[-1]:.2f} of it"
    )


def _print_collapse(name: str, rows: list[Row]) -> None:
    """Time in proportion to the connections of an adapter above a number, both fitted to two rows of Al108."""
    each, most = _fit_of_collapse(INFINIBAND_DDR)
    print(f"with {each:.1f} us for each connection of an adapter above {most:.0f}, fitted to Al108 on {COLLAPSE} ranks")
    for row in rows:
        for scheme in SCHEMES:
            theirs = paper(name, row["ranks"], scheme)
            number = connections(row[scheme], INFINIBAND_DDR.cores)
            if theirs is None or number <= most:
                continue
            fitted = " (fitted)" if (name, scheme) == ("al108", "greedy") and row["ranks"] in COLLAPSE else ""
            time = row[scheme]["transform_us"] + each * (number - most)
            print(f"{row['ranks']:>5} {scheme:>9} {number:>4}: {time:.0f}  {theirs:.0f}  {time / theirs:.2f}{fitted}")


def _fit_of_collapse(cluster: Cluster) -> tuple[float, float]:
    """Return microseconds for a connection, and the number of connections up to which they cost nothing."""
    points = []
    for ranks in COLLAPSE:
        figures = transform("al108", ranks, "greedy", 1, cluster, PAPERS)
        theirs = paper("al108", ranks, "greedy")
        assert theirs is not None  # these rows are in the paper
        points.append((connections(figures, cluster.cores), theirs - figures["transform_us"]))
    (few, less), (many, more) = points
    each = (more - less) / (many - few)
    return each, few - less / each


def transform(name: str, ranks: int, scheme: str, bands: int, cluster: Cluster, transport: str) -> Row:
    """Return the simulated figures of a transform of one band."""
    radius = (PAPER[name]["squared_radius"] + 0.5) ** 0.5
    options = ("--grid", PAPER[name]["grid"], "--radius", radius, "--scheme", scheme, "--bands", bands)
    return simulate(cluster, ranks, "transforms", *options, "--transport", transport)


def paper(name: str, ranks: int, scheme: str) -> float | None:
    """Return the paper's microseconds per transform, where it has them."""
    both = _of_paper(name, ranks, scheme)
    return None if both is None else 1e6 * both[0] / PAPER[name]["transforms"]


def collapsed(name: str, ranks: int, scheme: str) -> bool:
    """Return whether the paper's time is several times that of fewer ranks."""
    return scheme == "greedy" and ranks >= {"al108": 24, "al500": 36}[name]


def _of_paper(name: str, ranks: int, scheme: str) -> tuple[float, float] | None:
    """Return the paper's seconds of communication and of the whole run, where it has them."""
    at = PAPER[name]["ranks"].index(ranks)
    seconds = PAPER[name]["seconds"][scheme][at]
    return None if seconds is None else (seconds, PAPER[name]["wall"][scheme][at])
