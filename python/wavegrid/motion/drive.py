"""Rank 0's part of a run of many geometries: lets ASE choose them, shows and stores each, returns the last result."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from ase import Atoms
from rich.console import Console

from wavegrid.crystal.fixed_coordinates import FixedCoordinates
from wavegrid.files import trajectory
from wavegrid.files.names import TRAJECTORY
from wavegrid.input.basis.choose import from_run
from wavegrid.input.document import Document, validated
from wavegrid.input.structure import build
from wavegrid.job.job import Job
from wavegrid.launch.in_process_ranks import Leader
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import CellAndAtoms, Grids, Problem
from wavegrid.model.reports import Step
from wavegrid.model.result import Result
from wavegrid.model.run_statistics import CheckpointFile, WallSeconds
from wavegrid.motion import series
from wavegrid.motion.display import Display, TimeLeft
from wavegrid.motion.geometries import Ended, Geometries, Solved
from wavegrid.results import closing, extxyz, report
from wavegrid.results.calculator import RankCalculator
from wavegrid.results.structure import structure
from wavegrid.units import BOHR_IN_ANGSTROM

if TYPE_CHECKING:
    from wavegrid.motion.dynamics import Dynamics
    from wavegrid.motion.relax import Relaxation


def drive(core: Any, job: Job, trace: Any, console: Console, ranks: int) -> tuple[CoreResult, list[Step]]:
    """Compute the geometries of a task; return the core's result of the last one, and its SCF steps.

    In the result are the part of result.json that the task has, and the times of all geometries together.
    `job` has the last geometry afterwards. The other ranks `follow` meanwhile.
    """
    return _Drive(core, job, trace, console, ranks).run()


class _Drive:
    def __init__(self, core: Any, job: Job, trace: Any, console: Console, ranks: int) -> None:
        self._core, self._job = core, job
        self._moves = job.task["kind"] == "md"
        given = job.task["trajectory"]
        found = trajectory.read(Path(given)) if given else trajectory.Frames([], b"", 0)
        frames = found.atoms
        self._atoms = _atoms(job)
        groups = min(job.task.get("parallel_images", 1), ranks)
        self._series = series.make(job, self._atoms, self._solve_together, groups)
        begin = None
        if frames and self._series is None:
            self._atoms = begin = _bare(frames[-1] if self._moves else frames[0])
        self._task: Relaxation | Dynamics | series.Series
        self._dynamics: Dynamics | None = None  # the task, where it is that
        self._relaxation: Relaxation | None = None
        fixed = FixedCoordinates.from_dict(job.fixed) if job.fixed else None
        if self._moves:
            self._task = self._dynamics = _dynamics(job, self._atoms, fixed, frames)
            known = frames[-1:]
        elif self._series is not None:
            self._task, known = self._series, frames
        else:
            self._task = self._relaxation = _relaxation(job, self._atoms, fixed, fresh=begin is None)
            known = frames
        self._left = TimeLeft() if self._series is not None else None
        self._display = Display(console, [*self._task.columns, *([TimeLeft.column] if self._left else [])])
        self._leader = Leader(core, ranks, trace=trace, on_activity=self._display.activity)
        self._document = Document(Path(job.file), job.input, {})
        spec = validated(self._document)
        self._basis = from_run(spec.basis, job.problem)
        self._like = job.problem | build(core, self._document, spec.structure, []).as_dict()
        self._geometries = Geometries(
            core,
            self._leader,
            job,
            known=known,
            on_step=self._display.step,
            report=self._report,
            grids=self._grids,
            groups=groups,
        )
        self._trajectory = trajectory.Trajectory(Path(job.directory) / TRAJECTORY, found.text)
        self._seconds: dict[str, float] = {}
        self._derivatives = 0.0  # seconds of forces and stress
        self._pending = b""  # a frame that is only written if the run ends here

    def run(self) -> tuple[CoreResult, list[Step]]:
        with self._display:
            result = self._result()
        if self._dynamics is not None:
            result.dynamics = self._dynamics.part()
        elif self._relaxation is not None:
            result.relaxation = self._relaxation.part()
        elif self._series is not None:
            self._series.add_to(result)
        if self._seconds:
            result.wall_seconds = WallSeconds.read(self._seconds)
        if self._derivatives:
            result.derivative_seconds = self._derivatives
        self._leader.end(
            {
                "converged": closing.ended_well(result),
                **({"checkpoint": result.checkpoint.content()} if result.checkpoint is not None else {}),
                **({"stopped": result.stopped} if result.stopped else {}),
            }
        )
        return result, self._display.steps

    def _result(self) -> CoreResult:
        try:
            self._run_task()
            last = self._geometries.last
            if last is None or last.result is None or self._geometries.groups > 1:
                last = self._geometries.solve_again(self._atoms if last is None else last.atoms)
            assert last.result is not None
            result = last.result
            _take_geometry(self._job, self._geometries.crystal(last.atoms), result)
            self._save(result)
            if self._relaxation is not None:
                with contextlib.suppress(Ended):  # the geometry is relaxed all the same; the comparison is left out
                    self._relaxation.check(self._geometries.crystal(self._atoms), self._energy)
        except Ended as ended:
            result = ended.result
            _take_geometry(self._job, self._geometries.crystal(self._geometries.asked or self._atoms), result)
            if not result.stopped:  # a signal has written one
                self._save(result)
            if self._pending:
                self._trajectory.add(self._pending)
        return result

    def _solve_together(self, many: list[Atoms], begin: Callable[[int], None]) -> list[dict[str, Any]]:
        return self._geometries.solve_together(many, begin)

    def _run_task(self) -> None:
        if self._series is not None:
            self._series.run(self._geometries.solve)
            return
        self._atoms.calc = RankCalculator(self._geometries.solve)
        if self._dynamics is not None:
            self._dynamics.run(self._step_done)
        elif self._relaxation is not None:
            self._relaxation.run()

    def _save(self, result: CoreResult) -> None:
        """Write the checkpoint of the last geometry."""
        if (report := self._leader.write_checkpoint()) is not None:
            result.checkpoint = CheckpointFile.read(report)

    def _energy(self, crystal: CellAndAtoms, factor: float) -> float | None:
        """Return the free energy of a new calculation at a multiple of the cutoff, Ha; None where there is none."""
        if (basis := self._basis.scaled(factor)) is None:
            return None
        grids = basis.grids(self._core, self._document, self._like, [], crystal["cell"])
        changes = {"ecut": basis.cutoff(), "density_ecut": basis.table.density_ecut}
        problem = self._geometries.problem(crystal, changes | grids)
        result = self._leader.solve(problem, anew=True, on_step=self._display.step)
        self._add_seconds(result)
        if result.stopped or not result.converged:
            raise Ended(result)
        return result.energy.free

    def _report(self, solved: Solved) -> None:
        cells = self._task.report(solved)
        if solved.result is not None:
            self._add_seconds(solved.result)
        if self._moves:
            return
        left = [] if self._left is None else [self._left.after(solved.seconds, self._series_remaining())]
        self._display.row([*cells, *left])
        if solved.result is not None:
            self._trajectory.add(self._frame(solved))

    def _series_remaining(self) -> int | None:
        return None if self._series is None else self._series.remaining()

    def _step_done(self, writes: bool) -> None:
        assert self._dynamics is not None
        self._display.row(self._dynamics.cells())
        last = self._geometries.last
        assert last is not None
        if last.result is None:
            return  # the frame that the run continues
        frame = self._frame(last, momenta=self._atoms.get_momenta().tolist())
        self._pending = b"" if writes else frame
        if writes:
            self._trajectory.add(frame)

    def _frame(self, solved: Solved, momenta: list[list[float]] | None = None) -> bytes:
        assert solved.result is not None
        job, result = self._job, solved.result
        problem: Problem = {**job.problem, **self._geometries.crystal(solved.atoms)}
        extrapolated = report.without_smearing(job, result.energy)
        content = {
            "structure": structure(problem, job.fixed),
            "energy": result.energy.content() | {"extrapolated": extrapolated},
            "converged": result.converged,
            "forces": result.forces,
            "stress": result.stress,
            "magnetisation": result.magnetisation,
        }
        return extxyz.render(Result.read(content), {"task": job.task["kind"], **self._task.frame()}, momenta)

    def _grids(self, crystal: CellAndAtoms) -> Grids:
        problem = self._job.problem
        if self._series is not None:  # those of the largest cell: others would make energy and stress jump
            return {"grid": problem["grid"], "density_grid": problem["density_grid"]}
        return self._basis.next_grids(self._core, self._document, self._like, crystal["cell"], problem)

    def _add_seconds(self, result: CoreResult) -> None:
        for name, seconds in result.wall_seconds.content().items():
            self._seconds[name] = self._seconds.get(name, 0.0) + seconds
        self._derivatives += result.derivative_seconds or 0.0


def _dynamics(job: Job, atoms: Atoms, fixed: FixedCoordinates | None, frames: list[Atoms]) -> "Dynamics":
    from wavegrid.motion.dynamics import Dynamics  # ASE's integrators, and scipy: slow to import

    atoms.set_masses("defaults" if job.task["masses"] is None else job.task["masses"])
    external = job.problem["external"]
    in_potential = external is not None and external["potential"] is not None
    return Dynamics(job.task, atoms, fixed, earlier=frames, in_potential=in_potential)


def _relaxation(job: Job, atoms: Atoms, fixed: FixedCoordinates | None, *, fresh: bool) -> "Relaxation":
    from wavegrid.motion.relax import Relaxation  # slow to import, too

    return Relaxation(job.task, atoms, fixed, fresh=fresh)


def _atoms(job: Job) -> Atoms:
    problem = job.problem
    return Atoms(
        [problem["species"][atom[0]] for atom in problem["atoms"]],
        cell=np.array(problem["cell"]) * BOHR_IN_ANGSTROM,
        scaled_positions=[atom[1:] for atom in problem["atoms"]],
        pbc=True,
    )


def _bare(frame: Atoms) -> Atoms:
    return Atoms(frame.get_chemical_symbols(), positions=frame.positions, cell=frame.cell, pbc=True)


def _take_geometry(job: Job, crystal: CellAndAtoms, result: CoreResult) -> None:
    """Give the job the last geometry, to which the results belong."""
    job.problem["cell"], job.problem["atoms"] = crystal["cell"], crystal["atoms"]
    job.problem["grid"] = list(result.grid)
    job.problem["density_grid"] = list(result.density_grid) if result.density_grid else None
