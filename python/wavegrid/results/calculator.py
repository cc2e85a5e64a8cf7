"""ASE's view of the ranks: a calculator, and the core's result as ASE has it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from ase import Atoms
from ase.calculators.abc import GetOutputsMixin
from ase.calculators.calculator import Calculator, all_changes
from ase.stress import full_3x3_to_voigt_6_stress

from wavegrid.job.job import Job
from wavegrid.model.core_result import CoreResult
from wavegrid.results import multipoles
from wavegrid.results.report import without_smearing
from wavegrid.units import (
    BOHR_IN_ANGSTROM,
    HARTREE_IN_EV,
    HARTREE_PER_BOHR3_IN_EV_PER_ANGSTROM3,
    HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
)


class RankCalculator(GetOutputsMixin, Calculator):
    """A calculator whose geometries ranks solve: `solve` returns the results, as `ase_results` does."""

    implemented_properties: list[str] = [
        "energy",
        "free_energy",
        "forces",
        "stress",
        "magmom",
        "magmoms",
        "charges",
        "dipole",
    ]
    discard_results_on_any_change = True
    default_parameters: dict[str, Any] = {}

    def __init__(self, solve: Callable[[Atoms], dict[str, Any]], **parameters: Any) -> None:
        super().__init__(**parameters)  # type: ignore[no-untyped-call]
        self._solve = solve

    def calculate(
        self,
        atoms: Atoms | None = None,
        properties: list[str] | None = None,
        system_changes: list[str] = all_changes,
    ) -> None:
        """Solve the atoms' geometry and fill `results`."""
        super().calculate(atoms, properties, system_changes)  # type: ignore[no-untyped-call]
        self.results = {}
        assert self.atoms is not None
        self.results = self._solve(self.atoms)

    def _outputmixin_get_results(self) -> dict[str, Any]:
        return self.results


def ase_results(job: Job, result: CoreResult) -> dict[str, Any]:
    """Return the core's result in ASE's units, under ASE's names."""
    assert result.forces is not None
    found: dict[str, Any] = {
        "energy": without_smearing(job, result.energy) * HARTREE_IN_EV,
        "free_energy": result.energy.free * HARTREE_IN_EV,
        "forces": np.array(result.forces.total) * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
    }
    if result.stress is not None:
        found["stress"] = (
            full_3x3_to_voigt_6_stress(np.array(result.stress.total)) * HARTREE_PER_BOHR3_IN_EV_PER_ANGSTROM3
        )
    if result.magnetisation is not None:
        found["magmom"] = result.magnetisation.total
    if (atomic := result.atomic_charges) is not None:
        found["charges"] = np.array(atomic.charges)
        if atomic.magnetic_moments is not None:
            found["magmoms"] = np.array(atomic.magnetic_moments)
        if atomic.magnetic_moment_vectors is not None:
            found["magmoms"] = np.array(atomic.magnetic_moment_vectors)
    if (moments := multipoles.about_centre_of_mass(job.problem, result)) is not None:
        found["dipole"] = np.array(moments.dipole) * BOHR_IN_ANGSTROM
    return found | _levels(result)


def _levels(result: CoreResult) -> dict[str, Any]:
    """Return eigenvalues (eV), occupations (electrons of a state), k-points, weights, the Fermi level if it is one."""
    kpoints = np.array(result.kpoints)
    found = {
        "ibz_kpoints": kpoints[:, :3],
        "kpoint_weights": kpoints[:, 3],
        "eigenvalues": np.array(result.eigenvalues) * HARTREE_IN_EV,
        "occupations": np.array(result.occupations) / kpoints[:, 3, None],
    }
    if isinstance(result.fermi_level, float):
        of_gap = None if result.smearing else _middle_of_gap(found["eigenvalues"], found["occupations"])
        found["fermi_level"] = result.fermi_level * HARTREE_IN_EV if of_gap is None else of_gap
    return found


def _middle_of_gap(levels: np.ndarray, occupations: np.ndarray) -> float | None:
    """Return the middle of the gap: ASE counts levels below the Fermi level, and ours of an insulator is the highest
    occupied one.
    """
    if not levels.size:  # large systems by purification have no levels
        return None
    occupied = occupations > occupations.max() / 2
    if occupied.all() or (top := levels[occupied].max()) >= (bottom := levels[~occupied].min()):
        return None
    return float(top + bottom) / 2
