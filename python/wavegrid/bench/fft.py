"""Runs the compiled benchmark of the compact FFT for every case and layout and collects its output."""

import itertools
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from wavegrid.base.text import counted
from wavegrid.bench.program import Run, compiled, versions, words
from wavegrid.bench.request import Case, Layout, Request
from wavegrid.launch import mpirun

KEYS = (
    "case",
    "n",
    "radius",
    "mode",
    "bands",
    "ranks",
    "threads",
    "library",
    "ms_per_band",
    "ratio_to_dense",
    "work_to_dense",
)


@dataclass
class Result:
    """What was measured, by which versions."""

    rows: list[dict[str, Any]]  # with KEYS
    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before

    @property
    def has_spfft(self) -> bool:
        """Whether the program was built with SpFFT."""
        return "spfft" in self.versions


def program() -> Path:
    """Return the compiled benchmark."""
    return compiled("bench_fft")


def measure(request: Request) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    known = versions()
    needs_launcher = any(layout.ranks > 1 for layout in request.layouts)
    launcher = mpirun.find_launcher(known.get("mpi", "")) if needs_launcher else None
    result = Result([], known, os.getloadavg()[0])
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        starts = list(itertools.product(request.cases, request.layouts))
        task = progress.add_task("", total=len(starts) * len(request.modes) * len(request.bands))
        for case, layout in starts:
            where = f"{case.name}: {counted(layout.ranks, 'rank')}, {counted(layout.threads, 'thread')}"
            progress.update(task, description=where)

            def take(content: dict[str, Any], case: Case = case, layout: Layout = layout) -> None:
                if _take(result, case, layout, content):
                    progress.advance(task)

            Run(case.name, layout.ranks, layout.threads, take).start(_words(request, case, layout), launcher)
    return result


def _take(result: Result, case: Case, layout: Layout, content: dict[str, Any]) -> bool:
    """Take in one object of the program; returns whether a mode and number of bands are through."""
    if "library" not in content:  # the first line has the versions
        result.versions |= {name: version for name, version in content.items() if version}
        return False
    row = asdict(layout) | content | {"case": case.name, "n": case.n, "radius": case.radius}
    result.rows.append({key: row[key] for key in KEYS})
    return row["library"] == "fftw"  # the last of its group


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
    return [str(program()), *words(options)]
