"""The displaced geometries of the vibrations of a molecule, or of some atoms of a crystal."""

import numpy as np
from ase import Atoms

from wavegrid.model.core_result import CoreResult
from wavegrid.model.series import Vibration, Vibrations
from wavegrid.model.tasks import Task
from wavegrid.motion.geometries import Solved
from wavegrid.motion.series import SCF_COLUMNS, Solve, scf_cells
from wavegrid.results import normal_modes
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

# All atoms together, in units of the spacing, by lattice vector: other places between the points of a mesh.
_SHIFTS = ((0.5, 0.5, 0.5), (0.19, 0.42, -0.33), (-0.37, 0.11, 0.27))

# Positions over which forces are averaged, and the square of the shortest wave that has no mean there, 1/spacing.
_HALF = 0.5 * np.array([[0, 0, 0], [1, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]])
_POSITIONS = {1: (_HALF[:1], 1), 2: (_HALF[:2], 2), 4: (_HALF[::2], 3), 8: (_HALF, 4)}


class MolecularVibrations:
    """The atoms as they are, on a mesh moved together, then one atom at a time along x, y and z with both signs.

    Force constants are central differences of the forces, symmetrised. On a mesh each geometry may be solved at several
    positions between the points: what has the period of the mesh has no mean there (grid-cell sampling, J. Phys.:
    Condens. Matter 14, 2745 (2002), 10.1088/0953-8984/14/11/302).
    """

    columns = [("geometry", 8), ("moved", 10), ("free energy (Ha)", 16), ("max. force (eV/A)", 17), *SCF_COLUMNS]

    def __init__(self, settings: Task, atoms: Atoms, *, spacings: np.ndarray | None) -> None:
        """Displace `settings["moving"]` of the atoms; `spacings`: of a mesh, vectors (3, 3) in Angstrom between points.

        Translations, and with `settings["rotations"]` rotations, are projected out where all atoms move.
        """
        self._settings, self._atoms = settings, atoms
        if settings["masses"] is not None:
            atoms.set_masses(settings["masses"])
        self._moving = settings["moving"]
        self._size = settings["displacement"] * BOHR_IN_ANGSTROM
        positions, self._wave = _POSITIONS[settings["mesh_positions"]]
        self._positions = positions @ (np.zeros((3, 3)) if spacings is None else spacings)
        self._shifts = np.zeros((0, 3)) if spacings is None else np.array(_SHIFTS) @ spacings
        if len(positions) == 8:  # energies have the period of half a spacing
            self._shifts = self._shifts / 2
        self._spacing = None if spacings is None else float(np.linalg.norm(spacings, axis=1).min())
        self._steps = [(atom, axis, sign) for atom in self._moving for axis in range(3) for sign in (1, -1)]
        self._names = ["-", *("all" for _ in self._shifts)]
        self._names += [f"{atom + 1} {'+' if sign > 0 else '-'}{'xyz'[axis]}" for atom, axis, sign in self._steps]
        self._names = [name for name in self._names for _ in self._positions]
        self._forces: list[np.ndarray] = []
        self._energies: list[float] = []

    def run(self, solve: Solve) -> None:
        """Solve all geometries."""
        changes: list[tuple[int | slice, np.ndarray]] = [(slice(None), np.zeros(3))]
        changes += [(slice(None), shift) for shift in self._shifts]
        changes += [(atom, sign * self._size * np.eye(3)[axis]) for atom, axis, sign in self._steps]
        for which, shift in changes:
            for position in self._positions:
                moved = self._atoms.copy()
                moved.positions += position
                moved.positions[which] += shift
                solve(moved)

    def report(self, solved: Solved) -> list[str]:
        """Take a geometry into account; return the cells of its line."""
        forces, energy = np.array(solved.results["forces"]), solved.results["free_energy"]
        self._forces.append(forces)
        self._energies.append(energy)
        number = len(self._forces)
        force = float(np.linalg.norm(forces, axis=1).max())
        cells = [str(number), self._names[number - 1], f"{energy / HARTREE_IN_EV:.9f}", f"{force:.5f}"]
        return [*cells, *scf_cells(solved)]

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last geometry."""
        return {"step": len(self._forces)}

    def remaining(self) -> int:
        """Return the number of geometries that are left."""
        return len(self._names) - len(self._forces)

    def add_to(self, result: CoreResult) -> None:
        """Add the part of result.json."""
        part = result.vibrations = Vibrations(atoms=[atom + 1 for atom in self._moving])
        if self.remaining() > 0:
            return
        ahead, count = 1 + len(self._shifts), len(self._positions)
        means = np.array(self._forces)[:, self._moving].reshape(-1, count, 3 * len(self._moving)).mean(axis=1)
        energies = np.array(self._energies).reshape(-1, count).mean(axis=1)
        part.residual_force = _largest(means[0].reshape(-1, 3))
        differences = means[ahead:]
        constants = (differences[1::2] - differences[::2]) / (2 * self._size)
        part.asymmetry = float(np.abs(constants - constants.T).max() / np.abs(constants).max())
        found = self._modes((constants + constants.T) / 2, means[0].reshape(-1, 3))
        part.modes = [
            Vibration(
                frequency_per_cm=float(energy) * normal_modes.PER_CM, reduced_mass=float(mass), displacements=shape
            )
            for energy, mass, shape in zip(
                found.energies, found.reduced_masses, found.displacements.tolist(), strict=True
            )
        ]
        part.rigid_per_cm = (found.rigid_energies * normal_modes.PER_CM).tolist()
        part.zero_point_energy_eV = float(found.energies[found.energies > 0].sum()) / 2
        if self._spacing is not None:
            part.mesh_positions = count
            self._add_errors(part, found, float(np.ptp(energies[:ahead])))

    def _modes(self, constants: np.ndarray, forces: np.ndarray) -> normal_modes.NormalModes:
        masses = self._atoms.get_masses()[self._moving]
        rigid, turned = np.zeros((0, 3 * len(masses))), None
        if len(self._moving) == len(self._atoms) and not self._settings["held"]:
            places = self._atoms.positions
            rotations = self._settings["rotations"]
            rigid = normal_modes.rigid_motions(places, masses, rotations=rotations)
            turned = normal_modes.turned_forces(places, masses, forces, rotations=rotations)
        return normal_modes.modes(constants, masses, rigid, turned)

    def _add_errors(self, part: Vibrations, found: normal_modes.NormalModes, energy: float) -> None:
        """Add by how much the egg-box effect changes each frequency, at most about.

        `energy` (eV) is by how much the energy of all atoms varies between the points. Where it is a cosine with the
        period of the spacing, its curvature for one atom is at most 2 (pi / spacing)^2 times its share; an average over
        positions leaves shorter waves.
        """
        assert self._spacing is not None and part.modes is not None
        part.egg_box_energy = energy / HARTREE_IN_EV
        curvature = 2 * self._wave * (np.pi / self._spacing) ** 2 * energy / len(self._atoms)
        for mode, one in zip(part.modes, found.energies, strict=True):
            alone = normal_modes.energies(np.array([curvature / mode.reduced_mass]))[0]
            error = max(np.sqrt(one**2 + alone**2) - abs(one), abs(one) - np.sqrt(max(one**2 - alone**2, 0.0)))
            mode.egg_box_error_per_cm = float(error) * normal_modes.PER_CM


def _largest(forces: np.ndarray) -> float:
    """Return the largest force, Ha/bohr, of some in eV/Angstrom."""
    return float(np.linalg.norm(forces, axis=1).max()) / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
