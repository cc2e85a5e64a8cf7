"""The geometries of a run, which all ranks solve, or which a trajectory knows."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from ase import Atoms

from wavegrid.errors import InputError
from wavegrid.job.job import Job
from wavegrid.launch.in_process_ranks import Leader
from wavegrid.launch.ranks import OnStep
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import CellAndAtoms, Grids, Problem
from wavegrid.results.calculator import ase_results
from wavegrid.units import BOHR_IN_ANGSTROM

CLOSEST = 0.5  # bohr, as in an input
_SAME = 2e-9  # Angstrom: the digits of a trajectory


@dataclass
class Solved:
    """A geometry with what was computed for it."""

    atoms: Atoms
    results: dict[str, Any]  # in ASE's units
    result: CoreResult | None  # the core's; None for a geometry from a trajectory
    seconds: float = 0.0


class Ended(Exception):
    """A signal or an unconverged density ended the run; `result` is the core's."""

    def __init__(self, result: CoreResult) -> None:
        super().__init__()
        self.result = result


class Geometries:
    """Energies, forces and stresses of one geometry after the other.

    Those of `known` are taken from there as long as the same geometries are asked for in the same order, so that an
    optimiser that begins as before comes to where it was. Each solved one is passed to `report`.

    Raises Ended, and InputError for a geometry that cannot be computed.
    """

    def __init__(
        self,
        core: Any,
        ranks: Leader,
        job: Job,
        *,
        known: list[Atoms],
        on_step: OnStep,
        report: Callable[[Solved], None],
        grids: Callable[[CellAndAtoms], Grids],
        groups: int = 1,
    ) -> None:
        """Solve on `ranks`; `grids` returns the grids for a crystal (cell, species, atoms) in another cell.

        `groups`: of ranks that solve geometries at the same time, where several are asked for together.
        """
        self._core, self._ranks, self._job = core, ranks, job
        self._known, self._on_step, self._report, self._grids = list(known), on_step, report, grids
        self._latest, self.groups = job.problem, groups
        self.last: Solved | None = None
        self.asked: Atoms | None = None  # the geometry that was asked for last

    def solve(self, atoms: Atoms) -> dict[str, Any]:
        """Return the results of a geometry in ASE's units: solve it, or find it among the known ones."""
        self.asked = atoms
        found = self._recalled(atoms)
        if found is None:
            found = self._solved(atoms)
        self.last = found
        self._report(found)
        return dict(found.results)

    def solve_together(self, many: list[Atoms], begin: Callable[[int], None]) -> list[dict[str, Any]]:
        """Return the results of several geometries; `begin` gets the number of each before it is reported."""
        found: list[dict[str, Any]] = []
        while len(found) < len(many) and (self.groups == 1 or self._known):
            begin(len(found))
            self.asked = many[len(found)]
            known = self._recalled(self.asked)
            if known is None and self.groups > 1:
                break
            self._take(known or self._solved(self.asked), found)
        rest = many[len(found) :]
        for atoms, solved in zip(rest, self._solved_together(rest), strict=True):
            begin(len(found))
            self.asked = atoms
            if isinstance(solved, CoreResult):
                raise Ended(solved)
            self._take(solved, found)
        return found

    def _take(self, solved: Solved, found: list[dict[str, Any]]) -> None:
        self.last = solved
        self._report(solved)
        found.append(dict(solved.results))

    def solve_again(self, atoms: Atoms) -> Solved:
        """Solve a geometry that only a trajectory knows, so that the session is at it; nothing is reported."""
        self.last = self._solved(atoms)
        return self.last

    def problem(self, crystal: CellAndAtoms, changes: dict[str, Any]) -> Problem:
        """Return the problem of a crystal with changes, which begins with superposed atoms."""
        return cast(Problem, self._job.problem | crystal | {"restart": None, "checkpoint": None} | changes)

    def crystal(self, atoms: Atoms) -> CellAndAtoms:
        """Return cell and atoms as the core reads them."""
        species = [atom[0] for atom in self._job.problem["atoms"]]
        places = atoms.get_scaled_positions(wrap=False).tolist()
        return {
            "cell": (atoms.cell.array / BOHR_IN_ANGSTROM).tolist(),
            "species": self._job.problem["species"],
            "atoms": [(kind, *place) for kind, place in zip(species, places, strict=True)],
        }

    def _recalled(self, atoms: Atoms) -> Solved | None:
        """Return the next known geometry if it is this one; another one ends what is known."""
        if not self._known:
            return None
        frame = self._known.pop(0)
        same = np.abs(frame.positions - atoms.positions).max() < _SAME
        if not same or np.abs(frame.cell.array - atoms.cell.array).max() > _SAME:
            self._known.clear()
            return None
        assert frame.calc is not None
        return Solved(atoms.copy(), dict(frame.calc.results), None)

    def _solved(self, atoms: Atoms) -> Solved:
        began, crystal = time.perf_counter(), self.crystal(atoms)
        self._check(atoms, crystal)
        latest = self._latest
        grids = Grids(grid=latest["grid"], density_grid=latest["density_grid"])
        if not _same_cell(crystal, latest):
            grids = self._grids(crystal)
        self._latest = cast(Problem, {**self._job.problem, **crystal, **grids})
        result = self._ranks.solve(self._latest, on_step=self._on_step)
        if result.stopped or not result.converged:
            raise Ended(result)
        return Solved(atoms.copy(), ase_results(self._job, result), result, time.perf_counter() - began)

    def _solved_together(self, many: list[Atoms]) -> list[Solved | CoreResult]:
        """Return the geometries in their order, the core's result of one that ends the run."""
        if not many:
            return []
        crystals = [self.crystal(atoms) for atoms in many]
        for atoms, crystal in zip(many, crystals, strict=True):
            self._check(atoms, crystal)
        # Fields and the last checkpoint are those of the last geometry, which all ranks solve at the end. Until then
        # the first group writes checkpoints, and so stops at a signal.
        apart = {"keep_density": False, "keep_potential": None, "transports_file": ""}
        problems = [
            cast(Problem, {**self._job.problem, **crystal, **apart} | ({"checkpoint": None} if n % self.groups else {}))
            for n, crystal in enumerate(crystals)
        ]
        found: list[Solved | CoreResult] = []
        for atoms, result in zip(many, self._ranks.solve_together(problems, self.groups, self._on_step), strict=True):
            if isinstance(result, str):
                raise InputError(result)
            if result.stopped or not result.converged:
                return [*found, result, *[result] * (len(many) - len(found) - 1)]
            found.append(Solved(atoms.copy(), ase_results(self._job, result), result, result.wall_seconds.total))
        return found

    def _check(self, atoms: Atoms, crystal: CellAndAtoms) -> None:
        """Refuse a geometry without a meaning, such as that of too large a time step."""
        if not (np.isfinite(atoms.positions).all() and np.isfinite(atoms.cell.array).all()):
            raise InputError(f"{self._job.file}: positions or cell are not finite; valid: smaller steps")
        if (pair := self._core.closest_pair(crystal, CLOSEST)) is not None:
            first, second, distance = pair
            raise InputError(
                f"{self._job.file}: atoms {first + 1} and {second + 1} have come to a distance of {distance:.3f} bohr; "
                f"valid: from {CLOSEST} bohr on, by smaller steps or another start"
            )


def _same_cell(crystal: CellAndAtoms, problem: Problem) -> bool:
    return bool(np.allclose(crystal["cell"], problem["cell"], rtol=0, atol=1e-9))
