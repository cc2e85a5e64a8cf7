"""`wavegrid run` and `wavegrid check`."""

import json
import shutil
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from wavegrid.base.text import printable
from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson, File, Ranks, Strict, Threads, count
from wavegrid.errors import EXIT_DONE, EXIT_NOT_CONVERGED, InputError
from wavegrid.launch import memory, mpirun
from wavegrid.process import core_loader, stdio

if TYPE_CHECKING:
    from wavegrid.job.job import Job
    from wavegrid.launch.request import Request


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
    code = _work(request) if mpirun.under_launcher() else _start(request)
    if code in (EXIT_DONE, EXIT_NOT_CONVERGED):
        stdio.run_has_ended()
    raise typer.Exit(code)


def _work(request: "Request") -> int:
    from wavegrid.rank.worker import work

    return work(request)


def _serve(file: Path, address: str, ranks: str | None, threads: str, *, quiet: bool) -> None:
    """Answer a server instead of solving the structure of the file; one process starts and asks the ranks."""
    from wavegrid.ase.client import serve
    from wavegrid.process import gc_tuning

    gc_tuning.resume()
    if mpirun.under_launcher():
        raise InputError("--socket under mpirun: one process talks to the server; valid: --ranks N without mpirun")
    of_each = mpirun.parse_count("--threads", threads)
    mpirun.set_threads(of_each)
    say = (lambda _: None) if quiet else partial(print, flush=True)
    serve(file, address, ranks=mpirun.choose_ranks(count("--ranks", ranks), of_each), threads=of_each, say=say)


def _start(request: "Request") -> int:
    """Start the ranks, check everything that can be checked meanwhile, and wait for them."""
    from wavegrid.launch import start

    def prepare(core: ModuleType, ranks: int) -> "Job":
        from wavegrid.job import prepare as problem  # after the ranks have started

        return problem.prepare(
            core,
            request.file,
            threads=request.threads,
            directory=request.directory,
            ranks=ranks,
            restart=request.restart,
            strict=request.strict,
        )

    request.terminal, request.width = sys.stdout.isatty(), shutil.get_terminal_size().columns
    return start.run(request, prepare)


@guarded
def check(
    file: File,
    ranks: Ranks = None,
    threads: Threads = "1",
    as_json: AsJson = False,
    strict: Strict = False,
    forces: Annotated[
        bool, typer.Option("--forces", help="Compare forces and pressure with differences of the energy.")
    ] = False,
    atoms: Annotated[
        str | None, typer.Option(metavar="N", help="Atoms that --forces moves, those of least symmetry; default: 2.")
    ] = None,
    egg_box: Annotated[
        bool, typer.Option("--egg-box", help="Compare positions of the atoms between the points of the mesh.")
    ] = False,
    converge: Annotated[
        str | None,
        typer.Option(metavar="ecut|kpoints|spacing", help="Repeat with finer settings until the energy is converged."),
    ] = None,
    tolerance: Annotated[
        str | None, typer.Option(metavar="ENERGY", help="What --converge aims at, per atom; default: 1 meV.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the series of --converge.")] = None,
) -> None:
    """Validate FILE and print what a run would use: sizes, k-points, memory, time, parallel layout. Writes nothing.

    With --forces, --egg-box or --converge: calculate, and print how far the results can be trusted.
    """
    from wavegrid.discretisation import choose
    from wavegrid.display import progress
    from wavegrid.display.console import make_console
    from wavegrid.input import dataset_libraries, library_folders
    from wavegrid.input.document import read
    from wavegrid.job import time_estimate
    from wavegrid.job.figures import compute_figures
    from wavegrid.job.prepare import prepare_document

    per_rank = mpirun.parse_count("--threads", threads)
    size = count("--ranks", ranks) or mpirun.size_hint() or mpirun.choose_ranks(None, per_rank)
    mpirun.set_threads(per_rank)
    core = core_loader.load()
    calculations = {"--forces": forces, "--egg-box": egg_box, "--converge": converge is not None}
    _check_together(calculations, {"--atoms": atoms, "--tolerance": tolerance, "--plot": plot})
    document, spec = read(file)
    job = prepare_document(core, document, spec, threads=per_rank, ranks=size, strict=strict)
    if any(calculations.values()):
        from wavegrid.checks import command

        console = None if as_json else make_console()
        if egg_box:
            raise typer.Exit(command.check_egg_box(core, document, size, per_rank, console))
        if converge is None:
            moved = count("--atoms", atoms) or command.ATOMS
            raise typer.Exit(command.check_forces(core, document, size, per_rank, moved, console))
        aim = tolerance or command.TOLERANCE
        raise typer.Exit(command.check_convergence(core, document, size, per_rank, converge, aim, plot, console))
    figures = compute_figures(core, job, size)
    figures["time"] = time_estimate.estimate(core, job, figures)
    libraries = [library.described() for library in library_folders.found()] + dataset_libraries.found()
    if as_json:
        more = {"memory": memory.comparison(figures), "pseudopotential_libraries": libraries}
        print(json.dumps(figures | more, indent=1))
    else:
        console = make_console()
        progress.show_header(console, job, figures, core.versions(), mpirun.environment_warnings())
        console.print(memory.line(figures), soft_wrap=True)
        for line in library_folders.lines(libraries):
            console.print(printable(f"  {line}"), soft_wrap=True)
        for line in choose.from_problem(job.problem).further_checks(str(file)):
            console.print(printable(f"  {line}"), soft_wrap=True)


def _check_together(calculations: dict[str, bool], others: dict[str, object]) -> None:
    """Refuse options of `check` that say nothing without another, or together."""
    chosen = [option for option, given in calculations.items() if given]
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)} together; valid: one of them at a time")
    for option, value in others.items():
        needed = "--forces" if option == "--atoms" else "--converge"
        if value is not None and not calculations[needed]:
            raise InputError(f"{option} without {needed}; valid: with it")
