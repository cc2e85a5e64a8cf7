"""The options of `wavegrid bench halo`, checked."""

from dataclasses import dataclass
from pathlib import Path

from wavegrid.bench import transpose_request
from wavegrid.bench.request import read_list, read_name
from wavegrid.errors import InputError
from wavegrid.input import network
from wavegrid.launch.mpirun import parse_count
from wavegrid.partition.mesh import ORDERS

TRANSPORTS = transpose_request.TRANSPORTS
MEASURED = ("neighbours", "stencil", "overlap")  # by the compiled program, on ranks
CASES = (*MEASURED, "chain", "octopus")
# InfiniBand SDR as in the paper: seconds, and seconds per byte.
NETWORK = {"latency": 5e-6, "overhead": 1e-6, "gap": 2e-6, "gap_per_byte": 1.1e-9}


@dataclass(frozen=True)
class Request:
    """One whole benchmark."""

    cases: list[str]
    ranks: list[int]  # of the measured cases
    chain_ranks: list[int]
    parts: list[int]  # of octopus
    transports: list[str]  # of the measured cases
    chain_transports: list[str]
    orders: list[int]  # of the measured cases
    octopus_orders: list[int]
    network: dict[str, float]  # of octopus: the parameters of LogGP
    width: int
    edge: int
    repeats: int


def read_request(case: str, ranks: str | None, parts: str, transport: str | None, order: str | None,
                 machine: Path | None, width: str, edge: str, repeats: str) -> Request:  # fmt: skip
    """Return the request; raises InputError that names the option, what it held and what is valid."""
    return Request(
        cases=read_list("--case", case, lambda option, word: read_name(option, word, CASES)),
        ranks=read_list("--ranks", ranks or "2,4,8,16", parse_count),
        chain_ranks=read_list("--ranks", ranks or "16,32,64", parse_count),
        parts=read_list("--parts", parts, parse_count),
        transports=_transports(transport) or list(TRANSPORTS),
        chain_transports=_transports(transport) or ["auto"],
        orders=read_list("--order", order or "8,12", _order),
        octopus_orders=read_list("--order", order or "4,8,12", _order),
        network=NETWORK if machine is None else log_gp(machine),
        width=parse_count("--width", width),
        edge=_edge(edge),
        repeats=parse_count("--repeats", repeats),
    )


def log_gp(machine: Path) -> dict[str, float]:
    """Return the LogGP parameters of a file of `bench machine`; those of NETWORK where it has none."""
    found = network.from_file(machine, f"--machine {machine}")
    return {
        "latency": found.latency,
        "overhead": NETWORK["overhead"] if found.overhead is None else found.overhead,
        "gap": NETWORK["gap"] if found.gap is None else found.gap,
        "gap_per_byte": 1 / found.bandwidth,
    }


def _transports(text: str | None) -> list[str]:
    if text is None:
        return []
    return read_list("--transport", text, lambda option, word: read_name(option, word, TRANSPORTS))


def _order(option: str, word: str) -> int:
    return int(read_name(option, word, tuple(map(str, ORDERS))))


def _edge(text: str) -> int:
    edge = parse_count("--edge", text)
    if not 4 <= edge <= 256:
        raise InputError(f"--edge {edge}: {edge} points per edge of the mesh; valid: 4 to 256")
    return edge
