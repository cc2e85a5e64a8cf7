"""The options of `wavegrid bench halo`, checked."""

from dataclasses import dataclass

from wavegrid.bench import transpose_request
from wavegrid.bench.request import read_list, read_name
from wavegrid.errors import InputError
from wavegrid.launch.mpirun import parse_count
from wavegrid.mesh_partition import ORDERS

TRANSPORTS = transpose_request.TRANSPORTS
MEASURED = ("neighbours", "stencil", "overlap")  # by the compiled program, on ranks
CASES = (*MEASURED, "octopus")


@dataclass(frozen=True)
class Request:
    """One whole benchmark."""

    cases: list[str]
    ranks: list[int]
    parts: list[int]  # of octopus
    transports: list[str]
    orders: list[int]
    width: int
    edge: int
    repeats: int


def read_request(case: str, ranks: str, parts: str, transport: str, order: str, width: str, edge: str,
                 repeats: str) -> Request:  # fmt: skip
    """Return the request; raises InputError that names the option, what it held and what is valid."""
    return Request(
        cases=read_list("--case", case, lambda option, word: read_name(option, word, CASES)),
        ranks=read_list("--ranks", ranks, parse_count),
        parts=read_list("--parts", parts, parse_count),
        transports=read_list("--transport", transport, lambda option, word: read_name(option, word, TRANSPORTS)),
        orders=read_list("--order", order, _order),
        width=parse_count("--width", width),
        edge=_edge(edge),
        repeats=parse_count("--repeats", repeats),
    )


def _order(option: str, word: str) -> int:
    return int(read_name(option, word, tuple(map(str, ORDERS))))


def _edge(text: str) -> int:
    edge = parse_count("--edge", text)
    if not 4 <= edge <= 256:
        raise InputError(f"--edge {edge}: {edge} points per edge of the mesh; valid: 4 to 256")
    return edge
