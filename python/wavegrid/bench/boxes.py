"""Runs the compiled benchmark of boxes on every layout and collects its output."""

import itertools
import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from wavegrid.base.text import counted
from wavegrid.bench.boxes_request import AT_ONCE, Case, Request
from wavegrid.bench.program import Run, compiled, versions, words
from wavegrid.bench.request import Layout
from wavegrid.launch import mpirun
from wavegrid.process import machine

KEYS = (
    "case", "ranks", "threads", "oversubscribed", "method", "calls", "operation", "seconds", "least", "spread",
    "efficiency", "plan_seconds", "messages", "bytes", "extra_mib_per_rank", "difference",
)  # fmt: skip


@dataclass
class Result:
    """What was measured, by which versions."""

    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before
    rows: list[dict[str, Any]] = field(default_factory=list)  # with KEYS
    setups: list[dict[str, Any]] = field(default_factory=list)  # per case and layout: the cell and the one-sided MPI

    def json_rows(self) -> list[dict[str, Any]]:
        """Return the rows with KEYS alone."""
        return [{key: row[key] for key in KEYS} for row in self.rows]


def measure(request: Request) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Result(versions(), os.getloadavg()[0])
    launcher = None
    if max(layout.ranks for layout in request.layouts) > 1:
        launcher = mpirun.find_launcher(result.versions.get("mpi", ""))
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        starts = list(itertools.product(request.cases, request.layouts))
        task = progress.add_task("", total=len(starts))
        for case, layout in starts:
            name = f"{case.name}: {counted(layout.ranks, 'rank')} of {counted(layout.threads, 'thread')}"
            progress.update(task, description=name)
            _measure_layout(request, case, layout, result, launcher)
            progress.advance(task)
    _add_efficiency(result.rows, {case.name: case for case in request.cases})
    return result


def _measure_layout(
    request: Request, case: Case, layout: Layout, result: Result, launcher: mpirun.Launcher | None
) -> None:
    """Start the program, and once more for threads that call MPI at the same time: MPI is initialised for them."""
    where = {
        "case": case.name,
        "ranks": layout.ranks,
        "threads": layout.threads,
        "oversubscribed": layout.ranks * layout.threads > machine.usable_cores(),
    }
    runs = [("in_turn", request.methods)]
    if layout.threads > 1:
        runs.append(("at_once", [name for name in request.methods if name in AT_ONCE]))
    for calls, methods in runs:
        if methods:
            run = Run(case.name, layout.ranks, layout.threads, partial(_take, result, where))
            run.start(_words(request, case, layout, calls, methods), launcher)


def _take(result: Result, start: dict[str, Any], content: dict[str, Any]) -> None:
    (result.setups if "setup" in content else result.rows).append(start | content)


def _words(request: Request, case: Case, layout: Layout, calls: str, methods: list[str]) -> list[str]:
    """Return the command line of the program."""
    options = {
        "--shape": "fibril" if case.is_fibril else "uniform",
        "--boxes": str(case.boxes),
        "--size": str(case.size),
        "--method": ",".join(methods),
        "--transport": ",".join(request.transports),
        "--calls": calls,
        "--threads": str(layout.threads),
        "--deterministic": "yes" if request.deterministic else "no",
        "--repeats": str(request.repeats),
    }
    if not case.is_fibril:
        options["--overlap"] = str(case.overlap)
    return [str(program()), *words(options)]


def program() -> Path:
    """Return the compiled benchmark."""
    return compiled("bench_boxes")


def _add_efficiency(rows: list[dict[str, Any]], cases: dict[str, Case]) -> None:
    """Compare each row with the first of its case, method and operation.

    The work of a thread is the same on all layouts where the boxes are counted per rank; else it is divided.
    """
    first: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        base = first.setdefault((row["case"], row["method"], row["calls"], row["operation"]), row)
        work = [1 if cases[row["case"]].is_fibril else one["ranks"] for one in (base, row)]
        workers = [one["ranks"] * one["threads"] for one in (base, row)]
        rate = [work[i] / (one["seconds"] * workers[i]) for i, one in enumerate((base, row))]
        row["efficiency"] = round(rate[1] / rate[0], 4)
