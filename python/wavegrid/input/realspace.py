"""A mesh in real space: its points, and what a calculation on it cannot do."""

import math
from collections.abc import Iterator
from typing import Any

from wavegrid.errors import InputError
from wavegrid.input import tasks
from wavegrid.input.document import Document
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import Basis, Input
from wavegrid.launch.job import MOTION, Job

_ONLY = 'is not available with [basis] method = "realspace"'


def check(document: Document, spec: Input, restart: str | None) -> None:
    """Refuse what a calculation on a mesh cannot do; nothing with plane waves."""
    if spec.basis.method != "realspace":
        return
    for key, what, valid in _faults(document, spec, restart):
        raise document.error(key, f"{what} {_ONLY}; valid: {valid}")


def _faults(document: Document, spec: Input, restart: str | None) -> Iterator[tuple[KeyPath, str, str]]:
    """Yield the key, what it asks for, and what is valid instead."""
    kind = tasks.kind_of(spec)
    waves = 'method = "planewaves"'
    if kind != "scf":
        key = (kind,) if kind in MOTION else ("task", "kind")
        yield key, f'the task "{kind}"', f'"scf", or {waves}'
    for name in ("stress", "density"):
        if getattr(spec.output, name):
            yield ("output", name), name, f"without it, or {waves}"
    if document.data.get("output", {}).get("checkpoint"):
        yield ("output", "checkpoint"), "a checkpoint", f"checkpoint = false, or {waves}"
    if restart is not None:
        yield ("basis", "method"), "--restart", f"without it, or {waves}"
    if spec.symmetry.use:
        yield ("symmetry", "use"), "symmetry", f"use = false, or {waves}"
    if spec.electrons.dispersion is not None and spec.basis.boundary == "free":
        yield ("electrons", "dispersion"), "dispersion of a free molecule", f'boundary = "periodic", or {waves}'
    if spec.scf.precision == "mixed":
        yield ("scf", "precision"), 'precision = "mixed"', '"double", or "auto", which then is "double"'
    for name in sorted(spec.parallel.model_fields_set - {"transport"}):
        yield ("parallel", name), name, f"without it, or {waves}: all ranks share the points of the mesh"


def refuse_mesh(job: Job, what: str) -> None:
    """Refuse a job on a mesh for something that needs plane waves."""
    if job.problem.get("realspace"):
        raise InputError(f'{job.file}: {what} {_ONLY}; valid: method = "planewaves"')


def of_core(basis: Basis) -> dict[str, Any] | None:
    """Return the mesh as the core takes it; None with plane waves."""
    if basis.method != "realspace":
        return None
    return {
        "order": basis.order,
        "region": basis.region.kind,
        "radius": basis.region.radius or 0.0,
        "boundary": basis.boundary,
        "partition": "metis",
    }


def counts(basis: Basis, cell: list[list[float]]) -> list[int]:
    """Return the points along the lattice vectors (rows of `cell`, bohr)."""
    assert basis.spacing is not None
    return [max(1, math.ceil(math.hypot(*vector) / basis.spacing - 1e-9)) for vector in cell]
