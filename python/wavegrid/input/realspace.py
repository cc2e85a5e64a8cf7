"""A mesh in real space: its points, and what a calculation on it cannot do."""

import math
from collections.abc import Iterator
from types import ModuleType
from typing import Any, get_args

from wavegrid import vectors
from wavegrid.errors import InputError
from wavegrid.input import tasks
from wavegrid.input.document import Document
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import Basis, Input, MeshPartitionName
from wavegrid.input.structure import Crystal
from wavegrid.launch.job import Job
from wavegrid.text import counted

_OF_MESHES = {"overlap", "two_level", "reorder"}
_ONLY = 'is not available with [basis] method = "realspace"'


def check(document: Document, spec: Input) -> None:
    """Refuse what a calculation on a mesh cannot do, or what is of meshes only."""
    if spec.basis.method != "realspace":
        for name in sorted(spec.parallel.model_fields_set & _OF_MESHES):
            raise document.error(("parallel", name), f'{name} with method = "planewaves"; valid: without it, or a mesh')
        return
    for key, what, valid in _faults(spec):
        raise document.error(key, f"{what} {_ONLY}; valid: {valid}")


def _faults(spec: Input) -> Iterator[tuple[KeyPath, str, str]]:
    """Yield the key, what it asks for, and what is valid instead."""
    kind = tasks.kind_of(spec)
    waves = 'method = "planewaves"'
    if spec.basis.boundary != "periodic":
        yield from _faults_of_free_directions(spec, kind)
    if spec.scf.precision == "mixed":
        yield ("scf", "precision"), 'precision = "mixed"', '"double", or "auto", which then is "double"'
    if spec.basis.projectors == "real":
        yield ("basis", "projectors"), 'projectors = "real"', f"without it, or {waves}"
    if spec.parallel.partition not in ("auto", *get_args(MeshPartitionName)):
        valid = f'"auto", "metis", "block", or {waves}'
        yield ("parallel", "partition"), f'partition = "{spec.parallel.partition}"', valid
    for name in sorted(spec.parallel.model_fields_set & {"rows", "columns", "deterministic"}):
        yield ("parallel", name), name, f"without it, or {waves}"


def _faults_of_free_directions(spec: Input, kind: str) -> Iterator[tuple[KeyPath, str, str]]:
    of = "with free directions"
    if kind == "bands" and spec.basis.boundary == "free":
        yield ("task", "kind"), f'the task "bands" {of} alone', '"scf", "dos", "relax", "md"'
    if kind == "relax" and spec.relax.cell != "fixed":
        yield ("relax", "cell"), f'cell = "{spec.relax.cell}" {of}', 'cell = "fixed", or boundary = "periodic"'
    if spec.output.stress:
        yield ("output", "stress"), f"stress {of}", 'without it, or boundary = "periodic"'
    if spec.symmetry.use:
        yield ("symmetry", "use"), f"symmetry {of}", 'use = false, or boundary = "periodic"'


def check_mesh(
    core: ModuleType, document: Document, spec: Input, problem: dict[str, Any], begin: Crystal | None
) -> None:
    """Refuse a mesh that does not fit the atoms of a problem, and spheres that are not one piece.

    `begin`: the atoms whose spheres have to be one piece, those of the input; None where they may have come apart.
    """
    if fault := core.mesh_fault(problem):
        key, message = fault
        raise document.error(("basis", *key.split(".")), message)
    region = spec.basis.region
    if region.kind != "spheres" or region.radius is None or begin is None:
        return
    least = core.connecting_radius(problem | begin.as_dict())
    if least > region.radius * (1 + 1e-9):
        raise document.error(
            ("basis", "region", "radius"),
            f"region.radius = {region.radius:g} bohr: the spheres around the atoms are several pieces that do not "
            f"touch; valid: at least {math.ceil(least * 100 - 1e-6) / 100:.2f} bohr, or one calculation for each piece",
        )


def check_ranks(document: Document, points: int, ranks: int | None) -> None:
    """Refuse more ranks than points of a mesh, where the ranks are known."""
    if ranks is not None and ranks > points:
        raise document.error(
            ("basis", "spacing"),
            f"a mesh of {counted(points, 'point')} on {ranks} ranks; valid: at most {counted(points, 'rank')}, or a "
            "smaller spacing",
        )


def refuse_mesh(job: Job, what: str) -> None:
    """Refuse a job on a mesh for something that needs plane waves."""
    if job.problem.get("realspace"):
        raise InputError(f'{job.file}: {what} {_ONLY}; valid: method = "planewaves"')


def of_core(spec: Input, crystal: Crystal) -> dict[str, Any] | None:
    """Return the mesh as the core takes it, cylinder or box around the middle of a crystal; None with plane waves."""
    basis, region, partition = spec.basis, spec.basis.region, spec.parallel.partition
    if basis.method != "realspace":
        return None
    centre = [0.0, 0.0, 0.0]  # the others have none: a session would take another one for another problem
    if region.kind in ("cylinder", "box"):
        middle = [0.5 * (min(places) + max(places)) for places in zip(*crystal.fractional, strict=True)]
        centre = vectors.cartesian(middle, crystal.cell)
    return {
        "order": basis.order,
        "region": region.kind,
        "radius": region.radius or 0.0,
        "axis": region.axis or 3,
        "length": region.length or 0.0,
        "lengths": region.lengths or [0.0, 0.0, 0.0],
        "centre": centre,
        "periodic": basis.periodic(),
        "partition": partition if partition in get_args(MeshPartitionName) else "metis",
        "two_level": spec.parallel.two_level,
        "reorder": spec.parallel.reorder,
        "overlap": spec.parallel.overlap,
    }


def counts(basis: Basis, cell: list[list[float]]) -> list[int]:
    """Return the points along the lattice vectors (rows of `cell`, bohr)."""
    assert basis.spacing is not None
    return [
        max(1, math.ceil(length / spacing - 1e-9))
        for length, spacing in zip(vectors.lengths(cell), basis.spacing, strict=True)
    ]
