"""A whole run from the process that asks for it: start the ranks, check the job meanwhile, wait for the end."""

import dataclasses
import errno
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

from wavegrid.errors import EnvironmentFault, WavegridError
from wavegrid.job.job import Job
from wavegrid.launch import memory, mpirun, supervise
from wavegrid.launch.request import Request
from wavegrid.model.figures import Figures
from wavegrid.process import core_loader, machine, stdio

Prepare = Callable[[ModuleType, int], Job]  # takes the core and the number of ranks, raises InputError


def run(request: Request, prepare: Prepare) -> int:
    """Run the job that `prepare` returns on ranks of its own; return the exit code of the run.

    Its files are in the directory of the job. Raises InputError and the other errors of the package; nothing is
    written where the input or standard output is at fault. MPI's environment has to be set before
    (`mpirun.set_threads`).
    """
    ranks = mpirun.choose_ranks(request.ranks, request.threads)
    of_ranks = dataclasses.replace(
        request,
        ranks=ranks,
        memory_check=request.memory_check and not mpirun.one_node(),  # else it is done here
        waits=mpirun.one_node() and ranks <= machine.usable_cores(),  # more would only disturb the check
    )
    with supervise.RankGroup(of_ranks.to_json(), ranks=ranks, threads=request.threads) as group:
        if of_ranks.waits:
            group.start()
        return _check_and_run(request, core_loader.load(), ranks, group, prepare)


def _check_and_run(request: Request, core: ModuleType, ranks: int, group: supervise.RankGroup, prepare: Prepare) -> int:
    from wavegrid.files import lock, store
    from wavegrid.job import outputs
    from wavegrid.job.figures import compute_figures
    from wavegrid.trace import timeline

    job = prepare(core, ranks)
    figures = compute_figures(core, job, ranks)
    if request.memory_check and mpirun.one_node():
        memory.check_process(figures, request.threads)  # ranks inherit the limits
        memory.check_node(figures, ranks)
        job.problem["memory_limit"] = memory.limit_of_rank(ranks, request.threads)
    outputs.check(job, request.trace)
    store.probe(Path(job.directory), store.process_token())
    trace = timeline.check(request.trace, store.process_token())
    with lock.held(Path(job.directory)) as locked:
        _show_title(request, job.title_line())
        try:
            return group.run(job, partial(_show_details, request, core, job, figures), trace=trace, lock=locked)
        except WavegridError:
            if request.terminal and not request.silent:  # a killed rank leaves the cursor hidden, in mid-line
                console = request.console()
                console.show_cursor()
                console.print()
            raise


def _show_title(request: Request, title: str) -> None:
    """Print the first line before the ranks get their job; raises EnvironmentFault where that is not possible.

    A reader that has seen enough is no reason to stop.
    """
    if request.silent:
        return
    print(f"\x1b[1m{title}\x1b[0m" if request.terminal else title)
    fault = stdio.output_fault()
    if fault is not None and fault.errno != errno.EPIPE:
        stdio.forget_fault()
        raise EnvironmentFault(
            f"standard output cannot be written: {fault.strerror}; nothing was run; valid: another output, or --quiet"
        )


def _show_details(request: Request, core: ModuleType, job: Job, figures: Figures) -> None:
    """Say what runs, while it already does."""
    from wavegrid.display import progress  # takes long to import

    progress.show_details(request.console(), job, figures, core.versions(), mpirun.environment_warnings())
