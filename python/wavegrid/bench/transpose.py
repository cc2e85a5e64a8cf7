"""Runs the compiled benchmark of the transposes for every case and number of ranks and collects its output."""

import itertools
import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from wavegrid.base.text import counted
from wavegrid.bench.program import Run, compiled, versions, words
from wavegrid.bench.transpose_request import Basis, Request
from wavegrid.launch import mpirun

KEYS = (
    "case", "ranks", "transport", "context", "median_us", "spread_us", "bytes", "messages", "padding", "chosen",
)  # fmt: skip


@dataclass
class Result:
    """What was measured, by which versions. Times in microseconds per block of bands."""

    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before
    rows: list[dict[str, Any]] = field(
        default_factory=list
    )  # with KEYS, and step_us: whole H application in the context scf
    autos: list[dict[str, Any]] = field(
        default_factory=list
    )  # per case and ranks: what auto took, why, and its own times
    overlaps: list[dict[str, Any]] = field(default_factory=list)  # per case, ranks and transport

    def json_rows(self) -> list[dict[str, Any]]:
        """Return the rows with KEYS alone."""
        return [{key: row[key] for key in KEYS} for row in self.rows]


def program() -> Path:
    """Return the compiled benchmark."""
    return compiled("bench_transpose")


def measure(request: Request, *, overlap: bool) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Result(versions(), os.getloadavg()[0])
    launcher = mpirun.find_launcher(result.versions.get("mpi", ""))
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        starts = list(itertools.product(request.cases, request.ranks))
        task = progress.add_task("", total=len(starts))
        for case, ranks in starts:
            progress.update(task, description=f"{case.name}: {counted(ranks, 'rank')}")
            take = partial(_take, result, {"case": case.name, "ranks": ranks})
            Run(case.name, ranks, 1, take).start(_words(request, case, overlap), launcher)
            progress.advance(task)
    return result


def _take(result: Result, start: dict[str, Any], content: dict[str, Any]) -> None:
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
    return [str(program()), *words(options)]
