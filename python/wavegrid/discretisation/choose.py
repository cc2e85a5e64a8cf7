"""The one place that asks which discretisation a calculation has."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wavegrid.discretisation.base import Discretisation
from wavegrid.discretisation.mesh import Mesh
from wavegrid.discretisation.plane_waves import PlaneWaves

SETTINGS = (PlaneWaves.setting, Mesh.setting)
NOT_ON_MESH = Mesh.not_available
"""end of a sentence about what plane waves alone have"""

if TYPE_CHECKING:
    from wavegrid.discretisation.input.base import InputBasis
    from wavegrid.input.models import Basis
    from wavegrid.partition import Partitions


def from_problem(problem: dict[str, Any]) -> Discretisation:
    """Return the discretisation of the core's argument."""
    return Mesh() if problem.get("realspace") else PlaneWaves()


def from_result(content: dict[str, Any]) -> Discretisation:
    """Return the discretisation of a result: the core's, or the content of result.json."""
    return Mesh() if content.get("mesh") else PlaneWaves()


def from_tables(tables: dict[str, Any]) -> Discretisation:
    """Return the discretisation of an input as it was read, which is valid."""
    return Mesh() if tables["basis"].get("method") == Mesh.method else PlaneWaves()


def from_basis(basis: "Basis") -> "InputBasis":
    """Return what the table [basis] of an input asks for."""
    from wavegrid.discretisation.input import mesh, plane_waves  # import pydantic, which ranks do not need

    return mesh.MeshInput(basis) if basis.method == Mesh.method else plane_waves.PlaneWaveInput(basis)


def partition(basis: "Basis", spacing: str | None) -> Callable[..., "Partitions"]:
    """Return the function that divides plane waves, or a mesh of the input or with the `spacing` of an option."""
    from wavegrid import mesh_partition, partition

    on_mesh = spacing is not None or basis.method == Mesh.method
    return mesh_partition.partitions if on_mesh else partition.partitions
