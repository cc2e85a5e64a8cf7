"""Tasks that are a series of geometries: their data, their first geometry, and their largest cell."""

from dataclasses import replace
from typing import Any

from wavegrid.input.document import Document
from wavegrid.input.models import Input
from wavegrid.input.structure import Crystal


def describe(document: Document, spec: Input, kind: str, crystal: Crystal) -> dict[str, Any]:
    """Return what the task of this kind needs; raises InputError for what is wrong with it."""
    if kind == "eos":
        return {"volumes": _volumes(document, spec)}
    return _elastic(document, spec, crystal)


def first_geometry(spec: Input, kind: str, crystal: Crystal) -> Crystal:
    """Return the geometry that a run begins with: the input's; of an equation of state its largest volume."""
    return replace(crystal, cell=largest_cell(spec, kind, crystal)) if kind == "eos" else crystal


def largest_cell(spec: Input, kind: str, crystal: Crystal) -> list[list[float]]:
    """Return a cell whose memory and FFT grid are enough for all geometries; without a series that of the input."""
    length = 1.0
    if kind == "eos":
        largest = spec.eos.range[1] if spec.eos.volumes is None else spec.eos.volumes[-1]
        length = largest ** (1 / 3)
    elif kind == "elastic":
        length = 1.0 + spec.elastic.strain
    return [[length * x for x in vector] for vector in crystal.cell]


def _volumes(document: Document, spec: Input) -> list[float]:
    """Return the volumes of an equation of state; raises InputError where they are given twice."""
    if spec.eos.volumes is None:
        low, high = spec.eos.range
        steps = spec.eos.number - 1
        return [round(low + (high - low) * i / steps, 12) for i in range(steps + 1)]
    for name in ("range", "number"):
        if name in spec.eos.model_fields_set:
            raise document.error(("eos", name), f"'{name}' and 'volumes'; valid: one of them")
    return spec.eos.volumes


def _elastic(document: Document, spec: Input, crystal: Crystal) -> dict[str, Any]:
    given = spec.elastic
    if crystal.initial.fixed is not None:
        raise document.error(
            ("structure",),
            f"{crystal.initial.source} has fixed atoms, and elastic constants need all that relax; "
            "valid: a structure without constraints",
        )
    return {
        "strain_size": given.strain,
        "relax_atoms": given.relax,
        "force_tolerance": given.force_tolerance,
        "relax_steps": given.max_steps,
    }
