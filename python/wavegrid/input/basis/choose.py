"""The one place that asks which discretisation the table [basis] of an input has."""

from wavegrid.discretisation.mesh import Mesh
from wavegrid.input.basis.base import InputBasis
from wavegrid.input.basis.mesh import MeshInput
from wavegrid.input.basis.plane_waves import PlaneWaveInput
from wavegrid.input.models import Basis


def from_basis(basis: Basis) -> InputBasis:
    """Return what the table [basis] of an input asks for."""
    return MeshInput(basis) if basis.method == Mesh.method else PlaneWaveInput(basis)
