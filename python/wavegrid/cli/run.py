"""`wavegrid run` and `wavegrid check`."""

import dataclasses
import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wavegrid import core_loader
from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson, File, Ranks, Threads, count
from wavegrid.errors import InputError, WavegridError
from wavegrid.launch import mpirun

if TYPE_CHECKING:
    from wavegrid.launch.request import Request


@guarded
def run(
    file: File,
    ranks: Ranks = None,
    threads: Threads = "1",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    output: Annotated[str | None, typer.Option(metavar="DIR", help="Replaces \\[output] directory.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print how the transport was chosen.")] = False,
    trace: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a timeline of all ranks (JSON for ui.perfetto.dev).")
    ] = None,
    restart: Annotated[
        str | None, typer.Option(metavar="FILE", help="Continue from the checkpoint of an earlier run.")
    ] = None,
) -> None:
    r"""Solve the Kohn-Sham equations of FILE; write DIR/result.json and the files that \[task] and \[output] ask for.

    Starts the MPI ranks itself; `mpirun -n N wavegrid run FILE` works too.
    """
    from wavegrid.launch.request import Request
    from wavegrid.launch.worker import work

    request = Request(
        file, count("--ranks", ranks), mpirun.parse_count("--threads", threads), quiet, output, explain, trace, restart
    )
    mpirun.set_threads(request.threads)
    if output == "":
        raise InputError("--output is empty; valid: a directory")
    code = work(request) if mpirun.under_launcher() else _start(request)
    raise typer.Exit(code)


def _start(request: "Request") -> int:
    """Check everything that can be checked, then start the ranks and wait for them."""
    from wavegrid.input import problem
    from wavegrid.launch import job as jobs
    from wavegrid.launch import progress, supervise
    from wavegrid.results import store
    from wavegrid.trace import timeline

    core = core_loader.load()
    ranks = mpirun.choose_ranks(request.ranks, request.threads)
    mpirun.check_start(ranks)
    job = problem.prepare(
        core, request.file, threads=request.threads, directory=request.directory, ranks=ranks, restart=request.restart
    )
    figures = jobs.figures(core, job, ranks)
    launcher = None if ranks == 1 else mpirun.find_launcher(core.versions().get("mpi", ""))
    store.probe(Path(job.directory), str(os.getpid()))
    trace = timeline.check(request.trace, job, str(os.getpid()))
    request.terminal, request.width = sys.stdout.isatty(), shutil.get_terminal_size().columns
    console = progress.make_console(terminal=request.terminal, width=request.width, quiet=request.quiet)
    progress.show_header(console, job, figures, core.versions(), mpirun.environment_warnings())
    program = mpirun.rank_program(dataclasses.replace(request, ranks=ranks).to_json())
    try:
        return supervise.run_ranks(job, launcher, program, ranks=ranks, threads=request.threads, trace=trace)
    except WavegridError:
        if request.terminal and not request.quiet:  # a killed rank leaves the cursor hidden in the middle of a line
            console.show_cursor()
            console.print()
        raise


@guarded
def check(file: File, ranks: Ranks = None, threads: Threads = "1", as_json: AsJson = False) -> None:
    """Validate FILE and print what a run would use: sizes, k-points, memory, parallel layout. Writes nothing."""
    from wavegrid.input import problem
    from wavegrid.launch import job as jobs
    from wavegrid.launch import progress

    per_rank = mpirun.parse_count("--threads", threads)
    size = mpirun.choose_ranks(count("--ranks", ranks), per_rank)
    core = core_loader.load()
    job = problem.prepare(core, file, threads=per_rank, ranks=size)
    figures = jobs.figures(core, job, size)
    if as_json:
        print(json.dumps(figures, indent=1))
    else:
        progress.show_header(progress.make_console(), job, figures, core.versions(), mpirun.environment_warnings())
