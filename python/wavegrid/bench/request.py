"""The options of `wavegrid bench fft`, checked, and what all benchmarks use for theirs."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wavegrid.errors import InputError, did_you_mean
from wavegrid.launch.mpirun import parse_count
from wavegrid.partition.plane_waves import SCHEMES

MODES = ("gamma", "complex")


@dataclass(frozen=True)
class Case:
    """A sphere of plane waves in a cubic grid."""

    name: str
    n: int  # grid points per edge
    radius: float  # grid steps


@dataclass(frozen=True)
class Layout:
    """How many ranks of how many threads."""

    ranks: int
    threads: int


@dataclass(frozen=True)
class Request:
    """One whole benchmark: every case on every layout, in every mode and number of bands."""

    cases: list[Case]
    layouts: list[Layout]
    bands: list[int]
    modes: list[str]
    scheme: str
    repeats: int


# 48 and 80 are the grids of 108 and 500 aluminium atoms; 128 and 192 show powers of two and what outgrows the cache.
_STANDARD = (("48", 48, 15.37), ("80", 80, 25.6), ("128", 128, 32.0), ("128b", 128, 42.0), ("192", 192, 48.0))
CASES = {name: Case(name, n, radius) for name, n, radius in _STANDARD}

# The grids of primitive cells, which hold densities: 4 times the radius and one point more.
SMALL = "small"
_SMALL_EDGES = (12, 15, 16, 18, 20, 24, 25, 27, 30, 32, 36)
_SMALL_CASES = [Case(str(n), n, (n - 1) / 4) for n in _SMALL_EDGES]
_BANDS, _SMALL_BANDS = "1,32", "4,8,16"


def read_request(
    case: str, ranks: str | None, threads: str | None, bands: str | None, mode: str, scheme: str, repeats: str
) -> Request:
    """Return the request; raises InputError that names the option, what it held and what is valid."""
    small = case == SMALL
    return Request(
        cases=_SMALL_CASES if small else read_list("--case", case, _fft_case),
        layouts=[Layout(1, 1)] if small and ranks is None and threads is None else _layouts(ranks, threads),
        bands=read_list("--bands", bands or (_SMALL_BANDS if small else _BANDS), parse_count),
        modes=read_list("--mode", mode, lambda option, word: read_name(option, word, MODES)),
        scheme=read_name("--scheme", scheme, SCHEMES),
        repeats=parse_count("--repeats", repeats),
    )


def read_list(option: str, text: str, read: Callable[..., Any]) -> list[Any]:
    """Read a list with commas between; a value named twice counts once."""
    return list(dict.fromkeys(read(option, word.strip()) for word in text.split(",")))


def read_name(option: str, word: str, valid: Sequence[str]) -> str:
    """Read one of the valid names."""
    if word not in valid:
        raise InputError(f"{option} {word}: unknown; valid: {', '.join(valid)}{did_you_mean(word, valid)}")
    return word


def _layouts(ranks: str | None, threads: str | None) -> list[Layout]:
    if ranks is None and threads is None:
        return [Layout(1, 1), Layout(2, 1), Layout(1, 2)]
    counts = (read_list("--ranks", ranks or "1", parse_count), read_list("--threads", threads or "1", parse_count))
    return [Layout(*pair) for pair in itertools.product(*counts)]


def _fft_case(option: str, word: str) -> Case:
    if word in CASES:
        return CASES[word]
    if ":" not in word:
        known = ", ".join(CASES)
        raise InputError(f"{option} {word}: unknown; valid: {known}, {SMALL} alone, or N:RADIUS such as 48:15.37")
    return own_case(option, word)


def own_case(option: str, word: str) -> Case:
    """Read N:RADIUS."""
    edge, _, rest = word.partition(":")
    try:
        n, radius = int(edge), float(rest)
    except ValueError:
        raise InputError(f"{option} {word}: not N:RADIUS; valid: two numbers, such as 48:15.37") from None
    if not 4 <= n <= 1024:
        raise InputError(f"{option} {word}: {n} points per edge; valid: 4 to 1024")
    end = (n - 1) // 2 + 1  # the first G that does not fit
    if not 1 <= radius < end:
        raise InputError(f"{option} {word}: {n} points do not hold the sphere; valid: a radius from 1 to below {end}")
    return Case(word, n, radius)
