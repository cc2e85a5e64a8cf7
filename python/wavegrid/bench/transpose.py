"""Runs the compiled benchmark of the transposes for every case and number of ranks and collects its output."""

import itertools
import os
from dataclasses import dataclass, field
from functools import partial

from wavegrid.base.text import counted
from wavegrid.bench.program import Measured, Row, Run, compiled, in_turn, launcher_of, versions, words
from wavegrid.bench.transpose_request import Basis, Request

KEYS = (
    "case", "ranks", "transport", "context", "median_us", "spread_us", "bytes", "messages", "padding", "chosen",
)  # fmt: skip


@dataclass
class Result(Measured):
    """Times in microseconds per block of bands; rows have KEYS, in the context scf also step_us: of a whole step."""

    keys = KEYS
    autos: list[Row] = field(default_factory=list)  # per case and ranks: what auto took, why, and its own times
    overlaps: list[Row] = field(default_factory=list)  # per case, ranks and transport


def measure(request: Request, *, overlap: bool) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Result(versions(), os.getloadavg()[0])
    launcher = launcher_of(result.versions, max(request.ranks))

    def start(case: Basis, ranks: int) -> None:
        take = partial(_take, result, {"case": case.name, "ranks": ranks})
        Run(case.name, ranks, 1, take).start(_words(request, case, overlap), launcher)

    in_turn(
        (f"{case.name}: {counted(ranks, 'rank')}", partial(start, case, ranks))
        for case, ranks in itertools.product(request.cases, request.ranks)
    )
    return result


def _take(result: Result, start: Row, content: Row) -> None:
    """Sort an object of the program into the result, with the case and ranks of its run."""
    content = start | content
    for name, place in (("auto", result.autos), ("overlap", result.overlaps)):
        if name in content:
            place.append(content)
            return
    result.rows.append(content)


def _words(request: Request, case: Basis, overlap: bool) -> list[str]:
    """Return the command line of the program."""
    options = {
        "--case": f"{case.n}:{case.radius}",
        "--mode": case.mode,
        "--transport": ",".join(request.transports),
        "--context": ",".join(request.contexts),
        "--partition": request.partition,
        "--repeats": str(request.repeats),
        "--overlap": "yes" if overlap else "no",
    }
    if request.block is not None:
        options["--block"] = str(request.block)
    return [str(compiled("bench_transpose")), *words(options)]
