"""A task that is a series of geometries, whose order does not depend on what ran before ([decision 0034]).

[decision 0034]: docs/decisions/0034-series-of-geometries.md
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from ase import Atoms

from wavegrid.crystal import symmetry
from wavegrid.crystal.fixed_coordinates import FixedCoordinates
from wavegrid.job.job import Job
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import Problem
from wavegrid.motion.geometries import Solved

Solve = Callable[[Atoms], dict[str, Any]]
"""returns the results of a geometry, in ASE's units and under its names"""
SolveTogether = Callable[[list[Atoms], Callable[[int], None]], list[dict[str, Any]]]
"""the same of several, which groups of ranks may solve at the same time; calls with the number of each before its
`report`"""


class Series(Protocol):
    """The geometries of a task, and what result.json says of them.

    `run` asks for one geometry after the other. Each that was solved, or found in the trajectory that a run continues,
    comes to `report` before `solve` returns. A continued run asks for the same geometries in the same order, and
    gets those that are done from the trajectory, whatever the number of ranks.
    """

    columns: list[tuple[str, int]]
    """headings of the table on the screen, and their widths"""

    def run(self, solve: Solve) -> None:
        """Solve all geometries; exceptions of `solve` end the run."""

    def report(self, solved: Solved) -> list[str]:
        """Take a geometry into account; return the cells of its line."""

    def frame(self) -> dict[str, object]:
        """Return what a frame of the trajectory says of the last geometry besides its task; at least `step`."""

    def remaining(self) -> int | None:
        """Return how many geometries are left, None where that is not known."""

    def add_to(self, result: CoreResult) -> None:
        """Add the part of result.json, also where the run has ended early."""


def make(job: Job, atoms: Atoms, together: SolveTogether, groups: int) -> Series | None:
    """Return the series of a job that begins with `atoms`; None of a task whose geometries follow from each other.

    `together` solves several geometries of it, in so many groups of ranks.
    """
    if job.task["kind"] == "eos":
        from wavegrid.motion.equation_of_state import EquationOfState

        return EquationOfState(job.task, atoms)
    if job.task["kind"] == "elastic":
        from wavegrid.motion.elastic import Elastic

        return Elastic(job.task, atoms, _rotations(job.problem))
    if job.task["kind"] == "phonon":
        from wavegrid.motion.phonon import Phonon

        return Phonon(job.task, atoms, job.problem["initial_magnetic_moments"])
    if job.task["kind"] == "vibrations":
        from wavegrid.motion.vibrations import MolecularVibrations

        spacings = atoms.cell.array / np.array(job.problem["grid"])[:, None] if job.task["between_points"] else None
        return MolecularVibrations(job.task, atoms, spacings=spacings)
    if job.task["kind"] == "neb":
        from wavegrid.motion.barrier import Barrier

        return Barrier(job.task, atoms, FixedCoordinates.from_dict(job.fixed) if job.fixed else None, together, groups)
    return None


def _rotations(problem: Problem) -> list[np.ndarray]:
    """Return the Cartesian rotations (3, 3) that leave the crystal as it is."""
    kinds = [problem["species"][atom[0]] for atom in problem["atoms"]]
    places = [list(atom[1:]) for atom in problem["atoms"]]
    found = symmetry.operations(problem["cell"], kinds, places, problem["initial_magnetic_moments"] or None)
    rotations = [symmetry.cartesian(one, np.array(problem["cell"])) for one, _ in found]
    return rotations or [np.eye(3)]  # of crystals with very many atoms none is known


def scf_cells(solved: Solved) -> list[str]:
    """Return the cells of the columns `SCF_COLUMNS`, the last ones of each table."""
    steps = solved.result.scf_steps if solved.result else 0
    return [str(steps) if steps else "from file", f"{solved.seconds:.2f}"]


SCF_COLUMNS = [("SCF steps", 9), ("seconds", 8)]
