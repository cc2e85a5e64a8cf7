"""The energy as all magnetic moments turn together: by the force theorem, and of self-consistent densities.

The force theorem: the density without spin-orbit coupling is the same for all directions but for the turn of its
magnetisation. With the coupling its change adds to the energy in second order; to first order the energy is that of the
bands in the potential of the turned density (M. Weinert, R. E. Watson, J. W. Davenport, Phys. Rev. B 32, 2115,
10.1103/PhysRevB.32.2115; G. H. O. Daalderop, P. J. Kelly, M. F. H. Schuurmans, Phys. Rev. B 41, 11919,
10.1103/PhysRevB.41.11919).

Fully relativistic ultrasoft and PAW datasets have no part without the coupling: full runs alone, which begin with the
density of the moments as the input has them, turned.
"""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console

from wavegrid.files.anisotropy import Energy, EnergyTable
from wavegrid.job.job import Job
from wavegrid.launch.in_process_ranks import Leader
from wavegrid.model import anisotropy as model
from wavegrid.model.core_result import CoreResult
from wavegrid.model.part import Vector
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Step
from wavegrid.motion.display import Display
from wavegrid.results import closing
from wavegrid.units import HARTREE_IN_EV

_COLUMNS = [("direction", 24), ("k-points", 12), ("method", 13), ("energy (Ha)", 18), ("difference (meV)", 16)]


def turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) around an axis normal to both that turns one direction to another."""
    a, b = start / np.linalg.norm(start), end / np.linalg.norm(end)
    axis, cosine = np.cross(a, b), float(a @ b)
    if np.linalg.norm(axis) < 1e-12:
        if cosine > 0:
            return np.eye(3)
        across = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
        across /= np.linalg.norm(across)
        return 2 * np.outer(across, across) - np.eye(3)
    matrix = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + matrix + matrix @ matrix / (1 + cosine)


class _Runs:
    """One run after the other on all ranks."""

    def __init__(self, core: Any, job: Job, trace: Any, console: Console, ranks: int, token: str) -> None:
        self._job, self._moments = job, np.array(job.problem["initial_moment_vectors"])
        self._display = Display(console, _COLUMNS)
        self._leader = Leader(core, ranks, trace=trace, on_activity=self._display.activity)
        self._table = EnergyTable(Path(job.directory), job.task["identity"], job.task["known"], token)
        self._part = model.Anisotropy(directions=[], kpoints=[])
        self._first: dict[tuple[str, str], float] = {}

    def run(self) -> tuple[CoreResult, list[Step]]:
        """Solve without spin-orbit coupling where the potentials allow it, then for each direction."""
        with self._display:
            result = self._leader.solve(self._problem(np.eye(3), scalar=True), anew=True, on_step=self._display.step)
            steps = list(self._display.steps)
            failed = None if _is_done(result) else result
            if failed is None:
                failed = self._directions()
        if failed is not None and failed is not result:
            result.converged, result.stopped = False, failed.stopped
        result.anisotropy = self._part
        self._leader.end(
            {
                "converged": closing.ended_well(result),
                **({"checkpoint": result.checkpoint.content()} if result.checkpoint is not None else {}),
                **({"stopped": result.stopped} if result.stopped else {}),
            }
        )
        return result, steps

    def _directions(self) -> CoreResult | None:
        """Solve for all directions; return the result that ends the run early."""
        task = self._job.task
        first = next(moment for moment in self._moments if np.any(moment))
        meshes: list[list[int] | None] = [*task["meshes"]] if task["meshes"] else [None]
        self._part.kpoints = [self._shown(mesh) for mesh in meshes]
        for direction in task["directions"]:
            matrix = turn(first, np.array(direction))
            x, y, z = (np.array(direction) / np.linalg.norm(direction)).tolist()
            entry = model.DirectionEnergy(direction=(x, y, z))
            if task["method"] != "full":
                entry.force_theorem = []
                for mesh in meshes:
                    found = self._energy(matrix, direction, "force theorem", mesh)
                    if isinstance(found, CoreResult):
                        return found
                    entry.force_theorem = [*entry.force_theorem, found.free_energy]
            if task["method"] != "force-theorem":
                found = self._energy(matrix, direction, "full", None)
                if isinstance(found, CoreResult):
                    return found
                entry.free_energy, entry.scf_steps = found.free_energy, found.scf_steps
                entry.magnetisation = cast(Vector | None, found.magnetisation)
            self._part.directions = [*self._part.directions, entry]
        return None

    def _energy(
        self, matrix: np.ndarray, direction: list[float], method: str, mesh: list[int] | None
    ) -> Energy | CoreResult:
        """Return the energy of a direction, also of an earlier run; or the result that ends the run early."""
        shown, place = self._shown(mesh), tuple(map(float, direction))
        energy = self._table.find(place, method, shown)
        if energy is None:
            problem = self._problem(matrix, fixed=method != "full", mesh=mesh)
            result = self._leader.solve(problem, anew=True, on_step=self._display.step)
            if not _is_done(result):
                return result
            energy = Energy(place, method, shown, result.energy.free)
            if method == "full":
                moment = None if result.magnetisation is None else result.magnetisation.vector
                energy = replace(energy, magnetisation=moment, scf_steps=result.scf_steps)
            self._table.add(energy)
        self._row(direction, shown, method, energy.free_energy)
        return energy

    def _problem(
        self, matrix: np.ndarray, *, scalar: bool = False, fixed: bool = False, mesh: list[int] | None = None
    ) -> Problem:
        """Return the problem of turned moments: without spin-orbit coupling, or from that density."""
        problem, given = self._job.problem, self._job.problem["checkpoint"]
        assert given is not None
        moments = (self._moments @ matrix.T).tolist()
        changes: dict[str, Any] = {"initial_moment_vectors": moments, "forces": False, "stress": False}
        if scalar:
            return cast(Problem, {**problem, **changes, "spin_orbit": not self._job.task["scalar_density"]})
        changes |= {"restart": given["file"], "restart_turn": matrix.tolist(), "checkpoint": None}
        if fixed:
            changes |= {"fixed_density": True, "method": "mixing"}
        if mesh is not None:
            kpoints: Any = problem["kpoints"]
            changes["kpoints"] = {"mesh": mesh, "shift": kpoints["shift"] if kpoints else [0, 0, 0]}
        return cast(Problem, {**problem, **changes})

    def _shown(self, mesh: list[int] | None) -> str:
        kpoints: Any = self._job.problem["kpoints"]
        if mesh is None and kpoints is not None and "list" in kpoints:
            return f"{len(kpoints['list'])} points"
        return " x ".join(map(str, mesh or (kpoints["mesh"] if kpoints else [1, 1, 1])))

    def _row(self, direction: list[float], kpoints: str, method: str, energy: float) -> None:
        first = self._first.setdefault((kpoints, method), energy)
        shown = ", ".join(f"{component:g}" for component in direction)
        self._display.row([shown, kpoints, method, f"{energy:.9f}", f"{(energy - first) * 1000 * HARTREE_IN_EV:.5f}"])


def _is_done(result: CoreResult) -> bool:
    return result.converged and not result.stopped and math.isfinite(result.energy.free)


def solve(core: Any, job: Job, trace: Any, console: Console, ranks: int, token: str) -> tuple[CoreResult, list[Step]]:
    """Compute the energies of all directions; return the result without spin-orbit coupling with them, and its steps.

    The other ranks `follow` meanwhile.
    """
    return _Runs(core, job, trace, console, ranks, token).run()
