"""The files of the potential on a surface of constant density, of a run or of a checkpoint."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from wavegrid.export import surface, surface_zero
from wavegrid.export.fields import Field
from wavegrid.files.names import SURFACE
from wavegrid.job.job import Job
from wavegrid.model.surface import PotentialSurface


class SurfaceFiles(NamedTuple):
    """The part of result.json, and name and content of each file."""

    part: PotentialSurface
    files: dict[str, Callable[[], bytes]]


def of_fields(job: Job, density: Field, potential: Field, value: float) -> SurfaceFiles:
    """Return the surface where the density has a value; raises InputError where it has it nowhere.

    `potential`: that of an electron.
    """
    places = fractional(job, density)
    zero, kind = surface_zero.find(potential, places)
    inside, field = surface_zero.centred([density, potential], places)
    found = surface.of_density(inside, field, value)
    part = surface.part(found, value, zero, kind)
    writers = (surface.table, surface.ply)
    return SurfaceFiles(
        part, {name: partial(writer, job.title, found, zero) for name, writer in zip(SURFACE, writers, strict=True)}
    )


def fractional(job: Job, field: Field) -> np.ndarray:
    """Return the places of the atoms in the box of a field."""
    cell = np.array(job.problem["cell"])
    places = np.array([place for _, *place in job.problem["atoms"]]) @ cell
    found: np.ndarray = (places - field.origin) @ np.linalg.inv(field.vectors)
    return found
