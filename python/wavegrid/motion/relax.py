"""Relaxation of atoms and cell by ASE's optimisers, until forces and stress are below their tolerances."""

import warnings
from typing import Any

import numpy as np
from ase import Atoms, units
from ase.filters import FrechetCellFilter
from ase.optimize import BFGS, FIRE
from ase.optimize.optimize import Optimizer
from ase.optimize.precon import PreconLBFGS

from wavegrid.crystal.degrees_of_freedom import constraints
from wavegrid.crystal.fixed_coordinates import FixedCoordinates
from wavegrid.model import motion as model
from wavegrid.model.motion import RelaxedGeometry
from wavegrid.model.problem import CellAndAtoms
from wavegrid.model.tasks import Task
from wavegrid.motion.geometries import Solved
from wavegrid.results.derivatives import force_error
from wavegrid.units import (
    BOHR_IN_ANGSTROM,
    HARTREE_IN_EV,
    HARTREE_PER_BOHR3_IN_GPA,
    HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
)

_PULAY_STEP = 0.05  # of the cutoff
_SEED = 1  # of random displacements


class Relaxation:
    """The geometries of a relaxation, one after the other, and what result.json says of them."""

    columns = [
        ("geometry", 8),
        ("free energy (Ha)", 16),
        ("change (Ha)", 11),
        ("max. force (eV/A)", 17),
        ("error", 5),
        ("SCF steps", 9),
        ("seconds", 8),
    ]
    _of_cell = [("volume (A^3)", 12), ("stress off (GPa)", 16)]

    def __init__(self, settings: Task, atoms: Atoms, fixed: FixedCoordinates | None = None, *, fresh: bool) -> None:
        """Relax `atoms`, which keep what is `fixed`.

        `fresh`: this is the first run of the relaxation, not one that continues a trajectory.
        """
        self._settings, self._atoms = settings, atoms
        self._cell_moves = settings["cell"] != "fixed"
        if self._cell_moves:
            self.columns = self.columns[:5] + self._of_cell + self.columns[5:]
        atoms.set_constraint(constraints(fixed))
        if fresh and settings["displace"] is not None:
            _displace(atoms, settings["displace"] * BOHR_IN_ANGSTROM)
        self.geometries: list[RelaxedGeometry] = []
        self._converged = False
        self._checks: dict[str, float] = {}

    def run(self) -> None:
        """Relax; ends when it is converged or at the largest number of geometries."""
        optimizer: Any = self._optimizer()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ASE's, of what it will change
            optimizer.smax = 0.0  # of the preconditioned L-BFGS; our own criterion ends the loop
            for _ in optimizer.irun(fmax=0.0, steps=self._settings["max_steps"]):
                if self.finish() or len(self.geometries) >= self._settings["max_steps"]:
                    break

    def report(self, solved: Solved) -> list[str]:
        """Take a geometry into account; return the cells of its line."""
        results, atoms = solved.results, self._atoms
        energy = results["free_energy"] / HARTREE_IN_EV
        before = self.geometries[-1].free_energy if self.geometries else energy
        steps = solved.result.scf_steps if solved.result else 0
        force = _largest_force(atoms, results["forces"])
        entry = RelaxedGeometry(
            free_energy=energy,
            largest_force=force / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
            scf_steps=steps,
            seconds=solved.seconds,
        )
        cells = [str(len(self.geometries) + 1), f"{energy:.9f}", f"{energy - before:.2e}", f"{force:.5f}", ""]
        if solved.result and (error := force_error(solved.result, len(atoms))) is not None:
            entry.force_error = error
            cells[-1] = f"{error * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM:.0e}"
        if self._cell_moves:
            volume, stress = solved.atoms.get_volume(), self._stress_off(results["stress"])
            entry.volume, entry.stress_deviation_GPa = volume / BOHR_IN_ANGSTROM**3, stress
            cells += [f"{volume:.4f}", f"{stress:.4f}"]
        self.geometries.append(entry)
        return [*cells, str(steps) if steps else "from file", f"{solved.seconds:.2f}"]

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last geometry."""
        return {"step": len(self.geometries)}

    def finish(self) -> bool:
        """Return, and remember, whether the last geometry's forces and stress are below the tolerances."""
        last, settings = self.geometries[-1], self._settings
        of_atoms = last.largest_force <= settings["force_tolerance"]
        of_cell = last.stress_deviation_GPa is None or last.stress_deviation_GPa <= settings["stress_tolerance"]
        self._converged = of_atoms and of_cell
        return self._converged

    def check(self, crystal: CellAndAtoms, solve: Any) -> None:
        """In a cell that moved: compare the energy with that of a new calculation, and estimate the Pulay stress.

        The stress is that of a fixed set of plane waves. At a fixed cutoff E their number grows with the volume V, so
        that the pressure is higher by -(2 E / 3 V) dF/dE (P. Gomes Dacosta, O. H. Nielsen, K. Kunc, J. Phys. C 19,
        3163 (1986), 10.1088/0022-3719/19/17/012). `crystal` is the last geometry.
        `solve(crystal, factor)` returns the energy at a multiple of the cutoff, None on a mesh in real space, which has
        no estimate.
        """
        if not (self._converged and self._cell_moves):
            return
        energy = self.geometries[-1].free_energy
        new = solve(crystal, 1.0)
        self._checks = {"energy_of_new_run": new, "difference_from_new_run": energy - new}
        if (higher := solve(crystal, 1.0 + _PULAY_STEP)) is None:
            return
        volume = self._atoms.get_volume() / BOHR_IN_ANGSTROM**3
        pressure = -2 / (3 * volume) * (higher - new) / np.log(1.0 + _PULAY_STEP)
        self._checks["pulay_pressure_GPa"] = float(pressure * HARTREE_PER_BOHR3_IN_GPA)

    def part(self) -> model.Relaxation:
        """Return the part of result.json."""
        return model.Relaxation(
            converged=self._converged,
            optimizer=self._settings["optimizer"],
            geometries=self.geometries,
            change_from_start=self._enthalpy(-1) - self._enthalpy(0) if self.geometries else None,
            **self._checks,
        )

    def _enthalpy(self, index: int) -> float:
        """Return what a geometry minimises, Ha: the free energy, and in a cell that changes that of the pressure."""
        geometry = self.geometries[index]
        pressure = self._settings["pressure"] / HARTREE_PER_BOHR3_IN_GPA if self._cell_moves else 0.0
        return geometry.free_energy + pressure * (geometry.volume or 0.0)

    def _optimizer(self) -> Optimizer:
        settings = self._settings
        options: dict[str, Any] = {"maxstep": settings["largest_step"] * BOHR_IN_ANGSTROM, "logfile": None}
        system: Any = self._filtered() if self._cell_moves else self._atoms
        if settings["optimizer"] == "lbfgs":
            return PreconLBFGS(system, precon="Exp" if len(self._atoms) > 1 else None, use_armijo=True, **options)
        return {"bfgs": BFGS, "fire": FIRE}[settings["optimizer"]](system, **options)

    def _filtered(self) -> FrechetCellFilter:
        settings = self._settings
        return FrechetCellFilter(
            self._atoms,
            mask=[float(free) for free in settings["strain"] or [True] * 6],
            hydrostatic_strain=settings["cell"] == "isotropic",
            constant_volume=settings["cell"] == "fixed-volume",
            scalar_pressure=settings["pressure"] * units.GPa,
        )

    def _stress_off(self, stress: np.ndarray) -> float:
        """Return by how much the free part of the stress differs from the pressure, GPa."""
        off = np.array(stress) / units.GPa
        off[:3] += self._settings["pressure"]
        if self._settings["cell"] == "isotropic":
            return float(abs(off[:3].mean()))
        if self._settings["cell"] == "fixed-volume":
            off[:3] -= off[:3].mean()
        return float(np.abs(off[np.array(self._settings["strain"] or [True] * 6)]).max())


def _largest_force(atoms: Atoms, forces: np.ndarray) -> float:
    """Return the largest force (eV/Angstrom) on an atom that may move."""
    free = np.array(forces)
    for constraint in atoms.constraints:
        constraint.adjust_forces(atoms, free)
    return float(np.linalg.norm(free, axis=1).max())


def _displace(atoms: Atoms, width: float) -> None:
    """Displace the atoms that may move by random numbers of this standard deviation, Angstrom."""
    noise = np.random.default_rng(_SEED).normal(scale=width, size=(len(atoms), 3))
    atoms.set_positions(atoms.positions + noise)
