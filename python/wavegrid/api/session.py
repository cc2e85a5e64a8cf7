"""Ranks that stay between the geometries that a Python program asks for."""

import math
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ase import Atoms

from wavegrid.api.parameters import TABLES, check_names, job_of
from wavegrid.api.result import Result, checked
from wavegrid.api.state import Fields, KPointBands, joined_bands, joined_fields
from wavegrid.api.user_warnings import warn
from wavegrid.errors import InputError
from wavegrid.input.locate import KeyPath
from wavegrid.job.figures import compute_figures
from wavegrid.job.job import Job
from wavegrid.launch import memory, mpirun
from wavegrid.launch.in_process_ranks import ProgramRanks
from wavegrid.launch.rank_pool import RankPool
from wavegrid.launch.ranks import Ranks, State, no_state
from wavegrid.model.core_result import CoreResult
from wavegrid.model.figures import Figures
from wavegrid.model.problem import field_grid
from wavegrid.model.reports import Step
from wavegrid.process import core_loader
from wavegrid.rank import products
from wavegrid.results import report


class Session:
    """One calculation after the other on the same ranks, which keep density and wave functions.

    The keywords are those of `wavegrid.ase.WaveGrid`, which is a session with ASE's interface: tables of the input,
    `ranks` (default: all cores over `threads`), `threads` of each (1), and the `folder` of files that the tables name.
    The first `solve` starts the ranks; a later one of the same atoms at other places or in another cell begins with the
    density and the wave functions of the one before. `close()`, the end of a `with` block or that of the program ends
    them. In a program that mpirun has started all its ranks calculate together and make the same calls.
    """

    def __init__(self, *, ranks: int | None = None, threads: int = 1, folder: str | Path = ".", **tables: Any) -> None:
        check_names(tables, TABLES, "Session")
        self._tables = tables
        self._folder = Path(folder)
        self._threads = mpirun.parse_count("threads", str(threads))
        given = None if ranks is None else mpirun.parse_count("ranks", str(ranks))
        self._ranks = mpirun.choose_ranks(given, self._threads)
        self._solver: Ranks | None = None
        self._last: Job | None = None
        self._observed = False  # while `on_step` is called

    def solve(self, atoms: Atoms, *, on_step: Callable[[Step], None] | None = None) -> Result:
        """Return the result for ASE's atoms, with forces, and in plane waves with stress where a direction is
        periodic and there is no table `external`.

        `on_step` gets each SCF step: "step", "free_energy" (Ha), "error_estimate" (Ha), "seconds" and others. In it
        `fields()` and `bands()` are those of the step. An exception of `on_step` ends the solution on all ranks and is
        raised; the session can then be used again, and begins anew. Under mpirun all ranks call `on_step`, and one that
        has raised nothing raises InputError where another one has.

        A result that did not converge has `converged = False` and brings a warning. Raises InputError and the package's
        other errors.
        """
        job = self.job(atoms, self._tables, caller="Session")
        began = time.perf_counter()
        found, steps = self.compute(job, on_step)
        seconds = time.perf_counter() - began
        assert self._solver is not None
        core = core_loader.load()
        products.finish(job, found, steps)
        predicted = compute_figures(core, job, self._solver.count)["bytes_per_rank"]
        content = report.complete(core, job, found, seconds=seconds, predicted_bytes=predicted)
        return warned(checked(content.content()))

    def fields(self) -> Fields:
        """Return density and potential of the last geometry, at all points; under mpirun at those of this rank.

        In `on_step` they are those of the step: its input density (with direct minimisation the one that it has
        reached), and the potential of that, in which the bands were found. Raises InputError before the first `solve`.
        """
        return joined_fields(self._state("fields"))

    def bands(self) -> list[KPointBands]:
        """Return the bands of the last geometry by k-point and spin; under mpirun those of this rank's k-points, in its
        rows. In `on_step` they are those of the step, with the rounding of single precision where it has that. Raises
        InputError before the first `solve`.
        """
        return joined_bands(self._state("bands"))

    def _state(self, kind: State) -> list[Any]:
        if self._solver is None:
            raise no_state(kind)
        return self._solver.state(kind)

    def job(
        self, atoms: Atoms, tables: dict[str, Any], *, caller: str, spelled: Mapping[KeyPath, str] | None = None
    ) -> Job:
        """Return the job of the atoms with these tables; raises InputError, which names the keywords of `caller`.

        `spelled`: keywords that stand for keys of the tables.
        """
        mpirun.set_threads(self._threads)
        return job_of(
            core_loader.load(),
            atoms,
            tables,
            folder=self._folder,
            ranks=self._ranks,
            threads=self._threads,
            caller=caller,
            spelled=spelled,
            moved=self._last is not None,
        )

    def compute(self, job: Job, on_step: Callable[[Step], None] | None = None) -> tuple[CoreResult, list[Step]]:
        """Return the core's result of a job and its SCF steps, from the last geometry where only that is new."""
        self._refuse_in_observer("solve")
        before, self._last = self._last, None  # none where it fails
        if self._solver is None:
            self._solver = ProgramRanks() if mpirun.under_launcher() else RankPool(self._ranks, self._threads)
        if before is None or not self._solver.continues(job.problem):
            for warning in job.warnings:
                warn(warning["message"])
            before = None
        if isinstance(self._solver, RankPool):
            self._check_memory(job, before)
        steps: list[Step] = []
        observer = None if on_step is None else partial(self._observe, on_step)
        result = self._solver.solve(job.problem, on_step=steps.append, observer=observer)
        self._last = job
        return result, steps

    def _observe(self, on_step: Callable[[Step], None], step: Step) -> None:
        self._observed = True
        try:
            on_step(step)
        finally:
            self._observed = False

    def _refuse_in_observer(self, call: str) -> None:
        if self._observed:
            raise InputError(f"{call}() in on_step; valid: fields(), bands(), or an exception, which ends the solution")

    def _check_memory(self, job: Job, before: Job | None) -> None:
        """Refuse what the memory does not hold beyond the job `before`; raises EnvironmentFault."""
        if before is not None and math.prod(field_grid(job.problem)) <= math.prod(field_grid(before.problem)):
            return
        held = 0 if before is None else self._figures(before)["bytes_per_rank"]
        memory.check_node(self._figures(job), self._ranks, held_bytes=held)

    def _figures(self, job: Job) -> Figures:
        return compute_figures(core_loader.load(), job, self._ranks)

    def close(self) -> None:
        """End the ranks; the next calculation starts others."""
        self._refuse_in_observer("close")
        if self._solver is not None:
            self._solver.close()
        self._solver, self._last = None, None

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_fault: object) -> None:
        self.close()


def warned(result: Result) -> Result:
    """Return the result; warn where it did not converge."""
    if not result.converged:
        advice = f"; {result.advice}" if result.advice else ""
        warn(f"'{result.title}': the density did not converge{advice}")
    return result
