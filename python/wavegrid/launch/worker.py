"""The part of `wavegrid run` that every rank executes: start MPI, solve, and on rank 0 print and store the result.

An error on one rank ends all of them with one message: rank 0 prints it at once; another rank waits some seconds for
rank 0 (most errors occur on all ranks), then prints it itself. The rank that printed the message aborts the job.
"""

import json
import os
import platform
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from wavegrid import core_loader
from wavegrid.errors import (
    EXIT_DONE,
    EXIT_NOT_CONVERGED,
    EXIT_SIGNAL,
    EnvironmentFault,
    InputError,
)
from wavegrid.launch import mpirun
from wavegrid.launch.job import Job, figures
from wavegrid.launch.progress import Progress, show_header
from wavegrid.launch.request import Request
from wavegrid.launch.supervise import CATCHES_SIGNALS, JOB, STARTED, STATUS
from wavegrid.results import derivatives, products
from wavegrid.results.report import checkpoint_lines, complete, result_table, tuning_line, tuning_table
from wavegrid.results.store import RESULT, probe, write_json
from wavegrid.text import printable
from wavegrid.trace import timeline

_GRACE = 3.0  # seconds that the other ranks wait for rank 0 to report an error that they share


@dataclass
class _State:
    """This rank, and how far it has come."""

    rank: int
    size: int = 1
    core: ModuleType | None = None
    in_mpi: bool = False
    shared: Path | None = None  # the directory shared with our own launcher, if that started this rank
    began: float = field(default_factory=time.perf_counter)

    @property
    def token(self) -> str:
        """What distinguishes the unfinished files of this run from those of others."""
        return self.shared.name if self.shared else str(os.getpid())

    def report(self, name: str, text: str) -> None:
        """Write a file for our own launcher; where its directory is not in reach, it has mpirun's exit code only."""
        if self.shared is not None and self.shared.is_dir():
            (self.shared / name).write_text(text)


@dataclass
class _Run:
    """A calculation in progress on this rank."""

    core: ModuleType
    state: _State
    request: Request
    job: Job


def work(request: Request) -> int:
    """Run this rank's part of a calculation and return its exit code. Collective."""
    folder = os.environ.get(mpirun.WORKER)
    state = _State(mpirun.rank_hint(), shared=Path(folder) if folder else None)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python would wait for the core to return
    try:
        code = _exit_code(_calculate(request, state))
    except Exception as fault:  # whatever it is, all ranks have to end
        return _end_all(state, fault)
    if state.shared is None:
        return code
    if state.rank == 0:
        state.report(STATUS, str(code))
    return EXIT_DONE


def _exit_code(result: dict[str, Any]) -> int:
    """Return the exit code of a run that came to its end; one that a signal stopped counts as interrupted."""
    if "error" in result.get("checkpoint", {}):
        return EnvironmentFault.exit_code
    if "stopped" in result:
        return EXIT_SIGNAL + signal.Signals[result["stopped"]]
    return EXIT_DONE if result["converged"] else EXIT_NOT_CONVERGED


def _calculate(request: Request, state: _State) -> dict[str, Any]:
    """Start MPI, solve, print and store the result, stop MPI; return the core's result."""
    state.report(STARTED, "")
    state.core = core = core_loader.load()
    state.rank, state.size = core.mpi_start()
    state.in_mpi, state.began = True, time.perf_counter()
    run = _Run(core, state, request, _job(core, request, state))
    if state.rank == 0 and state.shared is None:
        probe(Path(run.job.directory), state.token)
        timeline.check(request.trace, run.job, state.token)
    _check_size(request, state.size)
    trace = core.start_trace() if request.trace is not None else None
    _catch_signals(run)
    result, steps = _solve(run, trace)
    if result.get("stopped"):
        result["converged"] = False
    else:
        result.pop("stopped", None)
    if state.rank == 0:
        _show_and_store(run, result, steps)
    if trace is not None:
        _write_timeline(run, trace, result)
    core.mpi_stop()
    state.in_mpi = False
    return result


def _job(core: ModuleType, request: Request, state: _State) -> Job:
    """Take the job from our launcher where it is in reach (one machine), else read the input file."""
    if state.shared is not None and (state.shared / JOB).exists():
        return Job(**json.loads((state.shared / JOB).read_text()))
    from wavegrid.input.problem import prepare  # pydantic and ASE: slow to import

    _check_size(request, state.size)
    threads, directory = request.threads, request.directory
    return prepare(core, request.file, threads=threads, directory=directory, ranks=state.size, restart=request.restart)


def _check_size(request: Request, size: int) -> None:
    announced = mpirun.size_hint()
    if announced not in (None, size):
        raise EnvironmentFault(
            f"the launcher started {announced} ranks, but MPI counts {size}: mpirun and the MPI library of wavegrid "
            "are not of the same make; use the mpirun of the MPI that wavegrid was built with"
        )
    if request.ranks not in (None, size):
        raise InputError(f"--ranks {request.ranks} under a launcher with {size} ranks; valid: {size}, or leave it out")


def _catch_signals(run: _Run) -> None:
    """Have SIGINT and SIGTERM end the loop after its step, with a checkpoint; report to our launcher whom to signal.

    One rank is enough: after each step all agree whether one of them got a signal.
    """
    if run.job.problem["checkpoint"] is not None and hasattr(run.core, "catch_signals"):
        run.core.catch_signals()
        if run.state.rank == 0:
            run.state.report(CATCHES_SIGNALS, f"{platform.node()} {os.getpid()}")


def _solve(run: _Run, trace: object | None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Solve; return the core's result and, on rank 0, what it reported of each step."""
    if run.state.rank != 0:
        return run.core.solve(run.job.problem, None, trace), []
    console = run.request.console()
    if run.state.shared is None:
        expected = figures(run.core, run.job, run.state.size)
        show_header(console, run.job, expected, run.core.versions(), mpirun.environment_warnings())
    with Progress(console, spin=run.job.problem["spins"] == 2) as progress:
        return run.core.solve(run.job.problem, progress.step, trace), progress.steps


def _show_and_store(run: _Run, result: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    """On rank 0: result.json first, then the tables, then the files of the task."""
    seconds = time.perf_counter() - run.state.began
    predicted = figures(run.core, run.job, run.state.size)["bytes_per_rank"]
    path = Path(run.job.directory) / RESULT

    def content_of(values: dict[str, Any]) -> dict[str, Any]:
        return complete(run.core, run.job, values, seconds=seconds, predicted_bytes=predicted)

    try:
        result, files = products.finish(run.job, result, steps)
    except Exception:  # the energy is not lost with the part that failed
        write_json(path, content_of(products.without_fields(result)), run.state.token)
        raise
    content = content_of(result)
    try:
        write_json(path, content, run.state.token)
    finally:  # after a full disk the numbers are still on the screen
        _show(run.request, content)
    console = run.request.console()
    for line in checkpoint_lines(content):
        console.print(line, soft_wrap=True)
    if "advice" in result:
        console.print(f"not converged after {result['scf_steps']} steps. {result['advice']}", soft_wrap=True)
    for written in (path, *products.write(run.job, files, run.state.token)):
        console.print(f"written: {written}")


def _show(request: Request, content: dict[str, Any]) -> None:
    """Print the tables of a result."""
    console = request.console()
    console.print(result_table(content))
    for table in derivatives.tables(content):
        console.print(table)
    if request.explain:
        console.print(tuning_line(content), tuning_table(content), sep="\n")


def _write_timeline(run: _Run, trace: object, result: dict[str, Any]) -> None:
    """Write the timeline of all ranks. Collective."""
    path, state = Path(str(run.request.trace)), run.state
    timeline.save(run.core, trace, path, state.token, state.rank, timeline.describe(run.job, result))
    if state.rank == 0:
        run.request.console().print(f"written: {path}")


def _end_all(state: _State, fault: Exception) -> int:
    """Report an error once and end every rank; returns only where MPI is not running."""
    error = core_loader.translate(state.core, fault)
    message = f"error: {printable(str(error))}"
    if state.rank != 0:
        time.sleep(_GRACE)
        message += f" (rank {state.rank})"
    print(message, file=sys.stderr, flush=True)
    if os.environ.get("WAVEGRID_TRACEBACK"):
        sys.excepthook(type(fault), fault, fault.__traceback__)
    state.report(STATUS, str(error.exit_code))
    sys.stdout.flush()
    if state.in_mpi and state.core is not None:
        state.core.mpi_abort(error.exit_code)
    return error.exit_code

