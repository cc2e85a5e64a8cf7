"""Ranks that solve one problem of a check after the other, without files."""

import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from wavegrid.errors import EXIT_NOT_CONVERGED, EnvironmentFault, InputError, WavegridError
from wavegrid.files.names import CHECKPOINT
from wavegrid.input.document import Document, validated
from wavegrid.job.figures import compute_figures
from wavegrid.job.job import Job
from wavegrid.job.prepare import prepare_document
from wavegrid.launch import memory, mpirun
from wavegrid.launch.rank_pool import RankPool
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import Checkpoints, Problem
from wavegrid.units import ENERGY_UNITS, parse_energy

_NO_FILES: dict[str, Any] = {
    "checkpoint": None,
    "restart": None,
    "keep_density": False,
    "keep_potential": None,
    "average_axis": None,
    "dos_tetrahedra": None,
    "moment_axes": [False] * 3,
    "extremum_axes": [],
    "band_path": [],
}


class NotConverged(WavegridError):
    """The density of one of the calculations did not converge; the text says which."""

    exit_code = EXIT_NOT_CONVERGED


class Ranks:
    """The ranks, started by the first calculation, and the input that they work on."""

    def __init__(self, core: ModuleType, document: Document, *, ranks: int, threads: int) -> None:
        if mpirun.under_launcher():
            raise EnvironmentFault(
                "check --forces, --egg-box and --converge start their ranks themselves; valid: without mpirun, with "
                "--ranks N"
            )
        self._core, self.document, self.count, self._threads = core, document, ranks, threads
        self._pool = RankPool(ranks, threads)
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # of the checkpoint that solve_next() begins from

    def __enter__(self) -> "Ranks":
        return self

    def __exit__(self, *_fault: object) -> None:
        self._pool.close()
        if self._folder is not None:
            self._folder.cleanup()

    def job(self, data: dict[str, Any] | None = None) -> Job:
        """Return the job of the input, or of it with other values; raises InputError."""
        document = self.document if data is None else Document(self.document.path, data, self.document.lines)
        return prepare_document(self._core, document, validated(document), ranks=self.count, threads=self._threads)

    def has_stress(self) -> bool:
        """Return whether the stress is defined: of a crystal in no external potential."""
        spec = validated(self.document)
        return spec.external is None and all(spec.basis.periodic())

    def solve(self, job: Job, what: str, **changes: Any) -> CoreResult:
        """Return the result of a job's problem with changes; it is computed from superposed atoms."""
        memory.check_node(compute_figures(self._core, job, self.count), self.count)
        self._problem = cast(Problem, job.problem | _NO_FILES | changes)
        return self._converged(self._pool.solve(self._problem, anew=True), what)

    def solve_next(self, job: Job, what: str, **changes: Any) -> CoreResult:
        """Return the same of a job with the atoms of the one before, whose density and bands it begins with.

        Cutoff, points of a mesh and k-points may differ: bands of k-points that the last job did not have begin anew.
        With spin each job begins from superposed atoms, as one that has lost its moment would not find it again.
        """
        if job.problem["spins"] == 2:
            return self.solve(job, what, **changes)
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="wavegrid-", ignore_cleanup_errors=True)
        file = Path(self._folder.name) / CHECKPOINT
        begin = str(file) if file.exists() else None
        try:
            return self.solve(job, what, restart=begin, checkpoint=_at_end(file), **changes)
        except NotConverged:
            file.unlink(missing_ok=True)
            raise

    def move(self, atoms: list[list[float]], what: str) -> CoreResult:
        """Return the result of the last problem with its atoms at other fractional coordinates."""
        moved = [[atom[0], *place] for atom, place in zip(self._problem["atoms"], atoms, strict=True)]
        try:
            result = self._pool.solve(cast(Problem, self._problem | {"atoms": moved}))
        except InputError as fault:
            raise InputError(f"{self.document.path}: {what}: {fault}") from None
        return self._converged(result, what)

    def _converged(self, result: CoreResult, what: str) -> CoreResult:
        if not result.converged:
            raise NotConverged(
                f"{self.document.path}: the density did not converge {what}: error {result.error_estimate:.1e} Ha "
                f"after {result.scf_steps} steps; raise [scf] max_steps or change mixing"
            )
        return result


def _at_end(file: Path) -> Checkpoints:
    """Return the options of a checkpoint that a calculation writes when it has converged."""
    return {
        "file": str(file),
        "every_seconds": None,
        "every_steps": None,
        "keep": 1,
        "at_end": True,
        "input": "",
        "versions": "",
        "program": "wavegrid",
    }


def energy_argument(option: str, text: str) -> float:
    """Return the energy (Ha) that an option was given; raises InputError."""
    words = "".join(text.split())
    number, scale = (words.removesuffix("meV") + "eV", 1e-3) if words.endswith("meV") else (words, 1.0)
    try:
        return parse_energy(number) * scale
    except ValueError as fault:
        units = ", ".join(("meV", *ENERGY_UNITS))
        raise InputError(f"{option} '{text}': {fault}; valid: an energy such as '1 meV', in {units}") from None
