"""The options of `wavegrid bench checkpoint`, checked."""

from dataclasses import dataclass
from pathlib import Path

from wavegrid.bench.request import read_list, read_name
from wavegrid.launch.mpirun import parse_count

CASES = {
    "al2x2": "5 k-points of 40000 plane waves, 288 bands: 0.94 GB",
    "small": "2 k-points of 4200 plane waves, 144 bands: 25 MB",
    "tiny": "2 k-points of 520 plane waves, 16 bands: 0.5 MB",
}


@dataclass(frozen=True)
class Request:
    """One whole benchmark: every case on every number of ranks, with every setting, by every method."""

    cases: list[str]
    ranks: list[int]
    directory: Path
    aggregators: list[int]  # of a k-point group; 0: as the library chooses
    buffers: list[int]  # MiB of a rank; 0 likewise
    kpoint_groups: int
    repeats: int


def read_request(
    case: str, ranks: str, directory: Path, aggregators: str, buffer: str, kpoint_groups: str, repeats: str
) -> Request:
    """Return the request; raises InputError that names the option, what it held and what is valid."""
    return Request(
        cases=read_list("--case", case, lambda option, word: read_name(option, word, list(CASES))),
        ranks=read_list("--ranks", ranks, parse_count),
        directory=directory,
        aggregators=read_list("--aggregators", aggregators, _count_or_auto),
        buffers=read_list("--buffer", buffer, _count_or_auto),
        kpoint_groups=parse_count("--kpoint-groups", kpoint_groups),
        repeats=parse_count("--repeats", repeats),
    )


def _count_or_auto(option: str, word: str) -> int:
    return 0 if word == "auto" else parse_count(option, word)
