"""`wavegrid partition`."""

import json
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from wavegrid import core_loader
from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson, File
from wavegrid.launch import mpirun


@guarded
def partition(
    file: File,
    ranks: Annotated[str | None, typer.Option(metavar="N,N,...", help="Rank counts; default: usable cores.")] = None,
    scheme: Annotated[
        str, typer.Option(metavar="NAME,...", help="greedy, cyclic, balanced, optimized, auto")
    ] = "greedy,cyclic,balanced,optimized",
    as_json: AsJson = False,
    plot: Annotated[
        str | None, typer.Option(metavar="OUT.png", help="Plot sticks, planes and loads (.png, .pdf, .svg).")
    ] = None,
) -> None:
    """Print how evenly each scheme distributes the plane waves of FILE over ranks, and its messages. Needs no MPI."""
    from wavegrid import partition as partitions

    counts = partitions.parse_ranks(ranks) if ranks is not None else [mpirun.usable_cores()]
    schemes = partitions.parse_schemes(scheme)
    if plot is not None:
        from wavegrid.plots import partition as plots

        plots.check(Path(plot), file, len(counts) * len(schemes))
    core = core_loader.load()
    sphere = partitions.read_sphere(core, file)
    rows = partitions.figures(core, sphere, counts, schemes)
    if plot is not None:
        plots.save(core, sphere, rows, Path(plot))
    _show(file, rows, plot, as_json=as_json)


def _show(file: Path, rows: list[dict[str, Any]], plot: str | None, *, as_json: bool) -> None:
    """Print the figures of partitions, as JSON or as a table."""
    from wavegrid import partition as partitions

    if as_json:
        print(json.dumps(rows, indent=1))
        return
    from rich.console import Console

    console = Console(width=max(120, shutil.get_terminal_size().columns), highlight=False)
    console.print(partitions.table(f"{rows[0]['plane_waves']} plane waves by rank, {file}", rows))
    for line in partitions.reasons(rows) + ([f"written: {plot}"] if plot else []):
        print(line)
