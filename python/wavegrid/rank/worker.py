"""The part of `wavegrid run` that every rank executes: start MPI, solve, and on rank 0 print and store the result.

An error on one rank ends all of them with one message. Our own launcher prints what a rank reports and ends the
others. Without it rank 0 prints the message at once; another rank waits some seconds for rank 0 (most errors occur on
all ranks), then prints it itself; the rank that printed it aborts the job. Faults that no exception reports end all
ranks in the core (`end_all_at_faults`).
"""

import contextlib
import os
import platform
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from wavegrid.base.text import printable
from wavegrid.errors import (
    EXIT_DONE,
    EXIT_ENVIRONMENT,
    EXIT_NOT_CONVERGED,
    EXIT_SIGNAL,
    EnvironmentFault,
    InputError,
)
from wavegrid.files.store import process_token
from wavegrid.job.job import Job
from wavegrid.launch import memory, mpirun
from wavegrid.launch.handout import Waiting
from wavegrid.launch.request import Request
from wavegrid.launch.shared_folder import (
    CATCHES_SIGNALS,
    FAULT,
    STARTED,
    STATUS,
    traceback_of,
    write_private,
    write_report,
)
from wavegrid.process import core_loader, gc_tuning

if TYPE_CHECKING:
    from wavegrid.model.core_result import CoreResult
    from wavegrid.model.reports import Step

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl
_GRACE = 3.0  # seconds that the other ranks wait for rank 0 to report an error that they share
_BEFORE_OTHERS = 0.2  # seconds by which our message precedes those of MPI


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
        return self.shared.name if self.shared else process_token()

    def report(self, name: str, text: str) -> None:
        """Write a file for our own launcher; where its directory is not in reach, it has mpirun's exit code only."""
        if self.shared is None or not self.shared.is_dir():
            return
        try:
            write_private(self.shared / name, text)
        except OSError as fault:
            raise EnvironmentFault(f"'{self.shared}' cannot be written: {fault.strerror}; set TMPDIR") from None


@dataclass
class Run:
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
    if state.shared is not None and not mpirun.under_launcher():
        _end_with_parent()
    try:
        with contextlib.ExitStack() as whole_run:
            code = _calculate(request, state, whole_run)
            if code is None:
                return EXIT_DONE
        if state.rank == 0:
            state.report(STATUS, str(code))
    except Exception as fault:  # whatever it is, all ranks have to end
        return _end_all(state, fault)
    return code if state.shared is None else EXIT_DONE


def _end_with_parent() -> None:
    """Have the system send SIGTERM to this rank when our launcher is killed, as mpirun's ranks end with mpirun."""
    import ctypes

    with contextlib.suppress(AttributeError):  # Linux only
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def _exit_code(result: "CoreResult", *, refused: bool) -> int:
    """Return the exit code of a run that came to its end; one that a signal stopped counts as interrupted."""
    from wavegrid.results import closing

    if result.checkpoint is not None and result.checkpoint.error is not None:
        return EnvironmentFault.exit_code
    if result.stopped is not None:
        return EXIT_SIGNAL + signal.Signals[result.stopped]
    return EXIT_DONE if closing.ended_well(result) and not refused else EXIT_NOT_CONVERGED


def _calculate(request: Request, state: _State, whole_run: contextlib.ExitStack) -> int | None:
    """Start MPI, solve, print and store the result, stop MPI; return the exit code, None without a job."""
    waiting = _connect(request, state)
    core = core_loader.load()
    core.end_all_at_faults(str(state.shared / f"{FAULT}.{state.rank}") if state.shared else "", state.rank)
    state.core = core
    rank, size = core.mpi_start()
    state.report(STARTED, "")
    state.in_mpi, state.began = True, time.perf_counter()
    mpirun.check_size(size)  # before: an MPI of another make takes every process for rank 0
    state.rank, state.size = rank, size
    if rank == 0:
        from wavegrid.rank import rank_zero  # while the launcher still checks the job
    job = _job(core, request, state, waiting)
    gc_tuning.resume()
    if job is None:
        core.mpi_stop()
        return None
    run = Run(core, state, request, job)
    if rank == 0 and state.shared is None:
        rank_zero.check_outputs(run, whole_run)
    _check_size(request, size)
    _check_memory(run)
    trace = core.start_trace() if request.trace is not None else None
    _catch_signals(run)
    result, steps = _solve(run, trace)
    if result.stopped:
        result.converged = False
    refused = False
    if state.rank == 0:
        found = rank_zero.show_and_store(run, result, steps)
        refused = request.strict and bool(found)
    if trace is not None:
        _write_timeline(run, trace, result)
    core.mpi_stop()
    state.in_mpi = False
    return _exit_code(result, refused=refused)


def _connect(request: Request, state: _State) -> Waiting | None:
    """Connect to our launcher where it is in reach (one machine)."""
    if state.shared is None:
        return None
    try:
        return Waiting(state.shared, state.rank)
    except OSError:
        return None


def _job(core: ModuleType, request: Request, state: _State, waiting: Waiting | None) -> Job | None:
    """Take the job from our launcher, None where that has refused it, or read the input file."""
    if waiting is not None or request.waits:
        found = None if waiting is None else waiting.job()
        state.began = time.perf_counter()
        return None if found is None else Job(**found)
    from wavegrid.job.prepare import prepare  # pydantic and ASE: slow to import

    _check_size(request, state.size)
    return prepare(
        core,
        request.file,
        threads=request.threads,
        directory=request.directory,
        ranks=state.size,
        restart=request.restart,
        strict=request.strict,
    )


def _check_size(request: Request, size: int) -> None:
    if request.ranks not in (None, size):
        raise InputError(f"--ranks {request.ranks} under a launcher with {size} ranks; valid: {size}, or leave it out")


def _check_memory(run: Run) -> None:
    """Compare the estimate with the memory of this rank and of its machine, unless our launcher has. Collective."""
    if not run.request.memory_check:
        return
    from wavegrid.job.figures import compute_figures

    expected, here = compute_figures(run.core, run.job, run.state.size), run.core.mpi_ranks_of_node()
    memory.check_process(expected, run.job.problem["threads"])
    memory.check_node(expected, here)
    run.job.problem["memory_limit"] = memory.limit_of_rank(here, run.job.problem["threads"])


def _catch_signals(run: Run) -> None:
    """Have SIGINT, SIGTERM and SIGHUP end the loop after its step, with a checkpoint; report whom to signal.

    One rank is enough: after each step all agree whether one of them got a signal.
    """
    if run.job.problem["checkpoint"] is not None and hasattr(run.core, "catch_signals"):
        run.core.catch_signals()
        if run.state.rank == 0:
            run.state.report(CATCHES_SIGNALS, f"{platform.node()} {os.getpid()}")


def _solve(run: Run, trace: object | None) -> "tuple[CoreResult, list[Step]]":
    """Solve; return the core's result and, on rank 0, what it reported of each step."""
    if run.state.rank == 0:
        from wavegrid.rank import rank_zero

        return rank_zero.solve(run, trace)
    from wavegrid.model.core_result import CoreResult

    if run.job.moves:
        from wavegrid.launch import leader

        return CoreResult.read(leader.follow(run.core, trace)), []
    return CoreResult.read(run.core.solve(run.job.problem, None, trace)), []


def _write_timeline(run: Run, trace: object, result: "CoreResult") -> None:
    """Write the timeline of all ranks. Collective."""
    from wavegrid.trace import timeline

    path, state = Path(str(run.request.trace)), run.state
    timeline.save(run.core, trace, path, state.token, state.rank, timeline.describe(run.job, result))
    if state.rank == 0:
        run.request.console().print(f"written: {path}")


def _end_all(state: _State, fault: Exception) -> int:
    """Report an error once and end every rank; returns only where the core has not been loaded."""
    code = EXIT_ENVIRONMENT
    try:
        code = _report_fault(state, fault)
    except MemoryError:
        os.write(2, b"error: out of memory\n")
    except Exception:  # while the fault was reported: what counts is that all ranks end
        os.write(2, b"error: the fault of a rank could not be reported\n")
    if state.core is not None:
        state.core.mpi_abort(code)
    return code


def _report_fault(state: _State, fault: Exception) -> int:
    """Have the message printed, by our launcher or here, and return the exit code."""
    error = core_loader.translate(state.core, fault)
    message = printable(f"{error} (rank {state.rank})" if state.rank else str(error))
    where = traceback_of(fault)
    if write_report(state.shared, state.rank, error.exit_code, message, where):
        time.sleep(_GRACE if state.in_mpi else 0.0)
        return error.exit_code
    if state.rank != 0:
        time.sleep(_GRACE)
    print(f"{where}error: {message}", file=sys.stderr, flush=True)
    time.sleep(_BEFORE_OTHERS if state.in_mpi and state.size > 1 else 0.0)
    return error.exit_code
