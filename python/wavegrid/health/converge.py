"""Series of calculations with a finer and finer setting, until the energy does not change any more."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from wavegrid.errors import InputError, did_you_mean
from wavegrid.health.ranks import NotConverged, Ranks
from wavegrid.input.document import validated
from wavegrid.input.fields import toml
from wavegrid.units import (
    HARTREE_IN_EV,
    HARTREE_PER_BOHR3_IN_GPA,
    HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
)

CHOICES = ("ecut", "kpoints", "spacing")
_CUTOFFS = [1.25**power for power in range(-3, 6)]  # times that of the input
_SPACINGS = [1.25**power for power in range(1, -6, -1)]  # times that of the input
_MESHES = [0.5, 0.75, 1, 4 / 3, 5 / 3, 2, 2.5, 3]  # times the numbers of points of the input
_TOLERANCE = 1e-8  # Ha per atom, of each calculation, at most: below all that a series shows


@dataclass(frozen=True)
class Run:
    """One calculation of a series, in the units of its table; changes are relative to the run before."""

    setting: str  # as the input file has it
    size: float  # of the setting, for plots: Ha, points of the mesh of k-points, or bohr
    energy: float  # free energy, eV per atom
    largest_force: float  # eV/Angstrom
    pressure: float | None  # GPa; none in real space
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


def check_basis(ranks: Ranks, what: str) -> None:
    """Raise InputError for a series of the other basis."""
    mesh = on_mesh(ranks)
    if (what == "spacing" and not mesh) or (what == "ecut" and mesh):
        valid = "--converge spacing" if mesh else "--converge ecut"
        method = "realspace" if mesh else "planewaves"
        raise InputError(f'{ranks.document.path}: --converge {what} with [basis] method = "{method}"; valid: {valid}')


def on_mesh(ranks: Ranks) -> bool:
    """Return whether the input is one of a mesh in real space."""
    return bool(ranks.job().problem.get("realspace"))


def runs(ranks: Ranks, what: str, tolerance: float, report: Callable[[Run], None]) -> list[Run]:
    """Return the runs of a series, which ends where two changes in a row are below `tolerance` (meV per atom)."""
    found: list[Run] = []
    forces: np.ndarray | None = None
    series = {"ecut": _cutoffs, "kpoints": _meshes, "spacing": _spacings}[what]
    stress = not on_mesh(ranks)
    for number, (setting, size, data) in enumerate(series(ranks)):
        try:
            job = ranks.job(data)
            atoms = len(job.problem["atoms"])
            exact = {"energy_tolerance": min(_TOLERANCE * atoms, job.problem["energy_tolerance"])}
            result = ranks.solve(job, f"with {setting}", **exact, forces=True, stress=stress)
        except (NotConverged, InputError):
            if number > 0:
                raise
            continue  # the coarsest one may be too coarse for that
        before, forces_before = found[-1] if found else None, forces
        forces = np.array(result["forces"]["total"]) * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
        run = Run(
            setting,
            size,
            energy=result["energy"]["free"] * HARTREE_IN_EV / atoms,
            largest_force=float(np.linalg.norm(forces, axis=1).max()),
            pressure=result["stress"]["pressure"] * HARTREE_PER_BOHR3_IN_GPA if stress else None,
        )
        found.append(run if before is None or forces_before is None else _changed(run, before, forces - forces_before))
        report(found[-1])
        if converged(found, tolerance):
            break
    return found


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


def _cutoffs(ranks: Ranks) -> Iterator[tuple[str, float, dict[str, Any]]]:
    """Yield text, Ha and values of the input with other cutoffs, and with the grid that each of them needs."""
    ecut = ranks.job().problem["ecut"]
    for factor in _CUTOFFS:
        text = f"{ecut * factor:.4g} Ha" if factor != 1 else f"{ecut:.6g} Ha"
        data = copy.deepcopy(ranks.document.data)
        data["basis"]["ecut"] = text
        data["basis"].pop("grid", None)
        yield f'ecut = "{text}"', ecut * factor, data


def _spacings(ranks: Ranks) -> Iterator[tuple[str, float, dict[str, Any]]]:
    """Yield text, bohr and values of the input with other spacings of its mesh."""
    basis = validated(ranks.document).basis
    assert basis.spacing is not None
    for factor in _SPACINGS:
        each = [f"{spacing * factor:.4g} bohr" for spacing in basis.spacing]
        given = each[0] if len(set(each)) == 1 else each
        data = copy.deepcopy(ranks.document.data)
        data["basis"]["spacing"] = given
        yield f"spacing = {toml(given)}", basis.largest_spacing() * factor, data


def _meshes(ranks: Ranks) -> Iterator[tuple[str, float, dict[str, Any]]]:
    """Yield text, number of points and values of the input with other meshes of k-points."""
    for mesh in meshes(_mesh_of(ranks)):
        data = copy.deepcopy(ranks.document.data)
        kpoints = data["electrons"].setdefault("kpoints", {})
        kpoints.pop("spacing", None)
        kpoints["mesh"] = mesh
        yield f"mesh = {mesh}", float(np.prod(mesh)), data


def _mesh_of(ranks: Ranks) -> list[int]:
    kpoints = ranks.job().problem["kpoints"] or {"mesh": [1, 1, 1]}
    if "list" in kpoints:
        message = "a list of k-points; valid for --converge kpoints: a mesh or a spacing"
        raise ranks.document.error(("electrons", "kpoints", "list"), message)
    return list(kpoints["mesh"])


def meshes(mesh: list[int]) -> list[list[int]]:
    """Return the meshes of a series around one; a direction with one point keeps it, unless all have one."""
    if max(mesh) == 1:
        return [[count] * 3 for count in range(1, 7)]
    scaled = [[max(1, round(factor * n)) if n > 1 else 1 for n in mesh] for factor in _MESHES]
    return [scaled[0]] + [after for before, after in pairwise(scaled) if after != before]
