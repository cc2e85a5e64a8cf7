"""Forces and pressure of a calculation against central differences of its free energy.

A force is compared at the atoms whose forces and places have the least symmetry. One atom moves against all others, so
that their mean position stays: the net force, a part of the egg-box effect, is taken off the forces. The pressure is
compared under a strain of the whole cell, with the cutoff scaled so that the plane waves stay the same, and with the
same number of points: forces and stress are derivatives at fixed plane waves. A mesh with free directions has no
pressure. Where its region is spheres, the points follow the atoms; what that changes is a part of the difference.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wavegrid.checks.ranks import Ranks
from wavegrid.errors import InputError
from wavegrid.job.job import Job
from wavegrid.units import HARTREE_PER_BOHR3_IN_GPA

STEP = 0.005  # bohr
STRAIN = 0.002  # of lengths
TOLERANCE = 1e-10  # Ha, of the energies; their differences are divided by 2 * STEP
# The largest differences that pass; 0.03 GPa are 1e-6 Ha/bohr^3. What is left of a right force is of third order: on
# coarse meshes up to some 1e-6 Ha/bohr, else less.
FORCE_LIMIT, PRESSURE_LIMIT = 1e-5, 0.03  # Ha/bohr, GPa
_AXES = "xyz"
_SAME = 1e-4  # Ha/bohr, of components of a force, and fractions of a cell vector


@dataclass(frozen=True)
class Comparison:
    """One number by the program's formula and by differences of the energy."""

    name: str
    analytic: float
    numeric: float
    unit: str
    limit: float

    @property
    def difference(self) -> float:
        """Analytic - numeric."""
        return self.analytic - self.numeric

    @property
    def passed(self) -> bool:
        """Whether they agree within the limit."""
        return abs(self.difference) <= self.limit

    def as_dict(self) -> dict[str, Any]:
        """Return all for JSON."""
        return asdict(self) | {"difference": self.difference, "passed": self.passed}


@dataclass(frozen=True)
class Comparisons:
    """All comparisons of a calculation."""

    each: list[Comparison]
    net_force: float  # that was taken off the forces, Ha/bohr

    @property
    def passed(self) -> bool:
        """Whether all agree within their limits."""
        return all(one.passed for one in self.each)

    def as_dict(self) -> dict[str, Any]:
        """Return all for JSON."""
        return {
            "passed": self.passed,
            "comparisons": [one.as_dict() for one in self.each],
            "net_force": self.net_force,
        }


def compare(ranks: Ranks, atoms: int) -> Comparisons:
    """Return the comparisons of `atoms` atoms, three directions each, and of the pressure.

    The last atom is left out: its force follows from the others.
    """
    job = ranks.job()
    independent = len(job.problem["atoms"]) - 1
    stress = ranks.has_stress()
    if not independent and not stress:
        raise InputError(
            f"{job.file}: --forces with one atom and free directions: there is neither a force nor a pressure; valid: "
            'at least two atoms, or boundary = "periodic"'
        )
    energies = {"energy_tolerance": min(TOLERANCE, job.problem["energy_tolerance"])}
    result = ranks.solve(job, "at the given positions", **energies, forces=True, stress=stress)
    assert result.forces is not None
    forces = np.array(result.forces.total)
    found = _forces(ranks, job, forces, min(atoms, independent))
    if result.stress is not None:
        analytic = result.stress.pressure * HARTREE_PER_BOHR3_IN_GPA
        numeric = _pressure(ranks, job, energies) * HARTREE_PER_BOHR3_IN_GPA
        found.append(Comparison("pressure", analytic, numeric, "GPa", PRESSURE_LIMIT))
    return Comparisons(found, float(np.linalg.norm(result.forces.net)))


def least_symmetric(job: Job, forces: np.ndarray, count: int) -> list[int]:
    """Return the atoms with the least symmetry, at most `count`; atoms that are alike come last.

    Components of a force, and of a place as fractions of the cell, that are neither 0 nor equal to another exclude
    rotations and reflections: the atom with most of them comes first, of several that with the largest force.
    """

    def kind(atom: int) -> tuple[int, int, str]:
        species, *place = job.problem["atoms"][atom]
        different = _different(forces[atom]) + _different(np.array(place) - np.floor(place))
        return -different, -round(float(np.linalg.norm(forces[atom])) / _SAME), job.problem["species"][species]

    order = sorted(range(len(forces)), key=lambda atom: (*kind(atom), atom))
    first = {kind(atom): atom for atom in reversed(order)}
    chosen = [*first.values()][::-1]
    chosen += [atom for atom in order if atom not in chosen]
    return chosen[:count]


def _different(vector: np.ndarray) -> int:
    """Return how many absolute values of a vector's components differ from 0 and from each other."""
    return len({value for value in (round(abs(float(x)) / _SAME) for x in vector) if value})


def _forces(ranks: Ranks, job: Job, forces: np.ndarray, count: int) -> list[Comparison]:
    places = np.array([atom[1:] for atom in job.problem["atoms"]], dtype=float)
    to_fractions = np.linalg.inv(np.array(job.problem["cell"]))
    species, found = job.problem["species"], []
    for atom in least_symmetric(job, forces, count):
        element = species[job.problem["atoms"][atom][0]]
        share = np.full(len(places), -1 / len(places))
        share[atom] += 1  # of the step, of each atom
        for axis, name in enumerate(_AXES):
            energies = []
            for sign in (1, -1):
                moved = places + np.outer(share, sign * STEP * to_fractions[axis])
                at = f"with atom {atom + 1} moved by {sign * STEP} bohr along {name}"
                energies.append(ranks.move(moved.tolist(), at).energy.free)
            numeric = -(energies[0] - energies[1]) / (2 * STEP)
            label = f"force on {element} {atom + 1}, {name}"
            found.append(Comparison(label, float(forces[atom, axis]), numeric, "Ha/bohr", FORCE_LIMIT))
    return found


def _pressure(ranks: Ranks, job: Job, energies: dict[str, float]) -> float:
    """Return -dF/dV (Ha/bohr^3) at fixed plane waves, or with the same number of points of a mesh."""
    cell = np.array(job.problem["cell"])
    free, volumes = [], []
    for sign in (1, -1):
        scale = 1 + sign * STRAIN
        volumes.append(abs(np.linalg.det(cell * scale)))
        # Fractionally more, so that no plane wave on the edge is lost to rounding.
        changes = {"cell": (cell * scale).tolist()}
        for key in ("ecut", "density_ecut"):
            if (cutoff := job.problem[key]) is not None:
                changes[key] = cutoff / scale**2 * (1 + 1e-12)
        result = ranks.solve(job, f"with the cell scaled by {scale}", **energies, **changes)
        free.append(result.energy.free)
    return float(-(free[0] - free[1]) / (volumes[0] - volumes[1]))
