"""The one place that asks which discretisation a calculation has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wavegrid.discretisation.base import Discretisation
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
    return Mesh() if problem.get("realspace") else PlaneWaves()


def from_result(content: Result) -> Discretisation:
    """Return the discretisation of a result: the core's, or the content of result.json."""
    return Mesh() if content.mesh else PlaneWaves()


def from_tables(tables: dict[str, Any]) -> Discretisation:
    """Return the discretisation of an input as it was read, which is valid."""
    return Mesh() if tables["basis"].get("method") == Mesh.method else PlaneWaves()
