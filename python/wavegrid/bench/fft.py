"""Runs the compiled benchmark of the compact FFT for every case and layout and collects its output."""

import itertools
import os
from dataclasses import asdict
from functools import partial

from wavegrid.base.text import counted
from wavegrid.bench.program import Measured, Row, Run, compiled, in_turn, launcher_of, versions, words
from wavegrid.bench.request import Case, Layout, Request

KEYS = (
    "case", "n", "radius", "mode", "bands", "ranks", "threads", "library", "ms_per_band", "ratio_to_dense",
    "work_to_dense",
)  # fmt: skip


class Result(Measured):
    """Times of each library; rows have KEYS."""

    @property
    def has_spfft(self) -> bool:
        """Whether the program was built with SpFFT."""
        return "spfft" in self.versions


def measure(request: Request) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Result(versions(), os.getloadavg()[0])
    launcher = launcher_of(result.versions, max(layout.ranks for layout in request.layouts))

    def start(case: Case, layout: Layout) -> None:
        take = partial(_take, result, case, layout)
        Run(case.name, layout.ranks, layout.threads, take).start(_words(request, case, layout), launcher)

    in_turn(
        (
            f"{case.name}: {counted(layout.ranks, 'rank')}, {counted(layout.threads, 'thread')}",
            partial(start, case, layout),
        )
        for case, layout in itertools.product(request.cases, request.layouts)
    )
    return result


def _take(result: Result, case: Case, layout: Layout, content: Row) -> None:
    """Take in one object of the program."""
    if "library" not in content:  # the first line has the versions
        result.versions |= {name: version for name, version in content.items() if version}
        return
    row = asdict(layout) | content | {"case": case.name, "n": case.n, "radius": case.radius}
    result.rows.append({key: row[key] for key in KEYS})


def _words(request: Request, case: Case, layout: Layout) -> list[str]:
    """Return the command line of the program."""
    options = {
        "--case": f"{case.n}:{case.radius}",
        "--mode": ",".join(request.modes),
        "--bands": ",".join(map(str, request.bands)),
        "--threads": str(layout.threads),
        "--repeats": str(request.repeats),
        "--scheme": request.scheme,
    }
    return [str(compiled("bench_fft")), *words(options)]
