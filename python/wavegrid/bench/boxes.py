"""Runs the compiled benchmark of boxes on every layout and collects its output."""

import itertools
import os
from dataclasses import dataclass, field
from functools import partial

from wavegrid.base.text import counted
from wavegrid.bench.boxes_request import AT_ONCE, Case, Request
from wavegrid.bench.program import Measured, Row, Run, compiled, in_turn, launcher_of, versions, words
from wavegrid.bench.request import Layout
from wavegrid.launch import mpirun
from wavegrid.process import machine

KEYS = (
    "case", "ranks", "threads", "oversubscribed", "method", "calls", "operation", "seconds", "least", "spread",
    "efficiency", "plan_seconds", "messages", "bytes", "extra_mib_per_rank", "difference",
)  # fmt: skip


@dataclass
class Result(Measured):
    """Seconds; rows have KEYS."""

    keys = KEYS
    setups: list[Row] = field(default_factory=list)  # per case and layout: the cell and the one-sided MPI


def measure(request: Request) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Result(versions(), os.getloadavg()[0])
    launcher = launcher_of(result.versions, max(layout.ranks for layout in request.layouts))
    in_turn(
        (
            f"{case.name}: {counted(layout.ranks, 'rank')} of {counted(layout.threads, 'thread')}",
            partial(_measure_layout, request, case, layout, result, launcher),
        )
        for case, layout in itertools.product(request.cases, request.layouts)
    )
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


def _take(result: Result, start: Row, content: Row) -> None:
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
    return [str(compiled("bench_boxes")), *words(options)]


def _add_efficiency(rows: list[Row], cases: dict[str, Case]) -> None:
    """Compare each row with the first of its case, method and operation.

    The work of a thread is the same on all layouts where the boxes are counted per rank; else it is divided.
    """
    first: dict[tuple[str, ...], Row] = {}
    for row in rows:
        base = first.setdefault((row["case"], row["method"], row["calls"], row["operation"]), row)
        work = [1 if cases[row["case"]].is_fibril else one["ranks"] for one in (base, row)]
        workers = [one["ranks"] * one["threads"] for one in (base, row)]
        rate = [work[i] / (one["seconds"] * workers[i]) for i, one in enumerate((base, row))]
        row["efficiency"] = round(rate[1] / rate[0], 4)
