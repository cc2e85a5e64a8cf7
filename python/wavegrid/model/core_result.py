"""What the core returns: the numbers of result.json, and fields and levels from which its further parts are made."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from wavegrid.model.part import ByState, KPoint, Part, Tensor, Vector, key_of
from wavegrid.model.result import Result
from wavegrid.model.run_statistics import WarningGiven
from wavegrid.model.spectra import BandExtremum


class PathLevels(Part):
    """Levels at the points that were solved after the loop."""

    kpoints: list[KPoint]
    """in units of the reciprocal vectors, with a weight"""
    eigenvalues: ByState
    """Ha, `[spin][point][band]`"""
    error_bound: float
    """largest error that the residuals allow, Ha"""
    converged: bool
    """whether all of them converged"""


class ExcitationTable(Part):
    """Solutions of Casida's equation, by energy."""

    pairs: int
    """of an occupied and an empty band"""
    level_error: float
    """Ha"""
    energies: list[float]
    """Ha"""
    strengths: list[Vector]
    """along x, y and z"""
    bands: list[tuple[int, int, int]]
    """spin, and the bands of the pair with the largest weight, from 1"""
    weights: list[float]
    """of this pair"""


class StateWeights(Part):
    """Projections of the states onto the orbitals of the atoms."""

    channels: list[tuple[int, ...]]
    """atom, angular momentum, and where each real harmonic counts for itself its number, from 0; or j + m_j, -1 where
    all of them count together, and twice j"""
    from_file: list[bool]
    """of each species: whether the orbitals are those of its file"""
    weights: Any
    """array (k-point, spin, band, channel)"""


class ChargeMoments(Part):
    """Moments of the charge about the origin of coordinates; those along repeated directions mean nothing."""

    open: list[bool]
    """along which lattice directions the crystal ends"""
    charge: float
    """e"""
    dipole: Vector
    """e bohr"""
    second: Tensor
    """sum of q r r, e bohr^2"""
    ions: list[Vector]
    """positions of the atoms in the cell that begins in the middle of the vacuum, bohr"""


class TetrahedronTable(Part):
    """The tetrahedra of the mesh of k-points (src/electrons/tetrahedra.hpp)."""

    points: Any
    """array (tetrahedron, point): k-points of its corners, and of points around it"""
    factors: Any
    """array (corner, point): of the levels of the points in that of a corner"""
    shares: list[float]
    """of the Brillouin zone"""


class CoreResult(Result):
    """A result before it is complete: of `Result` what the core knows, and what only the parts of result.json need."""

    path: PathLevels | None = None
    """levels at `band_path` of the problem"""
    extrema: list[BandExtremum] | None = None
    """where the problem asks for them"""
    projections: StateWeights | None = None
    """where the problem asks for them"""
    spins: Any = None
    """of spinors: array (k-point, band, axis) of the spins of the states, along the path where there is one"""
    tetrahedra: TetrahedronTable | None = None
    """where the problem asks for them"""
    field_response: dict[str, Any] | None = None
    """where the problem asks for it: `fields`, of which each is as it was reported, and `seconds`"""
    density: list[Any] | None = None
    """arrays (nx, ny, nz), electrons/bohr^3: the density, and with spin the magnetisation"""
    density_first: Vector | None = None
    """index of the first point of these arrays"""
    potential: list[Any] | None = None
    """arrays (nx, ny, nz), Ha: the potential, or the total one of each spin"""
    potential_first: Vector | None = None
    """index of the first point of these arrays"""
    potential_average: list[float] | None = None
    """electrostatic potential, mean of each lattice plane across the `average_axis` of the problem, Ha"""
    potential_average_first: int = 0
    """index of the first of these planes"""
    phonopy: str | None = None
    """of phonons: content of phonopy's file, with force constants"""
    excitations: ExcitationTable | None = None
    """where the problem asks for them"""
    charge_moments: ChargeMoments | None = None
    """where the crystal ends along a `moment_axes` of the problem"""
    peak_bytes: float = 0.0
    """largest resident memory of a rank"""
    warnings: Sequence[WarningGiven] = ()

    def written(self) -> dict[str, Any]:
        """Return what of it is in result.json."""
        return {name: value for name, value in self.content().items() if name in _WRITTEN}


_WRITTEN = {key_of(one.name) for one in fields(Result)}
