"""The part of `wavegrid run` that every rank executes: start MPI, solve, and on rank 0 print and store the result."""

import contextlib
import os
import platform
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from wavegrid.errors import EXIT_DONE, EXIT_NOT_CONVERGED, EXIT_SIGNAL, EnvironmentFault, InputError
from wavegrid.job.job import Job
from wavegrid.launch import memory, mpirun
from wavegrid.launch.handout import Waiting
from wavegrid.launch.request import Request
from wavegrid.launch.shared_folder import CATCHES_SIGNALS, STATUS
from wavegrid.process import gc_tuning
from wavegrid.rank.process import RankProcess

if TYPE_CHECKING:
    from wavegrid.model.core_result import CoreResult
    from wavegrid.model.reports import Step

_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl


@dataclass
class Run:
    """A calculation in progress on this rank."""

    core: ModuleType
    state: RankProcess
    request: Request
    job: Job


def work(request: Request) -> int:
    """Run this rank's part of a calculation and return its exit code. Collective."""
    state = RankProcess()
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
        return state.end_all(fault)
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
    if result.propagation is not None and result.propagation.state_error is not None:
        return EnvironmentFault.exit_code
    if result.stopped is not None:
        return EXIT_SIGNAL + signal.Signals[result.stopped]
    return EXIT_DONE if closing.ended_well(result) and not refused else EXIT_NOT_CONVERGED


def _calculate(request: Request, state: RankProcess, whole_run: contextlib.ExitStack) -> int | None:
    """Start MPI, solve, print and store the result, stop MPI; return the exit code, None without a job."""
    waiting = _connect(state)
    core = state.start_mpi()
    if state.rank == 0:
        from wavegrid.rank import rank_zero  # while the launcher still checks the job
    job = _job(core, request, state, waiting)
    gc_tuning.resume()
    if job is None:
        state.stop_mpi()
        return None
    run = Run(core, state, request, job)
    if state.rank == 0 and state.shared is None:
        rank_zero.check_outputs(run, whole_run)
    _check_size(request, state.size)
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
    state.stop_mpi()
    return _exit_code(result, refused=refused)


def _connect(state: RankProcess) -> Waiting | None:
    """Connect to our launcher where it is in reach (one machine)."""
    if state.shared is None:
        return None
    try:
        return Waiting(state.shared, state.rank)
    except OSError:
        return None


def _job(core: ModuleType, request: Request, state: RankProcess, waiting: Waiting | None) -> Job | None:
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
    from wavegrid.launch.in_process_ranks import Follower, InProcessRanks
    from wavegrid.model.core_result import CoreResult

    if run.job.repeats:
        follower = Follower(run.core, run.state.size, trace=trace, complete=False)
        return CoreResult.read(follower.follow()), []
    ranks = InProcessRanks(run.core, run.state.size, trace=trace, complete=False, keep_plans=False)
    return ranks.solve(run.job.problem), []


def _write_timeline(run: Run, trace: object, result: "CoreResult") -> None:
    """Write the timeline of all ranks. Collective."""
    from wavegrid.trace import timeline

    path, state = Path(str(run.request.trace)), run.state
    timeline.save(run.core, trace, path, state.token, state.rank, timeline.describe(run.job, result))
    if state.rank == 0:
        run.request.console().print(f"written: {path}")
