"""Partitions of the plane waves of an input file: how even they are, and how many messages and bytes they need.

The loads are the figures of Tables 3 and 4 of Gao et al. 2016 (Comput. Phys. Commun.), for any rank counts and schemes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NotRequired, TypedDict, cast, get_args

from rich.table import Table

from wavegrid.errors import InputError, did_you_mean
from wavegrid.input import kpoints, pseudopotentials, structure
from wavegrid.input.basis.choose import from_basis, with_density_cutoff
from wavegrid.input.document import Document
from wavegrid.input.electrons import check_xc
from wavegrid.input.models import Input, PartitionName
from wavegrid.launch.mpirun import parse_count

SCHEMES = get_args(PartitionName)
NAMES = (*SCHEMES, "auto")


@dataclass(frozen=True)
class Request:
    """What `wavegrid partition` is asked for; texts are those of its options, None where they are left out."""

    ranks: list[int]
    scheme: str | None = None
    plot: str | None = None
    # Of a mesh.
    spacing: str | None = None
    radius: str | None = None
    order: str | None = None
    ranks_per_node: str | None = None
    two_level: bool = True
    reorder: bool = True


class Row(TypedDict):
    """One partition of the plane waves; messages and bytes over all ranks, without what a rank keeps."""

    scheme: str
    ranks: int
    rows: int
    columns: int
    plane_waves: int
    max: int
    min: int
    mean: float
    imbalance: float
    sticks_max: int
    messages: list[int]
    bytes: list[int]
    partition: NotRequired[str]  # what auto has chosen, and why
    partition_reason: NotRequired[str]


@dataclass(frozen=True)
class Partitions:
    """What `wavegrid partition` shows."""

    rows: Sequence[object]  # for JSON
    table: Table
    lines: list[str]  # after the table


@dataclass(frozen=True)
class Sphere:
    """What a partition divides: the plane waves of an input file. Cell in bohr, ecut in Ha.

    `gamma`: real wave functions and half the sphere; else the whole sphere around Gamma, which those of other k-points
    resemble.
    """

    title: str
    cell: list[Any]
    ecut: float
    grid: list[int]
    gamma: bool = True

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The leading arguments of the core's partition functions."""
        return self.cell, self.ecut, self.grid, self.gamma


def partitions(core_of: Callable[[], ModuleType], document: Document, spec: Input, request: Request) -> Partitions:
    """Return how each scheme divides the plane waves of an input, and draw the plot; raises InputError.

    `core_of` loads the core, once all options are known to be valid.
    """
    _refuse_mesh_options(
        {"--radius": request.radius, "--order": request.order, "--ranks-per-node": request.ranks_per_node}
    )
    schemes = parse_schemes("greedy,cyclic,balanced,optimized" if request.scheme is None else request.scheme)
    plot = None if request.plot is None else Path(request.plot)
    if plot is not None:
        from wavegrid.partition import plane_wave_plots as plots

        plots.check(plot, document.path, len(request.ranks) * len(schemes))
    core = core_of()
    sphere = read_sphere(core, document, spec)
    rows = figures(core, sphere, request.ranks, schemes)
    if plot is not None:
        plots.save(core, sphere, rows, plot)
    title = f"{rows[0]['plane_waves']} plane waves by rank, {document.path}"
    return Partitions(rows, table(title, rows), reasons(rows))


def _refuse_mesh_options(options: dict[str, str | None]) -> None:
    for name, value in options.items():
        if value is not None:
            valid = 'together with --spacing, or with method = "realspace"'
            raise InputError(f"{name} {value}: belongs to a mesh; valid: {valid}")


def parse_ranks(text: str) -> list[int]:
    """Return the rank counts of a comma-separated list; raises InputError for anything else."""
    return [parse_count("--ranks", part.strip()) for part in text.split(",")]


def parse_schemes(text: str) -> list[str]:
    """Return the schemes of a comma-separated list; raises InputError that names the nearest."""
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in NAMES:
            raise InputError(f"--scheme {name}: unknown; valid: {', '.join(NAMES)}{did_you_mean(name, NAMES)}")
    return names


def read_grid(core: ModuleType, document: Document, spec: Input) -> tuple[structure.Crystal, kpoints.Choice, list[int]]:
    """Return crystal, k-points and grid of an input file as a run has them; raises InputError for the first fault."""
    crystal = structure.build(core, document, spec.structure, [])
    kpoint_choice = kpoints.choose(core, document, spec, crystal, [])
    xc, species = check_xc(core, document, spec.electrons.xc), crystal.species()
    cutoff = from_basis(spec.basis).cutoff()
    choices = pseudopotentials.choose(core, document, spec.electrons.pseudopotentials, species, cutoff, xc)
    spec, _ = with_density_cutoff(spec, dict(zip(species, choices, strict=True)))
    described = {**crystal.as_dict(), "initial_magnetic_moments": [], **kpoint_choice.problem}
    return crystal, kpoint_choice, from_basis(spec.basis).grids(core, document, described, [])["grid"]


def read_sphere(core: ModuleType, document: Document, spec: Input) -> Sphere:
    """Return the sphere of an input file with plane waves; raises InputError for the first fault."""
    crystal, kpoint_choice, grid = read_grid(core, document, spec)
    ecut = from_basis(spec.basis).cutoff()
    real = kpoint_choice.gamma_alone() and not spec.electrons.has_spinors()
    return Sphere(spec.title or document.path.stem, crystal.cell, ecut, grid, real)


def figures(core: ModuleType, sphere: Sphere, ranks: list[int], schemes: list[str]) -> list[Row]:
    """Return a row per number of ranks and scheme, in this order. Needs no MPI.

    `messages` and `bytes` are those of [first, second] transpose of one backward transform of one band in double
    precision.
    """
    rows = []
    for count in ranks:
        for scheme in schemes:
            row = core.partition_figures(*sphere.arguments, scheme, count)
            kept = [key for key in Row.__annotations__ if scheme == "auto" or not key.startswith("partition")]
            rows.append(cast(Row, {key: row[key] for key in kept}))
    return rows


def table(title: str, rows: list[Row]) -> Table:
    """Return the figures as a table for the terminal."""
    heads = ("scheme", "ranks", "rows x columns", "max", "min", "mean", "max/mean", "sticks", "messages", "kB")
    result = Table(title=title, title_justify="left")
    for head in heads:
        result.add_column(head, justify="left" if head == "scheme" else "right", no_wrap=True)
    for row in rows:
        result.add_row(
            f"auto: {row['partition']}" if "partition" in row else row["scheme"],
            str(row["ranks"]),
            f"{row['rows']} x {row['columns']}",
            str(row["max"]),
            str(row["min"]),
            f"{row['mean']:.1f}",
            f"{row['imbalance']:.3f}",
            str(row["sticks_max"]),
            " + ".join(str(number) for number in row["messages"]),
            " + ".join(f"{number / 1e3:.0f}" for number in row["bytes"]),
        )
    return result


def reasons(rows: list[Row]) -> list[str]:
    """Return the reason for each choice of auto, one line per row."""
    return [f"auto on {row['ranks']}: {row['partition_reason']}" for row in rows if "partition_reason" in row]
