"""The time of a calculation on nodes: counted work at measured rates, counted messages at those of a network.

The computing is that of `wavegrid check` (time_estimate.py). Communication is the processor's time for each message,
two latencies for each exchange, and bytes over the share of a rank in its node's adapter, or inside a node over its own
bandwidth. What is counted: transposes of the FFTs, bands that move between band groups, sums of overlap matrices and of
the density. Few ranks solve Ritz problems.
"""

import math
import statistics
from collections import Counter
from dataclasses import asdict, dataclass
from types import ModuleType

from wavegrid.discretisation import choose
from wavegrid.discretisation.local_orbitals import OPTIMISER_STEPS
from wavegrid.discretisation.work import Work
from wavegrid.errors import InputError
from wavegrid.input.network import Network
from wavegrid.job import time_estimate
from wavegrid.job.figures import compute_figures
from wavegrid.job.job import Job
from wavegrid.model.figures import Figures

FACTOR = time_estimate.FACTOR  # by which a time may be wrong
WORTH = 0.5  # of the efficiency of the fewest nodes: below, more nodes are not worth asking for
GAIN = 0.1  # of the time, at least, that more nodes have to save
_SAMPLES = 25  # of the rates of this machine
_BLOCK = 8  # bands whose messages are sent together
_COEFFICIENT = 16  # bytes of a complex number
_MIXED = 0.55  # of these where most steps are in single precision
_OVERHEAD = 0.25  # of a latency: what the processor does for a message, if it is not known
_SUMS = 4  # of a matrix of all bands, per application of H to all
_VISITS = 3  # of the functions of other ranks in a step of their optimisation in spheres: trials and gradients
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
    rates, found, refused = nodes.network.rates(_rates(core)), [], ""
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


@dataclass(frozen=True)
class Limit:
    """How many ranks find work: k-points and spins, bands, and planes of the grid are divided over them."""

    kpoints: int
    spins: int
    bands: int
    planes: int
    atoms: int = 0  # of local orbitals, which are divided instead of bands and planes

    @property
    def ranks(self) -> int:
        """Return how many at most."""
        return self.kpoints * self.spins * (self.atoms or self.bands * self.planes)

    def refusal(self, ranks: int) -> str:
        """Return why there is no row for so many ranks."""
        spins = f" x {self.spins} spins" if self.spins > 1 else ""
        of_group = f"{self.atoms} atoms" if self.atoms else f"{self.bands} bands x {self.planes} planes"
        parts = f"{self.kpoints} k-point{'s'[: self.kpoints - 1]}{spins} x {of_group}"
        return f"{ranks} ranks are more than {parts} = {self.ranks}: some would have nothing to do"


def limit(core: ModuleType, job: Job) -> Limit:
    """Return the limit of a calculation."""
    problem, figures = job.problem, compute_figures(core, job, 1)
    atoms = figures["atoms"] if problem["local_orbitals"] else 0
    return Limit(figures["kpoints"], problem["spins"], problem["bands"], problem["grid"][0], atoms)


def split_counts(most: Limit, counts: list[int], cores: int) -> tuple[list[int], list[int]]:
    """Return the numbers of nodes within the limit, and those beyond it; raises InputError if none is within."""
    within = [count for count in counts if count * cores <= most.ranks]
    if not within:
        raise InputError(f"--nodes {counts[0]}: {most.refusal(counts[0] * cores)}")
    return within, counts[len(within) :]


def _rates(core: ModuleType) -> dict[str, float]:
    """Return what a core of this machine does over a quarter of a second: single samples vary by a factor of 2."""
    samples = [core.machine_rates() for _ in range(_SAMPLES)]
    return {name: statistics.median(sample[name] for sample in samples) for name in samples[0]}


def _row(core: ModuleType, job: Job, count: int, nodes: Nodes, rates: dict[str, float]) -> Row:
    ranks = count * nodes.cores
    figures = compute_figures(core, job, ranks)
    measured = time_estimate.with_transform(core, job, figures, rates)
    work = choose.from_problem(job.problem).work(job.problem, figures, measured)
    ritz = _ritz(job, figures, rates) * work.rounds
    messages, communication = _communication(job, figures, work, nodes)
    computing = time_estimate.start(ranks, ranks) + work.seconds + ritz
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
        kpoint_groups=figures["kpoint_groups"],
        band_groups=figures["band_groups"],
        rows=figures["rows"],
        columns=figures["columns"],
        partition=figures["partition"],
    )


def _ritz(job: Job, figures: Figures, rates: dict[str, float]) -> float:
    """Return the seconds of a Ritz problem in the space of the bands, which does not become faster with all ranks."""
    bands = job.problem["bands"]
    operations = _RITZ * bands**3 * (1 if figures["mode"] == "gamma" else 4)
    of_group = figures["ranks"] // figures["kpoint_groups"]
    return float(operations / rates["gemm"] / (min(of_group, _RITZ_RANKS) if bands >= _RITZ_ROWS else 1))


@dataclass(frozen=True)
class _Exchange:
    """Messages of a rank to its partners, `times` in a run."""

    partners: range  # ranks that exchange, this rank's first
    times: float
    messages: float
    bytes: float

    def seconds(self, nodes: Nodes) -> float:
        """Return the seconds of all: of the processor for each message, two latencies, and of the bytes."""
        network, outside = nodes.network, self._outside(nodes.cores)
        size = self.bytes / self.messages if self.messages else 0.0
        (far, adapter), (near, own) = network.outside(size), network.inside(size)
        latency = outside * far + (1 - outside) * near
        overhead = network.overhead or _OVERHEAD * latency
        sharing = min(nodes.cores, len(self.partners) * self.partners.step)
        per_byte = outside * sharing / adapter + (1 - outside) / own
        return self.times * (2 * self.messages * overhead + min(2.0, self.messages) * latency + self.bytes * per_byte)

    def _outside(self, cores: int) -> float:
        """Return the share of pairs of partners on different nodes."""
        counts = Counter(rank // cores for rank in self.partners)
        all_pairs = len(self.partners) * (len(self.partners) - 1)
        return 1 - sum(n * (n - 1) for n in counts.values()) / all_pairs if all_pairs else 0.0


@dataclass(frozen=True)
class _Sum:
    """Sums of all ranks, `times` in a run: up a binary tree and down again, all numbers on every level."""

    ranks: int
    times: float
    bytes: float

    @property
    def messages(self) -> float:
        return 2 * _levels(self.ranks)

    def seconds(self, nodes: Nodes) -> float:
        """Return the seconds of all; on the upper levels one rank of a node has its adapter alone."""
        inside = _levels(min(self.ranks, nodes.cores))
        outside = _levels(self.ranks) - inside
        (far, adapter), (near, own) = nodes.network.outside(self.bytes), nodes.network.inside(self.bytes)
        both = ((inside, near, own), (outside, far, min(adapter, own)))
        return sum(2 * self.times * levels * (latency + self.bytes / speed) for levels, latency, speed in both)


def _communication(job: Job, figures: Figures, work: Work, nodes: Nodes) -> tuple[float, float]:
    """Return messages and seconds of communication of a rank in the whole run."""
    exchanges = _exchanges(job, figures, work)
    return sum(one.times * one.messages for one in exchanges), sum(one.seconds(nodes) for one in exchanges)


def _exchanges(job: Job, figures: Figures, work: Work) -> list[_Exchange | _Sum]:
    problem, ranks = job.problem, figures["ranks"]
    rows, columns, apart = figures["rows"], figures["columns"], figures["band_groups"]
    group, in_band_group = ranks // figures["kpoint_groups"], rows * columns
    bands = problem["bands"]
    real = figures["mode"] == "gamma"
    number = _COEFFICIENT * (1 if problem["precision"] == "double" else _MIXED)
    share = number / _COEFFICIENT
    whole = number * figures["plane_waves"] * bands
    matrix = bands**2 * number / (2 if real else 1)
    grid = 8 * math.prod(problem["grid"]) * problem["spins"]
    density = _Sum(ranks // in_band_group, 2 * work.steps, grid / in_band_group)
    if problem["local_orbitals"]:
        return [*_of_local_orbitals(job, figures, work), density]
    transform = figures["transform"]
    first = (transform["first_messages"], transform["first_bytes"])
    second = (transform["messages"] - first[0], transform["bytes"] - first[1])
    row = range(columns if figures["partition"] != "greedy" else in_band_group)
    column = range(0, in_band_group, columns)
    return [
        _Exchange(row, work.transforms / _BLOCK, first[0], _BLOCK * share * first[1]),
        _Exchange(column, work.transforms / _BLOCK, second[0], _BLOCK * share * second[1]),
        _Exchange(range(0, group, in_band_group), 2 * work.rounds, apart - 1, whole / group * (1 - 1 / apart)),
        _Sum(group, _SUMS * work.rounds, matrix),
        density,
    ]


def _of_local_orbitals(job: Job, figures: Figures, work: Work) -> list[_Exchange | _Sum]:
    """Functions of other ranks' atoms after each change of them, and sums of matrices, in the group of a k-point.

    Functions that are sums of plane waves are given to the ranks of their atoms after each change, too.
    """
    used, options = figures["local_orbitals"], job.problem["local_orbitals"]
    assert used is not None
    assert options is not None
    group = range(figures["ranks"] // figures["kpoint_groups"])
    sets = math.ceil(figures["kpoints"] * job.problem["spins"] / figures["kpoint_groups"])
    real = figures["mode"] == "gamma"
    number = _COEFFICIENT / (2 if real else 1)
    changes = sets * work.steps * OPTIMISER_STEPS if options["optimise"] else 0
    spheres = options["box_radius"] is not None
    visits = _VISITS * changes if spheres else max(changes, sets)
    exchanges: list[_Exchange | _Sum] = [
        _Exchange(group, visits, used["remote_atoms"], number * used["remote_values"]),
        _Sum(len(group), (3 if spheres else 2) * changes + sets * work.steps, number * used["functions"] ** 2),
    ]
    if options["optimise"] and not spheres:
        all_waves = _COEFFICIENT * figures["plane_waves"] * used["functions"]
        exchanges.append(_Exchange(group, 2 * changes, len(group) - 1, all_waves / len(group)))
    return exchanges


def _levels(ranks: int) -> int:
    return math.ceil(math.log2(ranks)) if ranks > 1 else 0


def advice(found: list[Row], nodes: Nodes) -> str:
    """Return a sentence: how many nodes are worth asking for."""
    fits = [row for row in found if nodes.memory is None or row.bytes_per_node <= nodes.memory]
    if not fits:
        least = min(row.bytes_per_node for row in found) / 1e9
        return f"too little memory: a node needs {least:.1f} GB at least; give more nodes, or nodes with more memory"
    least_nodes = fits[0]
    best = least_nodes
    for row in fits[1:]:
        worth = row.seconds * row.nodes * WORTH <= least_nodes.seconds * least_nodes.nodes
        if worth and row.seconds <= (1 - GAIN) * best.seconds:
            best = row
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
