"""The files of the potential on a surface of constant density, of a run or of a checkpoint."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from wavegrid.export import ionic_potential, surface, surface_zero
from wavegrid.export.fields import Field
from wavegrid.files.names import SURFACE
from wavegrid.job.job import Job
from wavegrid.model.surface import PotentialSurface


class SurfaceFiles(NamedTuple):
    """The part of result.json, and name and content of each file."""

    part: PotentialSurface
    files: dict[str, Callable[[], bytes]]


def of_density(job: Job, density: Field, valence: dict[str, float], value: float) -> SurfaceFiles:
    """Return the surface where the density has a value; raises InputError where it has it nowhere.

    `valence`: of each element. The potential is that of the density and of point charges: the local potentials of a
    calculation oscillate by 0.01 Ha there, since they end at a cutoff.
    """
    places = fractional(job, density)
    charges = np.array([valence[job.problem["species"][species]] for species, *_ in job.problem["atoms"]])
    isolated = surface_zero.is_molecule(density, places)
    inside = surface_zero.centred(density, places)
    places = fractional(job, inside)
    if isolated:
        places %= 1.0  # where the vacuum is at its ends, all atoms are inside
    values = ionic_potential.of_electron(inside.values, inside.vectors, places, charges, isolated=isolated)
    potential = inside._replace(unit="Ha", values=values)
    zero, source = surface_zero.find(potential, places, isolated=isolated)
    found = surface.of_density(inside, potential, value)
    part = surface.part(found, value, zero, source)
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
