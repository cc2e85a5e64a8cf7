"""The time of a calculation on nodes: counted work at measured rates, counted messages at those of a network.

The computing is that of `wavegrid check` (time_estimate.py). Communication is latency per message plus bytes over
the share of a rank in its node's adapter; inside one node, over that in its memory. What is counted: transposes of the
FFTs, bands that move between band groups, sums of overlap matrices and of the density. Few ranks solve Ritz problems.
"""

import math
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

from wavegrid.errors import InputError
from wavegrid.launch import job as jobs
from wavegrid.launch import time_estimate
from wavegrid.launch.job import Job
from wavegrid.planning.network import Network

FACTOR = time_estimate.FACTOR  # by which a time may be wrong
WORTH = 0.5  # of the efficiency of the fewest nodes: below, more nodes are not worth asking for
_INSIDE_LATENCY = 0.7e-6  # seconds of a message inside a node
_INSIDE_BANDWIDTH = 4e9  # bytes per second and rank
_BLOCK = 8  # bands whose messages are sent together
_COEFFICIENT = 16  # bytes of a complex number
_RITZ = 25.0  # operations per cube of the bands, real: reduction, eigenvectors, back transformation
_RITZ_RANKS = 8  # that a large Ritz problem is divided over
_RITZ_ROWS = 1000  # from which it is divided


@dataclass(frozen=True)
class Row:
    """A calculation on some nodes. Seconds, bytes; messages of a rank in one SCF step."""

    nodes: int
    ranks: int
    seconds: float
    computing: float
    communication: float
    messages: int
    efficiency: float
    bytes_per_rank: int
    bytes_per_node: int
    kpoint_groups: int
    band_groups: int
    rows: int
    columns: int
    partition: str

    def layout(self) -> str:
        """Return `2 x 4 x (2 x 3)`: k-point groups, band groups, rows x columns."""
        return f"{self.kpoint_groups} x {self.band_groups} x ({self.rows} x {self.columns})"


@dataclass(frozen=True)
class Nodes:
    """The nodes that a calculation may have."""

    cores: int  # ranks of a node
    network: Network
    memory: float | None = None  # bytes of a node, if it is known


def rows(core: ModuleType, job: Job, counts: list[int], nodes: Nodes) -> list[Row]:
    """Return a row for each number of nodes on which the calculation can run; raises InputError if there is none."""
    rates, found, refused = core.machine_rates(), [], ""
    for count in counts:
        try:
            found.append(_row(core, job, count, nodes, rates))
        except InputError as fault:
            refused = str(fault)
    if not found:
        raise InputError(refused)
    first = found[0]
    return [
        Row(**asdict(row) | {"efficiency": first.seconds * first.nodes / (row.seconds * row.nodes)}) for row in found
    ]


def _row(core: ModuleType, job: Job, count: int, nodes: Nodes, rates: dict[str, float]) -> Row:
    ranks = count * nodes.cores
    figures = jobs.figures(core, job, ranks)
    work = time_estimate.work(job, figures, rates)
    ritz = _ritz(job, figures, rates) * work.rounds
    messages, communication = _communication(job, figures, work, count, nodes)
    computing = time_estimate.START + work.seconds + ritz
    layout = {key: figures[key] for key in ("kpoint_groups", "band_groups", "rows", "columns", "partition")}
    return Row(
        nodes=count,
        ranks=ranks,
        seconds=computing + communication,
        computing=computing,
        communication=communication,
        messages=round(messages / work.steps),
        efficiency=1.0,
        bytes_per_rank=figures["bytes_per_rank"],
        bytes_per_node=figures["bytes_per_rank"] * nodes.cores,
        **layout,
    )


def _ritz(job: Job, figures: dict[str, Any], rates: dict[str, float]) -> float:
    """Return the seconds of a Ritz problem in the space of the bands, which does not become faster with all ranks."""
    bands = job.problem["bands"]
    operations = _RITZ * bands**3 * (1 if figures["mode"] == "gamma" else 4)
    of_group = figures["ranks"] // figures["kpoint_groups"]
    return float(operations / rates["gemm"] / (min(of_group, _RITZ_RANKS) if bands >= _RITZ_ROWS else 1))


def _communication(
    job: Job, figures: dict[str, Any], work: time_estimate.Work, count: int, nodes: Nodes
) -> tuple[float, float]:
    """Return messages and seconds of communication of a rank in the whole run."""
    problem, ranks = job.problem, figures["ranks"]
    group = ranks // figures["kpoint_groups"]
    transpose, apart = figures["rows"] * figures["columns"], figures["band_groups"]
    bands, whole = problem["bands"], _COEFFICIENT * figures["plane_waves"] * problem["bands"]
    matrix = bands**2 * (8 if figures["mode"] == "gamma" else 16)
    grid = 8 * math.prod(problem["grid"]) * problem["spins"]
    # Ranks that exchange, times, messages and bytes of a rank each time.
    parts = [
        (transpose, work.transforms, figures["transform"]["messages"] / _BLOCK, figures["transform"]["bytes"]),
        (group, 2 * work.rounds, apart - 1, whole / group * (1 - 1 / apart)),
        (group, 3 * work.rounds, 2 * _levels(group), 2 * matrix * (1 - 1 / group)),
        (ranks, 2 * work.steps, 2 * _levels(ranks), 2 * grid * (1 - 1 / ranks) / transpose),
    ]
    messages = seconds = 0.0
    for exchanging, times, number, size in parts:
        outside = exchanging > nodes.cores and count > 1
        latency = nodes.network.latency if outside else _INSIDE_LATENCY
        bandwidth = min(nodes.network.bandwidth / nodes.cores, _INSIDE_BANDWIDTH) if outside else _INSIDE_BANDWIDTH
        messages += times * number
        seconds += times * (number * latency + size / bandwidth)
    return messages, seconds


def _levels(ranks: int) -> int:
    return math.ceil(math.log2(ranks)) if ranks > 1 else 0


def advice(found: list[Row], nodes: Nodes) -> str:
    """Return a sentence: how many nodes are worth asking for."""
    fits = [row for row in found if nodes.memory is None or row.bytes_per_node <= nodes.memory]
    if not fits:
        least = min(row.bytes_per_node for row in found) / 1e9
        return f"too little memory: a node needs {least:.1f} GB at least; give more nodes, or nodes with more memory"
    least_nodes = fits[0]
    worth = [row for row in fits if row.seconds * row.nodes * WORTH <= least_nodes.seconds * least_nodes.nodes]
    best = min(worth, key=lambda row: row.seconds)
    of = best.efficiency / least_nodes.efficiency
    text = f"ask for {_nodes(best.nodes)}: about {_seconds(best.seconds)}, {100 * of:.0f}% efficient"
    later = [row for row in fits if row.nodes > best.nodes]
    if not later:
        return text
    after = later[0]
    if after.seconds >= best.seconds:
        return f"{text}; {_nodes(after.nodes)} would take longer"
    return f"{text}; {_nodes(after.nodes)} would save {_seconds(best.seconds - after.seconds)}"


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count} nodes"


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value < 100 else f"{value / 60:.0f} min" if value < 6000 else f"{value / 3600:.1f} h"
