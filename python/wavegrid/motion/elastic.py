"""The strained cells of elastic constants, with the atoms relaxed in each of them."""

import warnings
from typing import Any

import numpy as np
from ase import Atoms
from ase.optimize import BFGS
from ase.units import GPa

from wavegrid.model.core_result import CoreResult
from wavegrid.model.series import ElasticConstants, StrainedCell
from wavegrid.model.tasks import Task
from wavegrid.motion.geometries import Solved
from wavegrid.motion.series import SCF_COLUMNS, Solve, scf_cells
from wavegrid.results import elasticity
from wavegrid.results.calculator import RankCalculator
from wavegrid.units import HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

_NAMES = ("xx", "yy", "zz", "yz", "xz", "xy")


class Elastic:
    """The cell as it is, then each strain that the symmetry needs with both signs, and what result.json says of them.

    Constants are central differences of the stress: those of the atoms in their places come from the first geometry of
    each strain, those of relaxed atoms from the last.
    """

    columns = [
        ("strain", 6),
        ("size", 8),
        ("geometry", 8),
        ("max. force (eV/A)", 17),
        ("max. stress (GPa)", 17),
        *SCF_COLUMNS,
    ]

    def __init__(self, settings: Task, atoms: Atoms, rotations: list[np.ndarray]) -> None:
        """Strain `atoms`, whose crystal these Cartesian rotations (3, 3) leave as it is."""
        self._settings, self._atoms = settings, atoms
        self._basis = elasticity.symmetric_constants(rotations)
        self._components = elasticity.strains_needed(self._basis)
        size = settings["strain_size"]
        self._strains = [(component, sign * size) for component in self._components for sign in (1, -1)]
        self._cells: list[StrainedCell] = []  # the first without strain
        self._count = 0

    def run(self, solve: Solve) -> None:
        """Solve the cell and each strained one."""
        reference = self._relaxed(solve, self._atoms, StrainedCell(component="", strain=0.0))
        for component, size in self._strains:
            strained = reference.copy()
            voigt = np.zeros(6)
            voigt[component] = size
            strained.set_cell(reference.cell.array @ (np.eye(3) + elasticity.strain_tensor(voigt)), scale_atoms=True)
            self._relaxed(solve, strained, StrainedCell(component=_NAMES[component], strain=size))

    def _relaxed(self, solve: Solve, start: Atoms, cell: StrainedCell) -> Atoms:
        """Solve a cell until no force is above the tolerance; return it."""
        self._cells.append(cell)
        atoms = start.copy()
        atoms.calc = RankCalculator(solve)
        steps = self._settings["relax_steps"] if self._settings["relax_atoms"] else 0
        tolerance = self._settings["force_tolerance"] * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ASE's, of what it will change
            optimizer: Any = BFGS(atoms, logfile=None, maxstep=0.1)
            cell.relaxed = bool(optimizer.run(fmax=tolerance, steps=steps))
        atoms.calc = None
        return atoms

    def report(self, solved: Solved) -> list[str]:
        """Take a geometry into account; return the cells of its line."""
        self._count += 1
        cell = self._cells[-1]
        stress = (solved.results["stress"] / GPa).tolist()
        force = float(np.linalg.norm(solved.results["forces"], axis=1).max())
        if cell.clamped_stress_GPa is None:
            cell.clamped_stress_GPa = stress
        cell.geometries += 1
        cell.stress_GPa = stress
        cell.largest_force = force / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
        name = cell.component or "none"
        numbers = [f"{cell.strain:+.4f}", str(cell.geometries), f"{force:.5f}", f"{max(map(abs, stress)):.4f}"]
        return [name, *numbers, *scf_cells(solved)]

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last geometry."""
        cell = self._cells[-1]
        return {"step": self._count, "strain": f"{cell.component or 'none'}:{cell.strain:+g}"}

    def remaining(self) -> int:
        """Return about how many geometries are left: as many for each strain as for those so far."""
        left = 1 + len(self._strains) - len(self._cells)
        return round(left * self._count / max(1, len(self._cells)))

    def add_to(self, result: CoreResult) -> None:
        """Add the part of result.json."""
        part = result.elastic = ElasticConstants(independent=len(self._basis), cells=self._cells)
        if len(self._cells) <= len(self._strains) or self._cells[-1].stress_GPa is None:
            return
        clamped, relaxed = (self._fitted(name) for name in ("clamped_stress_GPa", "stress_GPa"))
        part.constants_GPa, part.clamped_constants_GPa = relaxed.constants.tolist(), clamped.constants.tolist()
        part.scatter_GPa = relaxed.scatter
        eigenvalues = elasticity.stability(relaxed.constants)
        part.eigenvalues_GPa, part.stable = eigenvalues.tolist(), bool(eigenvalues[0] > 0)
        if part.stable:
            found = elasticity.averages(relaxed.constants)
            part.bulk_modulus_GPa, part.shear_modulus_GPa = list(found.bulk), list(found.shear)
            part.young_modulus_GPa, part.poisson_ratio = found.young, found.poisson

    def _fitted(self, name: str) -> elasticity.Fit:
        """Return the constants by these stresses of the cells, which follow each other with both signs."""
        stresses = np.array([getattr(cell, name) for cell in self._cells[1:]])
        slopes = (stresses[::2] - stresses[1::2]) / (2 * self._settings["strain_size"])
        return elasticity.fit(self._basis, self._components, slopes)
