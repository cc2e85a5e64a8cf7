"""The one place that asks which discretisation the table [basis] of an input has."""

from wavegrid.discretisation.mesh import Mesh
from wavegrid.input.basis.base import InputBasis
from wavegrid.input.basis.mesh import MeshInput
from wavegrid.input.basis.plane_waves import PlaneWaveInput
from wavegrid.input.models import Basis
from wavegrid.model.problem import Problem


def from_basis(basis: Basis) -> InputBasis:
    """Return what the table [basis] of an input asks for."""
    return MeshInput(basis) if basis.method == Mesh.method else PlaneWaveInput(basis)


def from_run(basis: Basis, problem: Problem) -> InputBasis:
    """Return the same with the cutoff of the density that a run has taken for its pseudopotentials."""
    return from_basis(basis.model_copy(update={"density_ecut": problem["density_ecut"]}))
