"""Degrees of freedom of atoms: the directions in which they move, and the momenta that fit them.

The total momentum is zero along all directions in which all atoms can move together: forces conserve it, the first
velocities have none, and Langevin's random forces are without it. With N atoms of which none is fixed 3 N - 3 degrees
of freedom are left; 3 N in a potential that is fixed in space, where no momentum is conserved.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from ase import Atoms, units
from ase.constraints import FixAtoms

from wavegrid.base.vectors import Rows
from wavegrid.crystal.fixed_coordinates import FixedCoordinates

_WHOLE = 1e-9  # an eigenvalue this close to 1 counts as 1


@dataclass(frozen=True)
class DegreesOfFreedom:
    """The directions in which atoms move."""

    masses: np.ndarray  # (atoms), amu
    projectors: np.ndarray  # (atoms, 3, 3), on the directions of each atom
    translations: np.ndarray  # (0 to 3, 3), unit vectors along which all atoms can move together

    @classmethod
    def of(
        cls, fixed: FixedCoordinates | None, cell: Rows, masses: np.ndarray, *, in_potential: bool = False
    ) -> "DegreesOfFreedom":
        """Return that of atoms with these masses in a cell; `fixed`: what they keep; `in_potential`: from outside."""
        projectors = np.tile(np.eye(3), (len(masses), 1, 1))
        if fixed is not None:
            for index in fixed.whole() + fixed.partial():
                projectors[index] = _projector(fixed.free_directions(index, cell))
        values, vectors = np.linalg.eigh(projectors.mean(axis=0))
        together = vectors.T[values > 1 - _WHOLE]
        return cls(masses, projectors, together[:0] if in_potential else together)

    def count(self) -> int:
        """Return the number of degrees of freedom."""
        return round(float(np.trace(self.projectors, axis1=1, axis2=2).sum())) - len(self.translations)

    def of_momenta(self, momenta: np.ndarray) -> np.ndarray:
        """Return momenta (ASE's unit) without their parts along fixed directions, and without total momentum."""
        kept: np.ndarray = np.einsum("aij,aj->ai", self.projectors, momenta)
        drift = kept.sum(axis=0) @ self.translations.T @ self.translations / self.masses.sum()
        return kept - self.masses[:, None] * drift

    def kinetic_energy(self, momenta: np.ndarray) -> float:
        """Return the kinetic energy, eV."""
        return float((momenta**2 / self.masses[:, None]).sum() / 2)

    def temperature(self, kinetic_energy: float) -> float:
        """Return the temperature, K, at a kinetic energy in eV."""
        return 2 * kinetic_energy / (self.count() * units.kB)

    def random_momenta(self, temperature: float, seed: int) -> np.ndarray:
        """Return random momenta of the Maxwell-Boltzmann distribution, scaled to a temperature (K) exactly."""
        noise = np.random.default_rng(seed).standard_normal((len(self.masses), 3))
        momenta = self.of_momenta(noise * np.sqrt(self.masses * units.kB * temperature)[:, None])
        energy = self.kinetic_energy(momenta)
        return momenta * np.sqrt(temperature / self.temperature(energy)) if energy > 0 else momenta


def constraints(fixed: FixedCoordinates | None) -> list[Any]:
    """Return constraints for ASE's optimisers and integrators."""
    if fixed is None:
        return []
    found: list[Any] = [FixAtoms(fixed.whole())] if fixed.whole() else []
    return [*found, _FixedDirections(fixed)] if fixed.partial() else found


class _FixedDirections:
    """Keeps coordinates of atoms, as ASE's constraints do: displacements, momenta and forces are projected.

    The projection is orthogonal, so that constraint forces do no work; in a cell whose vectors are at an angle ASE's
    FixScaled moves atoms along other directions than those of the forces.
    """

    def __init__(self, fixed: FixedCoordinates) -> None:
        self._fixed = fixed
        self.index = np.array(fixed.partial())

    def get_removed_dof(self, atoms: Atoms) -> int:
        return 3 * len(self.index) - round(float(np.trace(self._projectors(atoms), axis1=1, axis2=2).sum()))

    def adjust_positions(self, atoms: Atoms, new: np.ndarray) -> None:
        old = atoms.positions[self.index]
        new[self.index] = old + self._projected(atoms, new[self.index] - old)

    def adjust_momenta(self, atoms: Atoms, momenta: np.ndarray) -> None:
        momenta[self.index] = self._projected(atoms, momenta[self.index])

    def adjust_forces(self, atoms: Atoms, forces: np.ndarray) -> None:
        forces[self.index] = self._projected(atoms, forces[self.index])

    def _projected(self, atoms: Atoms, vectors: np.ndarray) -> np.ndarray:
        found: np.ndarray = np.einsum("aij,aj->ai", self._projectors(atoms), vectors)
        return found

    def _projectors(self, atoms: Atoms) -> np.ndarray:
        cell = atoms.cell.array.tolist()
        return np.array([_projector(self._fixed.free_directions(index, cell)) for index in self.index])


class FixedCentre:
    """Keeps the centre of mass along some directions: as constraint of ASE's Langevin it removes the total momentum."""

    def __init__(self, directions: np.ndarray) -> None:
        """Take unit vectors, as rows, at right angles to each other."""
        self._projector = directions.T @ directions
        self._removed = len(directions)

    def get_removed_dof(self, _atoms: Atoms) -> int:
        """Return the number of directions."""
        return self._removed

    def adjust_positions(self, atoms: Atoms, new: np.ndarray) -> None:
        """Take the displacement of the centre of mass off."""
        masses = atoms.get_masses()
        new -= masses @ (new - atoms.positions) @ self._projector / masses.sum()

    def adjust_momenta(self, atoms: Atoms, momenta: np.ndarray) -> None:
        """Take the total momentum off."""
        masses = atoms.get_masses()
        momenta -= masses[:, None] * (momenta.sum(axis=0) @ self._projector / masses.sum())

    def adjust_forces(self, atoms: Atoms, forces: np.ndarray) -> None:
        """Leave forces as they are: those of dynamics add up to zero."""


def _projector(directions: list[list[float]]) -> np.ndarray:
    """Return the projector on the space that some vectors span."""
    if not directions:
        return np.zeros((3, 3))
    basis, _ = np.linalg.qr(np.array(directions).T)
    found: np.ndarray = basis @ basis.T
    return found
