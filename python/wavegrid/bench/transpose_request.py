"""The options of `wavegrid bench transpose`, checked."""

from dataclasses import dataclass
from typing import get_args

from wavegrid.bench.request import Case, own_case, read_list, read_name
from wavegrid.errors import InputError
from wavegrid.input.models import TransportName
from wavegrid.launch.mpirun import parse_count
from wavegrid.partition.plane_waves import NAMES as PARTITIONS

CONTEXTS = ("isolated", "scf")
TRANSPORTS = get_args(TransportName)


@dataclass(frozen=True)
class Basis(Case):
    """A case with the kind of its basis."""

    mode: str = "gamma"  # half a sphere, or "box": every point of reciprocal space

    @property
    def label(self) -> str:
        """The case in words."""
        what = "every G of the grid" if self.mode == "box" else f"half a sphere of radius {self.radius:g} (Gamma)"
        return f"{self.name}: {self.n}³, {what}"


# The CP2K report transposes whole grids: 125 planes over 8 ranks are 15 or 16 to each. The radius is not used there.
CASES = {one.name: one for one in (Basis("al108", 48, 15.37), Basis("al500", 80, 25.6), Basis("cp2k", 125, 62, "box"))}


@dataclass(frozen=True)
class Request:
    """One whole benchmark: every case on every number of ranks, in every context, by every transport."""

    cases: list[Basis]
    ranks: list[int]
    transports: list[str]
    contexts: list[str]
    partition: str
    block: int | None  # None: as the transforms choose it
    repeats: int


def read_request(
    case: str, ranks: str, transport: str, partition: str, context: str, block: str | None, repeats: str
) -> Request:
    """Return the request; raises InputError that names the option, what it held and what is valid."""
    return Request(
        cases=read_list("--case", case, _case),
        ranks=read_list("--ranks", ranks, _ranks),
        transports=read_list("--transport", transport, lambda option, word: read_name(option, word, TRANSPORTS)),
        contexts=read_list("--context", context, lambda option, word: read_name(option, word, CONTEXTS)),
        partition=read_name("--partition", partition, PARTITIONS),
        block=None if block is None else parse_count("--block", block),
        repeats=parse_count("--repeats", repeats),
    )


def _case(option: str, word: str) -> Basis:
    if word in CASES:
        return CASES[word]
    if ":" not in word:
        known = ", ".join(CASES)
        raise InputError(f"{option} {word}: unknown; valid: {known}, or N:RADIUS such as 48:15.37")
    own = own_case(option, word)
    return Basis(own.name, own.n, own.radius)


def _ranks(option: str, word: str) -> int:
    count = parse_count(option, word)
    if count == 1:
        raise InputError(f"{option} 1: on one rank nothing is transposed; valid: 2, 3, 4, ...")
    return count
