"""The options of `wavegrid bench boxes`, checked."""

from dataclasses import dataclass

from wavegrid.bench.request import Layout, read_list, read_name
from wavegrid.errors import InputError
from wavegrid.launch.mpirun import parse_count

METHODS = ("planned_union", "two_sided", "lock", "flush", "flush_local")
AT_ONCE = ("flush", "flush_local")  # methods whose threads may call MPI at the same time

# 13696 atoms of a fibril in a long thin cell; the radius of a box is a tenth of that of the cell.
ONETEP_BOXES, ONETEP_SIZE = 13696, 24


@dataclass(frozen=True)
class Case:
    """Boxes in a cell."""

    name: str
    boxes: int  # of each rank, or of all
    size: int  # points per edge
    overlap: float = 0  # boxes that contain a point, in the mean; of uniform boxes

    @property
    def is_fibril(self) -> bool:
        """Whether the number of boxes is that of all ranks."""
        return self.overlap == 0

    @property
    def label(self) -> str:
        """The case in words."""
        edge = f"{self.size}³ points"
        if self.is_fibril:
            return f"{self.name}: {self.boxes} boxes of {edge} in a fibril, those of a rank next to each other"
        where = f"anywhere in a cube, {self.overlap:g} at a point in the mean"
        return f"{self.name}: {self.boxes} boxes of {edge} per rank, {where}"


@dataclass(frozen=True)
class Request:
    """One whole benchmark: every case on every layout, by every method."""

    cases: list[Case]
    layouts: list[Layout]
    methods: list[str]
    transports: list[str]
    deterministic: bool
    repeats: int


def read_request(
    case: str | None,
    boxes: str,
    size: str,
    overlap: str,
    layout: str,
    method: str | None,
    transport: str,
    repeats: str,
    *,
    deterministic: bool,
) -> Request:
    """Return the request; raises InputError that names the option, what it held and what is valid."""
    from wavegrid.bench.transpose_request import TRANSPORTS

    counts = [parse_count("--boxes", boxes)] if case is None else []
    sizes = read_list("--size", size, parse_count)
    overlaps = read_list("--overlap", overlap, _factor)
    cases = [
        Case(f"{count}x{edge}³/{factor:g}", count, edge, factor)
        for count in counts
        for edge in sizes
        for factor in overlaps
    ]
    return Request(
        cases=cases if case is None else [_named(case)],
        layouts=read_list("--layout", layout, _layout),
        methods=read_list("--method", method or ",".join(METHODS), lambda o, word: read_name(o, word, METHODS)),
        transports=read_list("--transport", transport, lambda o, word: read_name(o, word, TRANSPORTS)),
        deterministic=deterministic,
        repeats=parse_count("--repeats", repeats),
    )


def _named(word: str) -> Case:
    read_name("--case", word, ("onetep", "onetep-small"))
    return Case(word, ONETEP_BOXES if word == "onetep" else ONETEP_BOXES // 64, ONETEP_SIZE if word == "onetep" else 8)


def _layout(option: str, word: str) -> Layout:
    ranks, cross, threads = word.partition("x")
    if not cross:
        raise InputError(f"{option} {word}: not RANKSxTHREADS; valid: for example 4x1,2x2")
    return Layout(parse_count(option, ranks), parse_count(option, threads))


def _factor(option: str, word: str) -> float:
    try:
        factor = float(word)
    except ValueError:
        factor = 0.0
    if not 0.01 <= factor <= 1000:
        raise InputError(f"{option} {word}: not understood; valid: a number from 0.01 to 1000")
    return factor
