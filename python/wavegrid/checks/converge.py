"""Series of calculations with a finer and finer setting, until the energy does not change any more."""

import copy
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from wavegrid.checks.ranks import NotConverged, Ranks
from wavegrid.discretisation import choose
from wavegrid.discretisation.base import Setting
from wavegrid.errors import EnvironmentFault, InputError, WavegridError, did_you_mean
from wavegrid.input.basis.base import Series
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.document import validated
from wavegrid.units import (
    HARTREE_IN_EV,
    HARTREE_PER_BOHR3_IN_GPA,
    HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
)

KPOINTS = Setting("kpoints", "a larger mesh", "k-points of the mesh")
CHOICES = sorted(setting.name for setting in (*choose.SETTINGS, KPOINTS))
_MESHES = [0.5, 0.75, 1, 4 / 3, 5 / 3, 2, 2.5, 3]  # times the numbers of points of the input
_TOLERANCE = 1e-8  # Ha per atom, of each calculation, at most: below all that a series shows


@dataclass(frozen=True)
class Run:
    """One calculation of a series, in the units of its table; changes are relative to the run before."""

    setting: str  # as the input file has it
    size: float  # of the setting, for plots: Ha, points of the mesh of k-points, or bohr
    energy: float  # free energy, eV per atom
    largest_force: float  # eV/Angstrom
    pressure: float | None  # GPa; none with free directions or in an external potential
    energy_change: float | None = None  # meV per atom
    force_change: float | None = None  # largest of any atom, eV/Angstrom
    pressure_change: float | None = None  # GPa

    def as_dict(self) -> dict[str, Any]:
        """Return all for JSON."""
        return asdict(self)


def check_choice(what: str) -> None:
    """Raise InputError for a series that there is none of."""
    if what not in CHOICES:
        raise InputError(
            f"--converge {what}: unknown setting; valid: {', '.join(CHOICES)}{did_you_mean(what, CHOICES)}"
        )


def setting_of(ranks: Ranks, what: str) -> Setting:
    """Return the setting of a series; raises InputError for one that the discretisation of the input does not have."""
    if what == KPOINTS.name:
        return KPOINTS
    discretisation = choose.from_problem(ranks.job().problem)
    own = discretisation.setting
    if what != own.name:
        raise InputError(
            f'{ranks.document.path}: --converge {what} with [basis] method = "{discretisation.method}"; '
            f"valid: --converge {own.name}"
        )
    return own


@dataclass(frozen=True)
class Ended:
    """The runs of a series, and why it ended early: the error of the next run."""

    runs: list[Run]
    fault: WavegridError | None = None


def runs(ranks: Ranks, what: str, tolerance: float, report: Callable[[Run], None]) -> Ended:
    """Return the runs of a series, which ends where two changes in a row are below `tolerance` (meV per atom).

    It ends early, too, where a calculation is refused or does not converge. The coarsest ones may be too coarse for
    that: raises WavegridError where no run comes before.
    """
    found: list[Run] = []
    forces: np.ndarray | None = None
    stress = ranks.has_stress()
    for number, (setting, size, data) in enumerate(_series(ranks, what)):
        try:
            job = ranks.job(data)
            atoms = len(job.problem["atoms"])
            exact = {"energy_tolerance": min(_TOLERANCE * atoms, job.problem["energy_tolerance"])}
            result = ranks.solve_next(job, f"with {setting}", **exact, forces=True, stress=stress)
        except (NotConverged, InputError, EnvironmentFault) as fault:
            if found:
                return Ended(found, fault)
            if number > 0:
                raise
            continue
        assert result.forces is not None
        before, forces_before = found[-1] if found else None, forces
        forces = np.array(result.forces.total) * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
        run = Run(
            setting,
            size,
            energy=result.energy.free * HARTREE_IN_EV / atoms,
            largest_force=float(np.linalg.norm(forces, axis=1).max()),
            pressure=result.stress.pressure * HARTREE_PER_BOHR3_IN_GPA if result.stress else None,
        )
        found.append(run if before is None or forces_before is None else _changed(run, before, forces - forces_before))
        report(found[-1])
        if converged(found, tolerance):
            break
    return Ended(found)


def converged(series: list[Run], tolerance: float) -> bool:
    """Return whether the last two changes of the energy are below the tolerance, meV per atom."""
    changes = [run.energy_change for run in series[-2:]]
    return len(series) > 2 and all(change is not None and abs(change) < tolerance for change in changes)


def recommended(series: list[Run], tolerance: float) -> Run | None:
    """Return the first run from which on all energies are within the tolerance of the last; None if not converged."""
    if not converged(series, tolerance):
        return None
    last, chosen = series[-1], series[-1]
    for run in reversed(series):
        if abs(run.energy - last.energy) * 1e3 >= tolerance:
            break
        chosen = run
    return chosen


def _changed(run: Run, before: Run, force_changes: np.ndarray) -> Run:
    changes = {
        "energy_change": (run.energy - before.energy) * 1e3,
        "force_change": float(np.linalg.norm(force_changes, axis=1).max()),
    }
    if run.pressure is not None and before.pressure is not None:
        changes["pressure_change"] = run.pressure - before.pressure
    return Run(**(asdict(run) | changes))


def _series(ranks: Ranks, what: str) -> Series:
    """Yield text, size and values of the input with other settings."""
    if what == KPOINTS.name:
        return _meshes(ranks)
    return from_basis(validated(ranks.document).basis).series(ranks.document.data)


def _meshes(ranks: Ranks) -> Series:
    """Yield text, number of points and values of the input with other meshes of k-points."""
    for mesh in meshes(*_mesh_of(ranks)):
        data = copy.deepcopy(ranks.document.data)
        kpoints = data["electrons"].setdefault("kpoints", {})
        kpoints.pop("spacing", None)
        kpoints["mesh"] = mesh
        yield f"mesh = {mesh}", float(np.prod(mesh)), data


def _mesh_of(ranks: Ranks) -> tuple[list[int], list[bool]]:
    """Return the mesh of the input, and whether each direction is periodic."""
    problem = ranks.job().problem
    periodic = choose.from_problem(problem).periodic(problem)
    if not any(periodic):
        raise InputError(
            f"{ranks.document.path}: --converge kpoints without a periodic direction: Gamma is the only k-point; "
            "valid: --converge spacing"
        )
    kpoints = problem["kpoints"] or {"mesh": [1, 1, 1]}
    if "list" in kpoints:
        message = "a list of k-points; valid for --converge kpoints: a mesh or a spacing"
        raise ranks.document.error(("electrons", "kpoints", "list"), message)
    return list(kpoints["mesh"]), periodic


def meshes(mesh: list[int], periodic: list[bool]) -> list[list[int]]:
    """Return the meshes of a series around one.

    A direction with one point keeps it, unless all have one: then those that are `periodic` get more.
    """
    if max(mesh) == 1:
        return [[count if repeats else 1 for repeats in periodic] for count in range(1, 7)]
    scaled = [[max(1, round(factor * n)) if n > 1 else 1 for n in mesh] for factor in _MESHES]
    return [scaled[0]] + [after for before, after in pairwise(scaled) if after != before]
