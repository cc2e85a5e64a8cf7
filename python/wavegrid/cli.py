"""The `wavegrid` command: run, check, partition, checkpoint, bench, trace, version."""

import dataclasses
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from wavegrid import core as core_door
from wavegrid import launch
from wavegrid.bench.command import app as bench_app
from wavegrid.checkpoint.command import app as checkpoint_app
from wavegrid.errors import InputError, WavegridError
from wavegrid.guard import EPILOG, guarded

app = typer.Typer(
    help="Plane-wave density-functional theory on many ranks.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(bench_app, name="bench")
app.add_typer(checkpoint_app, name="checkpoint")

File = Annotated[Path, typer.Argument(metavar="FILE", help="Input file (TOML), for example examples/al108.toml.")]
Ranks = Annotated[str | None, typer.Option(metavar="N", help="MPI ranks; default: as many as usable cores / threads.")]
Threads = Annotated[str, typer.Option(metavar="T", help="Threads per rank.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]


@app.command(epilog=EPILOG)
@guarded
def run(
    file: File,
    ranks: Ranks = None,
    threads: Threads = "1",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    output: Annotated[str | None, typer.Option(metavar="DIR", help="Replaces \\[output] directory.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say how the transport was chosen.")] = False,
    trace: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a timeline of all ranks (JSON for ui.perfetto.dev).")
    ] = None,
    restart: Annotated[
        str | None, typer.Option(metavar="FILE", help="Begin with the checkpoint of an earlier run.")
    ] = None,
) -> None:
    r"""Solve the Kohn-Sham equations of FILE on all cores; write DIR/result.json and what \[task] and \[output] ask.

    Starts the MPI ranks itself; `mpirun -n N wavegrid run FILE` works too.
    """
    from wavegrid.worker import Request, work

    count = launch.parse_count("--threads", threads)
    request = Request(file, _count("--ranks", ranks), count, quiet, output, explain, trace, restart)
    launch.set_threads(request.threads)
    if output == "":
        raise InputError("--output is empty; valid: a directory")
    code = work(request) if launch.under_launcher() else _start(request)
    raise typer.Exit(code)


def _start(request) -> int:
    """Check everything that can be checked, then start the ranks and wait for them."""
    from wavegrid import job as jobs
    from wavegrid import problem, progress, store, supervise, tracing

    core = core_door.load()
    ranks = launch.choose_ranks(request.ranks, request.threads)
    job = problem.prepare(
        core, request.file, threads=request.threads, directory=request.directory, ranks=ranks, restart=request.restart
    )
    figures = jobs.figures(core, job, ranks)
    launcher = None if ranks == 1 else launch.find_launcher(core.versions().get("mpi", ""))
    store.probe(Path(job.directory), str(os.getpid()))
    trace = tracing.check(request.trace, job, str(os.getpid()))
    request.terminal, request.width = sys.stdout.isatty(), shutil.get_terminal_size().columns
    console = progress.make_console(terminal=request.terminal, width=request.width, quiet=request.quiet)
    progress.show_header(console, job, figures, core.versions(), launch.environment_warnings())
    program = launch.rank_program(dataclasses.replace(request, ranks=ranks).to_json())
    try:
        return supervise.run_ranks(job, launcher, program, ranks=ranks, threads=request.threads, trace=trace)
    except WavegridError:
        if request.terminal and not request.quiet:  # a killed rank leaves the cursor hidden in the middle of a line
            console.show_cursor()
            console.print()
        raise


@app.command(epilog=EPILOG)
@guarded
def check(file: File, ranks: Ranks = None, threads: Threads = "1", as_json: AsJson = False) -> None:
    """Validate FILE and print what would run: sizes, k-points, memory, division. Starts and writes nothing."""
    from wavegrid import job as jobs
    from wavegrid import problem, progress

    count = launch.parse_count("--threads", threads)
    size = launch.choose_ranks(_count("--ranks", ranks), count)
    core = core_door.load()
    job = problem.prepare(core, file, threads=count, ranks=size)
    figures = jobs.figures(core, job, size)
    if as_json:
        print(json.dumps(figures, indent=1))
    else:
        progress.show_header(progress.make_console(), job, figures, core.versions(), launch.environment_warnings())


@app.command(epilog=EPILOG)
@guarded
def partition(
    file: File,
    ranks: Annotated[str | None, typer.Option(metavar="N,N,...", help="Rank counts; default: usable cores.")] = None,
    scheme: Annotated[
        str, typer.Option(metavar="NAME,...", help="greedy, cyclic, balanced, optimized, auto")
    ] = "greedy,cyclic,balanced,optimized",
    as_json: AsJson = False,
    picture: Annotated[
        str | None, typer.Option(metavar="OUT.png", help="Draw sticks, planes and loads (.png, .pdf, .svg).")
    ] = None,
) -> None:
    """Print how evenly each scheme deals the plane waves of FILE to the ranks, and what then travels. Needs no MPI."""
    from wavegrid import partition as partitions

    counts = partitions.parse_ranks(ranks) if ranks is not None else [launch.usable_cores()]
    schemes = partitions.parse_schemes(scheme)
    if picture is not None:
        from wavegrid import partition_picture

        partition_picture.check(Path(picture), file, len(counts) * len(schemes))
        partition_picture.load_matplotlib()
    core = core_door.load()
    sphere = partitions.read_sphere(core, file)
    rows = partitions.figures(core, sphere, counts, schemes)
    if picture is not None:
        partition_picture.save(core, sphere, rows, Path(picture))
    _show_partitions(file, rows, picture, as_json=as_json)


def _show_partitions(file: Path, rows: list[dict], picture: str | None, *, as_json: bool) -> None:
    """Print the figures of partitions, for programs or for people."""
    from wavegrid import partition as partitions

    if as_json:
        print(json.dumps(rows, indent=1))
        return
    from rich.console import Console

    console = Console(width=max(120, shutil.get_terminal_size().columns), highlight=False)
    console.print(partitions.table(f"{rows[0]['plane_waves']} plane waves by rank, {file}", rows))
    for line in partitions.reasons(rows) + ([f"written: {picture}"] if picture else []):
        print(line)


@app.command(epilog=EPILOG)
@guarded
def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `wavegrid run --trace FILE` wrote.")],
    as_json: AsJson = False,
    picture: Annotated[
        str | None, typer.Option(metavar="OUT.png", help="Draw the traffic and the phases (.png, .pdf, .svg).")
    ] = None,
) -> None:
    """Print where the time of each rank went and how many bytes travelled between which ranks."""
    from wavegrid import trace_report

    if picture is not None:
        from wavegrid import partition_picture, trace_picture

        partition_picture.check(Path(picture), file, 1)
        partition_picture.load_matplotlib()
    figures = trace_report.read(file)
    if picture is not None:
        trace_picture.save(figures, Path(picture))
    if as_json:
        print(json.dumps(figures, indent=1))
        return
    from rich.console import Console

    console = Console(width=max(120, shutil.get_terminal_size().columns), highlight=False, markup=False)
    for part in trace_report.show(figures):
        console.print(part)
    if picture is not None:
        print(f"written: {picture}")


@app.command(epilog=EPILOG)
@guarded
def version(as_json: AsJson = False) -> None:
    """Print the versions of wavegrid and of the libraries it uses."""
    import wavegrid

    versions = {"wavegrid": wavegrid.__version__, **core_door.load().versions()}
    if as_json:
        print(json.dumps(versions, indent=1))
    else:
        print("\n".join(f"{name} {text}" for name, text in versions.items()))


def _count(option: str, text: str | None) -> int | None:
    return None if text is None else launch.parse_count(option, text)
