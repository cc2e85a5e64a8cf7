"""Normal modes of atoms from their force constants, without those of rigid motion.

Eigenvectors of the mass-weighted force constants in the space orthogonal to translations and rotations: C. Eckart,
Phys. Rev. 47, 552 (1935), 10.1103/PhysRev.47.552.
"""

from dataclasses import dataclass

import numpy as np
from ase import units

_FLAT = 1e-6  # relative; smaller singular values of the rigid motion are the missing rotation of a linear molecule
PER_CM = 1 / units.invcm  # of an energy in eV


@dataclass(frozen=True)
class NormalModes:
    """Modes in ascending order; imaginary energies are negative."""

    energies: np.ndarray  # (modes), eV
    displacements: np.ndarray  # (modes, atoms, 3), normalised, of the atoms
    reduced_masses: np.ndarray  # (modes), amu
    rigid_energies: np.ndarray  # (rigid motions), eV: of the force constants and forces; zero without errors


def modes(
    force_constants: np.ndarray, masses: np.ndarray, rigid: np.ndarray, turned: np.ndarray | None = None
) -> NormalModes:
    """Return the modes of force constants (3N, 3N), eV/Angstrom^2, and masses (N), amu.

    `rigid`: rows (n, 3N) that span the mass-weighted rigid motions (`rigid_motions`); `turned`: `turned_forces`, whose
    part of the force constants is no error.
    """
    weights = np.repeat(masses, 3) ** -0.5
    weighted = weights[:, None] * force_constants * weights
    if len(rigid) == 0:
        rigid = np.zeros((1, len(weights)))
    left, values, rows = np.linalg.svd(rigid, full_matrices=True)
    count = int((values > _FLAT * max(values, default=0.0)).sum())
    fixed, free = rows[:count], rows[count:]
    of_rigid = fixed @ weighted @ fixed.T
    if turned is not None:
        of_forces = (left[:, :count] / values[:count]).T @ turned @ fixed.T
        of_rigid -= (of_forces + of_forces.T) / 2
    eigenvalues, vectors = np.linalg.eigh(free @ weighted @ free.T)
    displacements = (vectors.T @ free) * weights
    sizes = np.linalg.norm(displacements, axis=1)
    return NormalModes(
        energies(eigenvalues),
        (displacements / sizes[:, None]).reshape(-1, len(masses), 3),
        sizes**-2,
        energies(np.linalg.eigvalsh(of_rigid)),
    )


def rigid_motions(positions: np.ndarray, masses: np.ndarray, *, rotations: bool) -> np.ndarray:
    """Return the mass-weighted translations (3, 3N), and with `rotations` those about the centre of mass, too."""
    roots = np.sqrt(masses)
    translations = [np.outer(roots, axis).ravel() for axis in np.eye(3)]
    if not rotations:
        return np.array(translations)
    places = positions - masses @ positions / masses.sum()
    turns = [(roots[:, None] * np.cross(axis, places)).ravel() for axis in np.eye(3)]
    size = max(1.0, float(np.abs(places).max()))
    return np.array([*translations, *(turn / size for turn in turns)])


def turned_forces(positions: np.ndarray, masses: np.ndarray, forces: np.ndarray, *, rotations: bool) -> np.ndarray:
    """Return what exact force constants make of the `rigid_motions`, mass-weighted: forces turn with the atoms.

    `forces` (N, 3), eV/Angstrom, without displacement: H (w x r) = - w x F, since the energy does not turn.
    """
    found = np.zeros((6 if rotations else 3, forces.size))
    if rotations:
        places = positions - masses @ positions / masses.sum()
        size = max(1.0, float(np.abs(places).max()))
        turns = [(-np.cross(axis, forces) / np.sqrt(masses)[:, None]).ravel() / size for axis in np.eye(3)]
        found[3:] = turns
    return found


def energies(eigenvalues: np.ndarray) -> np.ndarray:
    """Return the energies hbar omega (eV) of eigenvalues in eV/Angstrom^2/amu; of negative ones they are negative."""
    scale = units._hbar * units.m / np.sqrt(units._e * units._amu)
    found: np.ndarray = scale * np.sign(eigenvalues) * np.sqrt(np.abs(eigenvalues))
    return found
