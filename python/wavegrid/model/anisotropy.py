"""Magnetic anisotropy."""

from collections.abc import Sequence

from wavegrid.model.part import Part, Vector


class DirectionEnergy(Part):
    """The moments along one direction."""

    direction: Vector
    """of the first moment, Cartesian, of length 1"""
    force_theorem: Sequence[float] | None = None
    """free energies to first order in the density without spin-orbit coupling, Ha, for each mesh"""
    free_energy: float | None = None
    """free energy of the self-consistent density, Ha"""
    magnetisation: Vector | None = None
    """its total moment, mu_B"""
    scf_steps: int | None = None
    """its steps"""


class Anisotropy(Part):
    """Energies of directions; the rest of result.json belongs to the run without spin-orbit coupling."""

    directions: Sequence[DirectionEnergy]
    """in the order of the input, those that are done"""
    kpoints: Sequence[str]
    """meshes of the force theorem"""
