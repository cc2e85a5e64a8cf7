"""`wavegrid run` and `wavegrid check`."""

import dataclasses
import errno
import json
import os
import shutil
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from wavegrid import core_loader, stdio
from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson, File, Ranks, Strict, Threads, count
from wavegrid.errors import EXIT_DONE, EXIT_NOT_CONVERGED, EnvironmentFault, InputError, WavegridError
from wavegrid.launch import memory, mpirun

if TYPE_CHECKING:
    from wavegrid.launch.request import Request
    from wavegrid.launch.supervise import RankGroup


@guarded
def run(
    file: File,
    ranks: Ranks = None,
    threads: Threads = "1",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    output: Annotated[str | None, typer.Option(metavar="DIR", help="Replaces [output] directory.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print how the transport was chosen.")] = False,
    trace: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a timeline of all ranks (JSON for ui.perfetto.dev).")
    ] = None,
    restart: Annotated[
        str | None, typer.Option(metavar="FILE", help="Continue from the checkpoint of an earlier run.")
    ] = None,
    socket: Annotated[
        str | None,
        typer.Option(metavar="NAME|HOST:PORT", help="Take positions and cell from a server of the i-PI protocol."),
    ] = None,
    strict: Strict = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the content of result.json and nothing else on stdout.")
    ] = False,
    no_memory_check: Annotated[
        bool, typer.Option("--no-memory-check", help="Start even if the estimated memory exceeds what there is.")
    ] = False,
) -> None:
    """Solve the Kohn-Sham equations of FILE; write DIR/result.json and the files that [task] and [output] ask for.

    Starts the MPI ranks itself; `mpirun -n N wavegrid run FILE` works too.
    """
    from wavegrid.launch.request import Request
    from wavegrid.launch.worker import work

    mpirun.check_launcher()
    if socket is not None:
        return _serve(file, socket, ranks, threads, quiet=quiet)
    request = Request(
        file,
        ranks=count("--ranks", ranks),
        threads=mpirun.parse_count("--threads", threads),
        quiet=quiet,
        directory=output,
        explain=explain,
        trace=trace,
        restart=restart,
        as_json=as_json,
        strict=strict,
        memory_check=not no_memory_check,
    )
    mpirun.set_threads(request.threads)
    if output == "":
        raise InputError("--output is empty; valid: a directory")
    stdio.speak()  # from here on each rank may have a fault of its own
    memory.check_limits(request.threads)  # before BLAS starts its threads
    code = work(request) if mpirun.under_launcher() else _start(request)
    if code in (EXIT_DONE, EXIT_NOT_CONVERGED):
        stdio.run_has_ended()
    raise typer.Exit(code)


def _serve(file: Path, address: str, ranks: str | None, threads: str, *, quiet: bool) -> None:
    """Answer a server instead of solving the structure of the file; one process starts and asks the ranks."""
    from wavegrid.ase.client import serve

    if mpirun.under_launcher():
        raise InputError("--socket under mpirun: one process talks to the server; valid: --ranks N without mpirun")
    of_each = mpirun.parse_count("--threads", threads)
    mpirun.set_threads(of_each)
    say = (lambda _: None) if quiet else partial(print, flush=True)
    serve(file, address, ranks=mpirun.choose_ranks(count("--ranks", ranks), of_each), threads=of_each, say=say)


def _start(request: "Request") -> int:
    """Start the ranks, check everything that can be checked meanwhile, and wait for them."""
    from wavegrid.launch import supervise

    core = core_loader.load()
    ranks = mpirun.choose_ranks(request.ranks, request.threads)
    mpirun.check_start(ranks)
    launcher = None if ranks == 1 else mpirun.find_launcher(core.versions().get("mpi", ""))
    request.terminal, request.width = sys.stdout.isatty(), shutil.get_terminal_size().columns
    of_ranks = dataclasses.replace(
        request,
        ranks=ranks,
        memory_check=request.memory_check and not mpirun.one_node(),  # else it is done here
        waits=mpirun.one_node() and ranks <= mpirun.usable_cores(),  # more would only disturb the check
    )
    program = mpirun.rank_program(of_ranks.to_json())
    with supervise.RankGroup(launcher, program, ranks=ranks, threads=request.threads) as started:
        if of_ranks.waits:
            started.start()
        return _check_and_run(request, core, ranks, started)


def _check_and_run(request: "Request", core: ModuleType, ranks: int, started: "RankGroup") -> int:
    from wavegrid.input import problem
    from wavegrid.launch import job as jobs
    from wavegrid.launch import progress
    from wavegrid.results import lock, outputs, store
    from wavegrid.trace import timeline

    job = problem.prepare(
        core,
        request.file,
        threads=request.threads,
        directory=request.directory,
        ranks=ranks,
        restart=request.restart,
        strict=request.strict,
    )
    figures = jobs.figures(core, job, ranks)
    if request.memory_check and mpirun.one_node():
        memory.check_process(figures, request.threads)  # ranks inherit the limits
        memory.check_node(figures, ranks)
    outputs.check(job, request.trace)
    store.probe(Path(job.directory), str(os.getpid()))
    trace = timeline.check(request.trace, str(os.getpid()))
    console = progress.make_console(terminal=request.terminal, width=request.width, quiet=request.silent)
    with lock.held(Path(job.directory)) as locked:
        progress.show_header(console, job, figures, core.versions(), mpirun.environment_warnings())
        _check_output()
        try:
            return started.run(job, trace=trace, lock=locked)
        except WavegridError:
            if request.terminal and not request.silent:  # a killed rank leaves the cursor hidden, in mid-line
                console.show_cursor()
                console.print()
            raise


def _check_output() -> None:
    """Refuse to calculate where the header could not be printed; a reader that has seen enough is no reason to stop."""
    fault = stdio.output_fault()
    if fault is not None and fault.errno != errno.EPIPE:
        stdio.forget_fault()
        raise EnvironmentFault(
            f"standard output cannot be written: {fault.strerror}; nothing was started; "
            "valid: another output, or --quiet"
        )


@guarded
def check(
    file: File, ranks: Ranks = None, threads: Threads = "1", as_json: AsJson = False, strict: Strict = False
) -> None:
    """Validate FILE and print what a run would use: sizes, k-points, memory, time, parallel layout. Writes nothing."""
    from wavegrid.input import problem
    from wavegrid.launch import job as jobs
    from wavegrid.launch import progress, time_estimate

    per_rank = mpirun.parse_count("--threads", threads)
    size = count("--ranks", ranks) or mpirun.size_hint() or mpirun.choose_ranks(None, per_rank)
    mpirun.set_threads(per_rank)
    core = core_loader.load()
    job = problem.prepare(core, file, threads=per_rank, ranks=size, strict=strict)
    figures = jobs.figures(core, job, size)
    figures["time"] = time_estimate.estimate(core, job, figures)
    if as_json:
        print(json.dumps(figures | {"memory": memory.comparison(figures)}, indent=1))
    else:
        console = progress.make_console()
        progress.show_header(console, job, figures, core.versions(), mpirun.environment_warnings())
        console.print(memory.line(figures), soft_wrap=True)
