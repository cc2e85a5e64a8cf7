"""`wavegrid partition`."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wavegrid import core_loader
from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson, File
from wavegrid.errors import InputError
from wavegrid.launch import mpirun

if TYPE_CHECKING:
    from wavegrid.input.document import Document
    from wavegrid.input.models import Input


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
    from wavegrid import partition as partitions
    from wavegrid.input.document import read

    counts = partitions.parse_ranks(ranks) if ranks is not None else [mpirun.usable_cores()]
    document, spec = read(file)
    if spacing is not None or spec.basis.method == "realspace":
        places = (ranks_per_node, not no_reorder, not one_level)
        return _of_mesh(
            document,
            spec,
            counts,
            "metis,block" if scheme is None else scheme,
            (spacing, radius, order),
            places,
            plot,
            as_json=as_json,
        )
    _refuse_mesh_options({"--radius": radius, "--order": order, "--ranks-per-node": ranks_per_node})
    schemes = partitions.parse_schemes("greedy,cyclic,balanced,optimized" if scheme is None else scheme)
    if plot is not None:
        from wavegrid.plots import partition as plots

        plots.check(Path(plot), file, len(counts) * len(schemes))
    core = core_loader.load()
    sphere = partitions.read_sphere(core, document, spec)
    rows = partitions.figures(core, sphere, counts, schemes)
    if plot is not None:
        plots.save(core, sphere, rows, Path(plot))
    _show(file, rows, plot, as_json=as_json)


def _refuse_mesh_options(options: dict[str, str | None]) -> None:
    for name, value in options.items():
        if value is not None:
            valid = 'together with --spacing, or with method = "realspace"'
            raise InputError(f"{name} {value}: belongs to a mesh; valid: {valid}")


def _of_mesh(document: "Document", spec: "Input", counts: list[int], scheme: str,
             shape: tuple[str | None, str | None, str | None], places: tuple[str | None, bool, bool],
             plot: str | None, *, as_json: bool) -> None:  # fmt: skip
    from wavegrid import mesh_partition as partitions

    schemes = partitions.parse_schemes(scheme)
    ranks_per_node = partitions.parse_ranks_per_node(places[0])
    spec = partitions.with_options(spec, *shape)
    if plot is not None:
        from wavegrid.plots import mesh_partition as plots

        plots.check(Path(plot), document.path, len(counts) * len(schemes))
    mesh = partitions.read_mesh(core_loader.load(), document, spec)
    rows = partitions.figures(mesh, counts, schemes, ranks_per_node, reorder=places[1], two_level=places[2])
    if plot is not None:
        plots.save(mesh, rows, Path(plot))
    if as_json:
        print(json.dumps(partitions.as_json(rows), indent=1))
        return
    counts_of = " x ".join(map(str, mesh.graph.counts))
    what = f"{mesh.graph.num_points} points ({counts_of} per cell), differences of order {mesh.order}, {document.path}"
    _print(partitions.table(what, rows), plot, [])


def _show(file: Path, rows: list[dict[str, Any]], plot: str | None, *, as_json: bool) -> None:
    """Print the figures of partitions, as JSON or as a table."""
    from wavegrid import partition as partitions

    if as_json:
        print(json.dumps(rows, indent=1))
        return
    title = f"{rows[0]['plane_waves']} plane waves by rank, {file}"
    _print(partitions.table(title, rows), plot, partitions.reasons(rows))


def _print(table: Any, plot: str | None, lines: list[str]) -> None:
    from rich.console import Console

    Console(width=max(120, shutil.get_terminal_size().columns), highlight=False).print(table)
    for line in lines + ([f"written: {plot}"] if plot else []):
        print(line)
