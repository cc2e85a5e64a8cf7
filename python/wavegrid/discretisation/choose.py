"""The one place that asks which discretisation a calculation has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wavegrid.discretisation.base import Discretisation
from wavegrid.discretisation.local_orbitals import LocalOrbitals
from wavegrid.discretisation.mesh import Mesh
from wavegrid.discretisation.plane_waves import PlaneWaves

if TYPE_CHECKING:
    from wavegrid.model.problem import Problem
    from wavegrid.model.result import Result

SETTINGS = (PlaneWaves.setting, Mesh.setting)
NOT_ON_MESH = Mesh.not_available
"""end of a sentence about what plane waves alone have"""


def from_problem(problem: Problem) -> Discretisation:
    """Return the discretisation of the core's argument."""
    if problem.get("realspace"):
        return Mesh()
    return LocalOrbitals() if problem.get("local_orbitals") else PlaneWaves()


def from_result(content: Result) -> Discretisation:
    """Return the discretisation of a result: the core's, or the content of result.json."""
    if content.mesh:
        return Mesh()
    return LocalOrbitals() if content.local_orbitals else PlaneWaves()


def from_tables(tables: dict[str, Any]) -> Discretisation:
    """Return the discretisation of an input as it was read, which is valid."""
    methods = {one.method: one for one in (Mesh, LocalOrbitals)}
    return methods.get(tables["basis"].get("method"), PlaneWaves)()
