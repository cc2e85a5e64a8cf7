"""`wavegrid partition`."""

import json
from typing import Annotated

import typer

from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson, File
from wavegrid.process import core_loader, machine


@guarded
def partition(
    file: File,
    ranks: Annotated[str | None, typer.Option(metavar="N,N,...", help="Rank counts; default: usable cores.")] = None,
    scheme: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="greedy, cyclic, balanced, optimized, auto; of a mesh: metis, block"),
    ] = None,
    as_json: AsJson = False,
    plot: Annotated[
        str | None, typer.Option(metavar="OUT.png", help="Plot sticks, planes and loads, or points (.png, .pdf, .svg).")
    ] = None,
    spacing: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="Of a mesh in real space; also without one in FILE. Or LENGTH,LENGTH,LENGTH along the vectors.",
        ),
    ] = None,
    radius: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH", help="Of the spheres or the cylinder of FILE; else of spheres around all atoms."
        ),
    ] = None,
    order: Annotated[
        str | None, typer.Option(metavar="N", help="Of the finite differences of the mesh: 2 to 12.")
    ] = None,
    ranks_per_node: Annotated[str | None, typer.Option(metavar="N", help="Of the mesh; default: one node.")] = None,
    one_level: Annotated[
        bool, typer.Option("--one-level", help="Do not divide the mesh over nodes first, then over their ranks.")
    ] = False,
    no_reorder: Annotated[
        bool, typer.Option("--no-reorder", help="With --one-level: leave parts that exchange much on different nodes.")
    ] = False,
) -> None:
    """Print how evenly each scheme distributes the plane waves of FILE over ranks, and its messages. Needs no MPI.

    Where FILE has a mesh in real space, or with --spacing: how METIS, or blocks, distribute its points, with ghost
    points, neighbours and cut edges. --spacing, --radius and --order replace those of FILE.
    """
    from wavegrid.display.console import make_console
    from wavegrid.input.document import read
    from wavegrid.partition.choose import partitions
    from wavegrid.partition.plane_waves import Request, parse_ranks

    counts = parse_ranks(ranks) if ranks is not None else [machine.usable_cores()]
    document, spec = read(file)
    shape = (spacing, radius, order, ranks_per_node)
    request = Request(counts, scheme, plot, *shape, two_level=not one_level, reorder=not no_reorder)
    found = partitions(core_loader.load, document, spec, request)
    if as_json:
        print(json.dumps(found.rows, indent=1))
        return
    make_console().print(found.table)
    for line in found.lines + ([f"written: {plot}"] if plot else []):
        print(line)
