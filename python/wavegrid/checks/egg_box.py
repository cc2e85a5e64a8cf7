"""The egg-box effect: how much energy and forces depend on where the atoms are between the points.

All atoms move together by fractions of a spacing. A region that is spheres follows them, so that what its points change
is a part of the effect; any other region stays. With plane waves the points are those of the FFT grid.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wavegrid.checks.ranks import Ranks
from wavegrid.discretisation import choose
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import field_grid

LIMIT = 1e-5  # Ha per atom
SHIFTS = ((0.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.19, 0.42, -0.33), (-0.37, 0.11, 0.27))  # spacings, by lattice vector
_TOLERANCE = 1e-9  # Ha per atom, of each calculation, at most


@dataclass(frozen=True)
class Position:
    """One position of the atoms."""

    shift: tuple[float, float, float]  # spacings along the lattice vectors
    points: int
    energy: float  # free energy, Ha per atom
    forces: np.ndarray  # (atoms, 3), Ha/bohr, without the net force
    net_force: np.ndarray  # (3), Ha/bohr, of all atoms

    def change_from(self, other: "Position") -> tuple[float, float]:
        """Return the change of the energy (Ha per atom) and the largest one of the force on an atom (Ha/bohr)."""
        forces = np.linalg.norm(self.forces - other.forces, axis=1)
        return self.energy - other.energy, float(forces.max())


@dataclass(frozen=True)
class EggBox:
    """What the positions differ by."""

    positions: list[Position]

    @property
    def energy_difference(self) -> float:
        """The largest difference of the energies, Ha per atom."""
        energies = [one.energy for one in self.positions]
        return max(energies) - min(energies)

    @property
    def force_difference(self) -> float:
        """The largest difference of the force on an atom, Ha/bohr."""
        return max(one.change_from(other)[1] for one, other in combinations(self.positions, 2))

    @property
    def passed(self) -> bool:
        """Whether the energies agree within the limit."""
        return self.energy_difference <= LIMIT

    def as_dict(self) -> dict[str, Any]:
        """Return all for JSON."""
        return {
            "passed": self.passed,
            "energy_difference": self.energy_difference,
            "limit": LIMIT,
            "force_difference": self.force_difference,
            "positions": [
                {
                    "shift": list(one.shift),
                    "points": one.points,
                    "energy": one.energy,
                    "forces": one.forces.tolist(),
                    "net_force": one.net_force.tolist(),
                }
                for one in self.positions
            ],
        }


def positions(ranks: Ranks, report: Callable[[Position, Position], None]) -> EggBox:
    """Return energies and forces at all positions; `report` gets each of them, and the first one, when it is done."""
    job = ranks.job()
    atoms = job.problem["atoms"]
    places = np.array([atom[1:] for atom in atoms], dtype=float)
    tolerance = min(_TOLERANCE * len(atoms), job.problem["energy_tolerance"])
    found: list[Position] = []
    for shift in SHIFTS:
        if found:
            moved = places + np.array(shift) / field_grid(job.problem)
            by = ", ".join(f"{fraction:g}" for fraction in shift)
            result = ranks.move(moved.tolist(), f"with all atoms moved by ({by}) spacings")
        else:
            result = ranks.solve(job, "at the given positions", energy_tolerance=tolerance, forces=True)
        found.append(_position(shift, result, len(atoms)))
        report(found[-1], found[0])
    return EggBox(found)


def _position(shift: tuple[float, float, float], result: CoreResult, atoms: int) -> Position:
    points, forces = choose.from_result(result).num_points(result), result.forces
    assert forces is not None
    energy = result.energy.free / atoms
    return Position(shift, points, energy, np.array(forces.total), np.array(forces.net))
