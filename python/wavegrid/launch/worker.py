"""The part of `wavegrid run` that every rank executes: start MPI, solve, and on rank 0 show and store the result.

An error on one rank ends all of them with one message: rank 0 prints it at once; another rank waits some seconds for
rank 0 (most errors occur on all ranks), then prints it itself. The rank that printed the message aborts the job.
"""

import dataclasses
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

from rich.console import Console

from wavegrid import core_loader
from wavegrid.errors import (
    EXIT_DONE,
    EXIT_NOT_CONVERGED,
    EXIT_SIGNAL,
    EnvironmentFault,
    InputError,
    InternalFault,
    WavegridError,
)
from wavegrid.launch import mpirun
from wavegrid.launch.job import Job, figures
from wavegrid.launch.progress import Progress, make_console, show_header
from wavegrid.launch.supervise import JOB, LISTENS, STARTED, STATUS
from wavegrid.results import derivatives, products
from wavegrid.results.report import checkpoint_lines, complete, result_table, tuning_line, tuning_table
from wavegrid.results.store import RESULT, probe, write_json
from wavegrid.trace import timeline

_GRACE = 3.0  # seconds that the other ranks wait for rank 0 to report an error that they share


@dataclass
class Request:
    """What the command line asks of a run."""

    file: Path
    ranks: int | None = None
    threads: int = 1
    quiet: bool = False
    directory: str | None = None
    explain: bool = False
    trace: str | None = None
    restart: str | None = None
    terminal: bool = False
    width: int | None = None

    def to_json(self) -> str:
        """Return the request as text for the command line of a rank."""
        return json.dumps(dataclasses.asdict(self) | {"file": str(self.file)})

    @classmethod
    def from_json(cls, text: str) -> "Request":
        """Return the request that `to_json` has written."""
        words = json.loads(text)
        return cls(**words | {"file": Path(words["file"])})


@dataclass
class _State:
    """How far this rank has come, for the report of an error."""

    rank: int
    core: ModuleType | None = None
    in_mpi: bool = False
    shared: Path | None = None  # the directory shared with our own launcher, if that started this rank
    began: float = field(default_factory=time.perf_counter)


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
        _report_to_launcher(state, STATUS, str(code))
    return EXIT_DONE


def _exit_code(result: dict[str, Any]) -> int:
    """Return the exit code of a run that came to its end; one that a signal stopped counts as interrupted."""
    if "error" in result.get("checkpoint", {}):
        return EnvironmentFault.exit_code
    if "stopped" in result:
        return EXIT_SIGNAL + signal.Signals[result["stopped"]]
    return EXIT_DONE if result["converged"] else EXIT_NOT_CONVERGED


def _calculate(request: Request, state: _State) -> dict[str, Any]:
    _report_to_launcher(state, STARTED, "")
    state.core = core = core_loader.load()
    state.rank, size = core.mpi_start()
    state.in_mpi, state.began = True, time.perf_counter()
    job, request = _job(core, request, state, size)
    token = state.shared.name if state.shared else str(os.getpid())
    if state.rank == 0 and state.shared is None:
        probe(Path(job.directory), token)
        timeline.check(request.trace, job, token)
    _check_size(request, size)
    trace = core.start_trace() if request.trace is not None else None
    _listen(core, job, state)
    result, steps = _solve(core, job, request, state, size, trace)
    if result.get("stopped"):
        result["converged"] = False
    else:
        result.pop("stopped", None)
    if state.rank == 0:
        _show_and_store(core, job, request, state, result, steps, size, token)
    if trace is not None and request.trace is not None:
        timeline.save(core, trace, Path(request.trace), token, state.rank, timeline.describe(job, result))
        if state.rank == 0:
            _console(request).print(f"written: {request.trace}")
    core.mpi_stop()
    state.in_mpi = False
    return result


def _listen(core: ModuleType, job: Job, state: _State) -> None:
    """Have SIGINT and SIGTERM end the loop after its step, with a checkpoint; report to our launcher whom to signal.

    One rank is enough: after each step all agree whether one of them got a signal.
    """
    if job.problem["checkpoint"] is not None and hasattr(core, "catch_signals"):
        core.catch_signals()
        if state.rank == 0:
            _report_to_launcher(state, LISTENS, f"{platform.node()} {os.getpid()}")


def _show_and_store(
    core: ModuleType,
    job: Job,
    request: Request,
    state: _State,
    result: dict[str, Any],
    steps: list[dict[str, Any]],
    size: int,
    token: str,
) -> None:
    """On rank 0: result.json first, then the table, then the files of the task."""
    seconds = time.perf_counter() - state.began
    predicted = figures(core, job, size)["bytes_per_rank"]
    result, files = products.finish(job, result, steps)
    content = complete(core, job, result, seconds=seconds, predicted_bytes=predicted)
    console = _console(request)
    path = Path(job.directory) / RESULT
    try:
        write_json(path, content, token)
    finally:  # a full disk leaves the numbers on the screen
        console.print(result_table(content))
        for table in derivatives.tables(content):
            console.print(table)
        if request.explain:
            console.print(tuning_line(content), tuning_table(content), sep="\n")
    for line in checkpoint_lines(content):
        console.print(line, soft_wrap=True)
    if "advice" in result:
        console.print(f"not converged after {result['scf_steps']} steps. {result['advice']}", soft_wrap=True)
    for written in (path, *products.write(job, files, token)):
        console.print(f"written: {written}")


def _job(core: ModuleType, request: Request, state: _State, size: int) -> tuple[Job, Request]:
    """Take the job from our launcher where it is in reach (one machine), else read the input file."""
    if state.shared is not None and (state.shared / JOB).exists():
        return Job(**json.loads((state.shared / JOB).read_text())), request
    from wavegrid.input.problem import prepare  # pydantic and ASE: slow to import

    _check_size(request, size)
    threads, directory = request.threads, request.directory
    job = prepare(core, request.file, threads=threads, directory=directory, ranks=size, restart=request.restart)
    return job, request


def _check_size(request: Request, size: int) -> None:
    announced = mpirun.size_hint()
    if announced not in (None, size):
        raise EnvironmentFault(
            f"the launcher started {announced} ranks, but MPI counts {size}: mpirun and the MPI library of wavegrid "
            "are not of the same make; use the mpirun of the MPI that wavegrid was built with"
        )
    if request.ranks not in (None, size):
        raise InputError(f"--ranks {request.ranks} under a launcher with {size} ranks; valid: {size}, or leave it out")


def _solve(
    core: ModuleType, job: Job, request: Request, state: _State, size: int, trace: object | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Solve; returns the core's result and, on rank 0, what it reported of each step."""
    if state.rank != 0:
        return core.solve(job.problem, None, trace), []
    console = _console(request)
    if state.shared is None:
        show_header(console, job, figures(core, job, size), core.versions(), mpirun.environment_warnings())
    with Progress(console, spin=job.problem["spins"] == 2) as progress:
        return core.solve(job.problem, progress.step, trace), progress.steps


def _console(request: Request) -> Console:
    return make_console(terminal=request.terminal, width=request.width, quiet=request.quiet)


def _end_all(state: _State, fault: Exception) -> int:
    """Report a fault once and end every rank; returns only where MPI is not running."""
    error = core_loader.translate(state.core, fault) if state.core else _without_core(fault)
    message = f"error: {error}"
    if state.rank != 0:
        time.sleep(_GRACE)
        message += f" (rank {state.rank})"
    print(message, file=sys.stderr, flush=True)
    if os.environ.get("WAVEGRID_TRACEBACK"):
        sys.excepthook(type(fault), fault, fault.__traceback__)
    _report_to_launcher(state, STATUS, str(error.exit_code))
    sys.stdout.flush()
    if state.in_mpi and state.core is not None:
        state.core.mpi_abort(error.exit_code)
    return error.exit_code


def _without_core(fault: Exception) -> WavegridError:
    return fault if isinstance(fault, WavegridError) else InternalFault(f"{type(fault).__name__}: {fault}")


def _report_to_launcher(state: _State, name: str, text: str) -> None:
    """Write a file for our own launcher; where its folder is out of reach, mpirun's exit code is all it gets."""
    if state.shared is not None and state.shared.is_dir():
        (state.shared / name).write_text(text)
