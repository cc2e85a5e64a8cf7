"""The displaced supercells of phonons, by phonopy: it chooses the displacements and makes frequencies of the forces.

A. Togo, L. Chaput, T. Tadano, I. Tanaka, J. Phys. Condens. Matter 35, 353001 (2023), 10.1088/1361-648X/acd831.
"""

import warnings
from typing import Any

import numpy as np
from ase import Atoms, units
from phonopy import Phonopy
from phonopy.structure.atoms import PhonopyAtoms

from wavegrid.model.core_result import CoreResult
from wavegrid.model.series import PhononBands, PhononDos, Phonons, PhononThermal
from wavegrid.model.tasks import Task
from wavegrid.motion.geometries import Solved
from wavegrid.motion.series import SCF_COLUMNS, Solve, scf_cells
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

_AT_GAMMA = 1e-8  # of the reciprocal vectors
_MESH = 100.0  # Angstrom: phonopy's measure of a mesh of q
_TEMPERATURES = 101
_PER_MOLE = units.mol / units.kJ  # eV in kJ/mol


class Phonon:
    """The supercell as it is, then the displacements that its symmetry needs, and what result.json says of them."""

    columns = [("geometry", 8), ("atom", 5), ("displaced (A)", 26), ("max. force (eV/A)", 17), *SCF_COLUMNS]

    def __init__(self, settings: Task, supercell: Atoms, moments: list[float] | None) -> None:
        """Displace atoms of `supercell`, `settings["repeats"]` copies of a cell, each with all its atoms in turn.

        `moments`: initial magnetic moments of the supercell's atoms, which the displacements' symmetry keeps.
        """
        self._settings, self._atoms = settings, supercell
        repeats = np.array(settings["repeats"])
        count = len(supercell) // int(repeats.prod())
        cell = PhonopyAtoms(
            symbols=supercell.get_chemical_symbols()[:count],
            cell=supercell.cell.array / repeats[:, None],
            scaled_positions=supercell.get_scaled_positions(wrap=False)[:count] * repeats,
            magnetic_moments=moments[:count] if moments and any(moments) else None,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # phonopy's, of supercells with another symmetry than the cell
            self._phonopy: Any = Phonopy(cell, np.diag(repeats), primitive_matrix=np.eye(3))
        self._phonopy.generate_displacements(distance=settings["displacement"] * BOHR_IN_ANGSTROM)
        self._displacements = [(int(one[0]), np.array(one[1:], dtype=float)) for one in self._phonopy.displacements]
        self._ours = _matching(self._phonopy.supercell, supercell)
        self._forces: list[np.ndarray] = []

    def run(self, solve: Solve) -> None:
        """Solve the supercell and each displaced one."""
        solve(self._atoms)
        for index, shift in self._displacements:
            moved = self._atoms.copy()
            moved.positions[self._ours[index]] += shift
            solve(moved)

    def report(self, solved: Solved) -> list[str]:
        """Take a geometry into account; return the cells of its line."""
        forces = np.array(solved.results["forces"])
        self._forces.append(forces)
        number = len(self._forces)
        atom, shift = "-", "-"
        if number > 1:
            index, vector = self._displacements[number - 2]
            atom, shift = str(self._ours[index] + 1), " ".join(f"{x:8.4f}" for x in vector)
        return [str(number), atom, shift, f"{np.linalg.norm(forces, axis=1).max():.5f}", *scf_cells(solved)]

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last geometry."""
        return {"step": len(self._forces)}

    def remaining(self) -> int:
        """Return the number of geometries that are left."""
        return 1 + len(self._displacements) - len(self._forces)

    def add_to(self, result: CoreResult) -> None:
        """Add the part of result.json, and phonopy's file."""
        part = result.phonons = Phonons(displacements=len(self._displacements))
        if self._forces:
            largest = float(np.linalg.norm(self._forces[0], axis=1).max())
            part.residual_force = largest / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
        if self.remaining() > 0:
            return
        phonopy = self._phonopy
        phonopy.forces = [(forces - self._forces[0])[self._ours] for forces in self._forces[1:]]
        phonopy.produce_force_constants()
        phonopy.symmetrize_force_constants()
        if (nac := self._settings["nac"]) is not None:
            # phonopy has [field][force] of each atom.
            charges = np.array(nac["charges"]).transpose(0, 2, 1)
            factor = units.Hartree * units.Bohr
            phonopy.nac_params = {"born": charges, "dielectric": np.array(nac["dielectric"]), "factor": factor}
        part.bands, part.dos, part.thermal = self._bands(), *self._mesh()
        part.lowest_frequency_THz = float(min(map(min, part.bands.frequencies_THz)))
        result.phonopy = str(phonopy.to_phonopy_yaml(settings={"force_constants": True}))

    def _bands(self) -> PhononBands:
        path, points = self._settings["path"], self._settings["q_points"]
        assert path is not None
        return PhononBands(
            q_points=points,
            x=path["x"],
            labels=path["labels"],
            label_x=path["label_x"],
            frequencies_THz=self._frequencies(points).tolist(),
        )

    def _frequencies(self, points: list[list[float]]) -> np.ndarray:
        self._phonopy.run_qpoints(points)
        found: np.ndarray = np.array(self._phonopy.qpoints.frequencies)
        if self._settings["nac"] is not None:
            for index, direction in _directions_at_gamma(np.array(points)):
                self._phonopy.run_qpoints([points[index]], nac_q_direction=direction)
                found[index] = self._phonopy.qpoints.frequencies[0]
        return found

    def _mesh(self) -> tuple[PhononDos, PhononThermal]:
        self._phonopy.run_mesh(self._settings["q_mesh"] or _MESH)
        self._phonopy.run_total_dos()
        dos = self._phonopy.get_total_dos_dict()
        highest = self._settings["max_temperature"]
        self._phonopy.run_thermal_properties(temperatures=np.linspace(0, highest, _TEMPERATURES))
        thermal = self._phonopy.get_thermal_properties_dict()
        free_energy = (thermal["free_energy"] / _PER_MOLE).tolist()
        return (
            PhononDos(frequencies_THz=dos["frequency_points"].tolist(), density=dos["total_dos"].tolist()),
            PhononThermal(
                temperatures=thermal["temperatures"].tolist(),
                free_energy_eV=free_energy,
                entropy_eV_per_K=(thermal["entropy"] / _PER_MOLE / 1000).tolist(),
                heat_capacity_eV_per_K=(thermal["heat_capacity"] / _PER_MOLE / 1000).tolist(),
                zero_point_energy_eV=free_energy[0],
            ),
        )


def _directions_at_gamma(points: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Return the points of a path at Gamma, with the direction in which the path comes there or leaves."""
    found = []
    for index, point in enumerate(points):
        if np.abs(point).max() > _AT_GAMMA:
            continue
        near = [points[i] - point for i in (index + 1, index - 1) if 0 <= i < len(points)]
        # At a corner Gamma stands twice, or the path goes on: the shorter way is that along a line.
        near = sorted((one for one in near if np.abs(one).max() > _AT_GAMMA), key=np.linalg.norm)
        if near:
            found.append((index, near[0]))
    return found


def _matching(theirs: Any, ours: Atoms) -> list[int]:
    """Return for each atom of phonopy's supercell that of ours in the same place."""
    places = ours.get_scaled_positions(wrap=False)
    found = []
    for place in theirs.scaled_positions:
        apart = places - place
        found.append(int(np.abs(apart - np.round(apart)).max(axis=1).argmin()))
    assert sorted(found) == list(range(len(ours)))
    return found
