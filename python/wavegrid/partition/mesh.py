"""Partitions of meshes in real space: points, ghost points, neighbours and cut edges of each part."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypedDict

import numpy as np
from rich.table import Table

from wavegrid.base import vectors
from wavegrid.errors import InputError, did_you_mean
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.document import Document
from wavegrid.input.models import Basis, Input, Region
from wavegrid.input.structure import Crystal
from wavegrid.launch.mpirun import parse_count
from wavegrid.partition.plane_waves import Partitions, Request, read_grid
from wavegrid.units import LENGTH_UNITS, parse_measure

SCHEMES = ("metis", "block")
ORDERS = (2, 4, 6, 8, 10, 12)
MOST_POINTS = 20_000_000  # of a graph in the memory of one process: some GiB


@dataclass(frozen=True)
class Mesh:
    """The points of a mesh and their stencil graph. Lengths in bohr."""

    title: str
    cell: np.ndarray
    positions: np.ndarray  # (atoms, 3)
    order: int
    graph: Any  # MeshGraph of the core

    @property
    def steps(self) -> np.ndarray:
        """The vectors between neighbouring points, as rows."""
        return np.asarray(self.cell / np.array(self.graph.counts)[:, None])


class Row(TypedDict):
    """One partition of a mesh."""

    scheme: str
    ranks: int
    points: int
    max: int
    min: int
    imbalance: float
    inner: int
    ghosts_mean: float
    ghosts_max: int
    neighbours_mean: float
    neighbours_max: int
    edge_cut: int
    between_nodes: int
    owner: list[int]  # the part of each point


def partitions(core_of: Callable[[], ModuleType], document: Document, spec: Input, request: Request) -> Partitions:
    """Return how each scheme divides the points of a mesh, and draw the plot; raises InputError.

    `core_of` loads the core, once all options are known to be valid.
    """
    schemes = parse_schemes("metis,block" if request.scheme is None else request.scheme)
    ranks_per_node = parse_ranks_per_node(request.ranks_per_node)
    spec = with_options(spec, request.spacing, request.radius, request.order)
    plot = None if request.plot is None else Path(request.plot)
    if plot is not None:
        from wavegrid.partition import mesh_plots, plane_wave_plots

        plane_wave_plots.check(plot, document.path, len(request.ranks) * len(schemes), mesh_plots.MOST_PANELS)
    mesh = read_mesh(core_of(), document, spec)
    rows = figures(mesh, request.ranks, schemes, ranks_per_node, reorder=request.reorder, two_level=request.two_level)
    if plot is not None:
        mesh_plots.save(mesh, rows, plot)
    counts = " x ".join(map(str, mesh.graph.counts))
    what = f"{mesh.graph.num_points} points ({counts} per cell), differences of order {mesh.order}, {document.path}"
    return Partitions(as_json(rows), table(what, rows), [])


def parse_length(option: str, text: str) -> float:
    """Return a positive length in bohr; raises InputError that names the option."""
    try:
        length = parse_measure(text, LENGTH_UNITS)
    except ValueError as fault:
        raise InputError(f"{option} {text}: {fault}; valid: a length with its unit, such as '0.3 bohr'") from None
    if not 0 < length < 1000:
        raise InputError(f"{option} {text}: out of range; valid: a positive length below 1000 bohr")
    return length


def parse_spacing(text: str) -> list[float]:
    """Return the spacings along the lattice vectors, bohr, from one length or three; raises InputError."""
    lengths = [parse_length("--spacing", part.strip()) for part in text.split(",")]
    if len(lengths) not in (1, 3):
        raise InputError(
            f"--spacing {text}: {len(lengths)} lengths; valid: one, or three along the lattice vectors, such as "
            "'0.3 bohr, 0.3 bohr, 0.25 bohr'"
        )
    return lengths * 3 if len(lengths) == 1 else lengths


def parse_order(text: str) -> int:
    """Return the order of the finite differences; raises InputError."""
    valid = ", ".join(map(str, ORDERS))
    if text not in map(str, ORDERS):
        raise InputError(f"--order {text}: unknown; valid: {valid}")
    return int(text)


def parse_schemes(text: str) -> list[str]:
    """Return the schemes of a list with commas between; raises InputError that names the nearest."""
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in SCHEMES:
            raise InputError(
                f"--scheme {name}: unknown for a mesh; valid: {', '.join(SCHEMES)}{did_you_mean(name, SCHEMES)}"
            )
    return names


def parse_ranks_per_node(text: str | None) -> int:
    """Return the ranks of a node, 0 for one node."""
    return 0 if text is None else parse_count("--ranks-per-node", text)


def with_options(spec: Input, spacing: str | None, radius: str | None, order: str | None) -> Input:
    """Return an input with the mesh of its [basis], or of one where it has plane waves, changed by the options.

    A radius without a mesh in the input is that of spheres with free boundaries.
    """
    changes: dict[str, Any] = {}
    if spacing is not None:
        changes["spacing"] = parse_spacing(spacing)
    if order is not None:
        changes["order"] = parse_order(order)
    reach = None if radius is None else parse_length("--radius", radius)
    table = from_basis(spec.basis).as_mesh(reach, radius)
    return spec.model_copy(update={"basis": table.model_copy(update=changes)})


def read_mesh(core: ModuleType, document: Document, spec: Input) -> Mesh:
    """Make the mesh of an input file that asks for one; raises InputError for the first fault."""
    crystal, _, grid = read_grid(core, document, spec)
    basis = from_basis(spec.basis)
    problem: Any = {**crystal.as_dict(), **basis.problem(spec.parallel, crystal), "grid": grid}
    _check_size(document, spec.basis, crystal, grid)
    basis.check_points(core, document, problem, None)
    cell = np.array(crystal.cell)
    title = spec.title or document.path.stem
    return Mesh(title, cell, np.array(crystal.fractional) @ cell, spec.basis.order, core.MeshGraph(problem))


def _check_size(document: Document, basis: Basis, crystal: Crystal, grid: list[int]) -> None:
    """Refuse more points than fit into the memory of one process, by the volume of the region."""
    points = _volume(basis.region, crystal) / abs(vectors.determinant(crystal.cell)) * math.prod(grid)
    if points > MOST_POINTS:
        raise document.error(
            ("basis", "spacing"), f"about {points:.2g} points; valid: a spacing that gives at most {MOST_POINTS:.0e}"
        )


def _volume(region: Region, crystal: Crystal) -> float:
    """Return the volume of a region, bohr^3; of spheres as if they did not overlap."""
    lengths = vectors.lengths(crystal.cell)
    radius = region.radius or 0.0
    if region.kind == "spheres":
        return len(crystal.symbols) * 4 / 3 * math.pi * radius**3
    if region.kind == "cylinder":
        return math.pi * radius**2 * (region.length or lengths[(region.axis or 3) - 1])
    of_cell = abs(vectors.determinant(crystal.cell))
    return of_cell if region.lengths is None else of_cell * math.prod(region.lengths) / math.prod(lengths)


def figures(mesh: Mesh, ranks: list[int], schemes: list[str], ranks_per_node: int, *, reorder: bool,
            two_level: bool) -> list[Row]:  # fmt: skip
    """Return a row per number of ranks and scheme."""
    rows = []
    for count in ranks:
        for scheme in schemes:
            found = mesh.graph.partition(
                parts=count, method=scheme, ranks_per_node=ranks_per_node, two_level=two_level, reorder=reorder
            )
            rows.append(_row(mesh, count, scheme, found))
    return rows


def _row(mesh: Mesh, count: int, scheme: str, found: dict[str, Any]) -> Row:
    points, inner, ghosts, neighbours = (
        [part[key] for part in found["parts"]] for key in ("points", "inner", "ghosts", "neighbours")
    )
    return {
        "scheme": scheme,
        "ranks": count,
        "points": mesh.graph.num_points,
        "max": max(points),
        "min": min(points),
        "imbalance": max(points) * count / mesh.graph.num_points,
        "inner": sum(inner),
        "ghosts_mean": sum(ghosts) / count,
        "ghosts_max": max(ghosts),
        "neighbours_mean": sum(neighbours) / count,
        "neighbours_max": max(neighbours),
        "edge_cut": found["edge_cut"],
        "between_nodes": found["between_nodes"],
        "owner": found["owner"],
    }


def as_json(rows: list[Row]) -> list[dict[str, object]]:
    """Return the rows without the owners of the points."""
    return [{key: value for key, value in row.items() if key != "owner"} for row in rows]


def table(title: str, rows: list[Row]) -> Table:
    """Return the figures as a table for the terminal."""
    result = Table(title=title, title_justify="left")
    heads = ("scheme", "ranks", "max", "min", "max/mean", "inner", "ghosts", "most", "neighbours", "most", "edge cut",
             "other nodes")  # fmt: skip
    for head in heads:
        result.add_column(head, justify="left" if head == "scheme" else "right", no_wrap=True)
    for row in rows:
        result.add_row(
            row["scheme"], str(row["ranks"]), str(row["max"]), str(row["min"]), f"{row['imbalance']:.3f}",
            f"{row['inner'] / row['points']:.1%}", f"{row['ghosts_mean']:.0f}", str(row["ghosts_max"]),
            f"{row['neighbours_mean']:.1f}", str(row["neighbours_max"]), str(row["edge_cut"]),
            str(row["between_nodes"]),
        )  # fmt: skip
    return result
