"""The one place that asks which discretisation the table [basis] of an input has."""

from typing import TYPE_CHECKING

from wavegrid.discretisation.local_orbitals import LocalOrbitals
from wavegrid.discretisation.mesh import Mesh
from wavegrid.input.basis.base import InputBasis
from wavegrid.input.basis.local_orbitals import LocalOrbitalInput
from wavegrid.input.basis.mesh import MeshInput
from wavegrid.input.basis.plane_waves import PlaneWaveInput
from wavegrid.input.models import Basis, Input
from wavegrid.model.problem import Problem

if TYPE_CHECKING:
    from wavegrid.input.pseudopotentials import Choice


def from_basis(basis: Basis) -> InputBasis:
    """Return what the table [basis] of an input asks for."""
    if basis.method == Mesh.method:
        return MeshInput(basis)
    return LocalOrbitalInput(basis) if basis.method == LocalOrbitals.method else PlaneWaveInput(basis)


def from_run(basis: Basis, problem: Problem) -> InputBasis:
    """Return the same with the cutoff of the density that a run has taken for its pseudopotentials."""
    return from_basis(basis.model_copy(update={"density_ecut": problem["density_ecut"]}))


def with_density_cutoff(spec: Input, potentials: "dict[str, Choice]") -> tuple[Input, str]:
    """Return the input with the cutoff of the density that the potentials need, if it has none, and the reason."""
    density = from_basis(spec.basis).density_cutoff_for(potentials)
    if spec.basis.density_ecut is not None or density is None:
        return spec, ""
    table = spec.basis.model_copy(update={"density_ecut": density.ecut})
    return spec.model_copy(update={"basis": table}), density.reason
