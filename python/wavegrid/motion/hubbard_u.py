"""U by linear response: the electrons of shells whose potential is shifted, each shell by itself.

M. Cococcioni, S. de Gironcoli, Phys. Rev. B 71, 035105 (2005), 10.1103/PhysRevB.71.035105. The potential of U that the
input has does not respond: I. Timrov, N. Marzari, M. Cococcioni, Phys. Rev. B 98, 085127 (2018),
10.1103/PhysRevB.98.085127.
"""

import time
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console

from wavegrid.crystal import symmetry
from wavegrid.files.hubbard_response import Point, PointTable
from wavegrid.job.job import Job
from wavegrid.launch.in_process_ranks import Leader
from wavegrid.model.core_result import CoreResult
from wavegrid.model.hubbard import HubbardResponse
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Step
from wavegrid.motion import response_matrices
from wavegrid.motion.display import Display, TimeLeft
from wavegrid.motion.response_matrices import SHARES, Response
from wavegrid.results import closing
from wavegrid.units import HARTREE_IN_EV

_COLUMNS = [("shell", 12), ("potential", 9), ("shift (eV)", 10), ("electrons", 12), ("SCF steps", 9), ("seconds", 8)]
_NOT_WANTED = {
    "forces": False,
    "stress": False,
    "projections": False,
    "keep_density": False,
    "keep_potential": None,
    "average_axis": None,
    "moment_axes": [False, False, False],
    "checkpoint": None,
}


class _Runs:
    """One run after the other on all ranks."""

    def __init__(self, core: Any, job: Job, trace: Any, console: Console, ranks: int, token: str) -> None:
        self._job, self._shift = job, job.task["shift"]
        self._display, self._left = Display(console, [*_COLUMNS, TimeLeft.column]), TimeLeft()
        self._leader = Leader(core, ranks, trace=trace, on_activity=self._display.activity)
        self._table = PointTable(Path(job.directory), job.task["identity"], job.task["known"], token)
        self._remaining = 0

    def run(self) -> tuple[CoreResult, list[Step]]:
        """Solve without a shift, then with each one."""
        with self._display:
            result = self._leader.solve(self._job.problem, anew=True, on_step=self._display.step)
            steps = list(self._display.steps)
            if result.converged and not result.stopped:
                self._respond(result)
        self._leader.end(
            {
                "converged": closing.ended_well(result),
                **({"checkpoint": result.checkpoint.content()} if result.checkpoint is not None else {}),
                **({"stopped": result.stopped} if result.stopped else {}),
            }
        )
        return result, steps

    def _respond(self, result: CoreResult) -> None:
        """Add the response to a result without shifts."""
        assert result.hubbard is not None
        shells = result.hubbard
        images = self._operations(result)
        columns = response_matrices.representatives(images, len(shells))
        part = result.hubbard_response = HubbardResponse(
            shifts=[share * self._shift for share in SHARES], perturbed=[shells[shell].atom for shell in columns]
        )
        wanted = [(screened, shell, share) for screened in (False, True) for shell in columns for share in SHARES]
        self._remaining = sum(
            self._table.find(shell, share, screened=screened) is None for screened, shell, share in wanted
        )
        for screened, shell, share in wanted:
            if self._table.find(shell, share, screened=screened) is not None:
                continue
            ended = self._point(result, shell, share, screened=screened)
            if ended is not None:
                result.converged, result.stopped = False, ended.stopped
                return
        self._complete(part, images, _electrons(result), columns)

    def _complete(
        self, part: HubbardResponse, images: list[list[int]], unshifted: np.ndarray, columns: list[int]
    ) -> None:
        bare, screened = (self._matrix(images, unshifted, columns, screened=which) for which in (False, True))
        part.bare, part.screened = bare.values.tolist(), screened.values.tolist()
        part.asymmetry = max(bare.asymmetry, screened.asymmetry)
        try:
            values, errors = response_matrices.interaction(bare, screened)
        except np.linalg.LinAlgError:
            self._job.notes.append(
                "a matrix of the response is singular: no U; some electrons of a shell do not respond"
            )
            return
        part.u_eV, part.error_eV = (HARTREE_IN_EV * values).tolist(), (HARTREE_IN_EV * errors).tolist()

    def _matrix(
        self, images: list[list[int]], unshifted: np.ndarray, columns: list[int], *, screened: bool
    ) -> Response:
        found = {}
        for shell in columns:
            points = [self._table.find(shell, share, screened=screened) for share in SHARES]
            electrons = {one.share: np.array(one.electrons) for one in points if one is not None}
            found[shell] = response_matrices.slopes(self._shift, unshifted, electrons)
        return response_matrices.whole(found, images)

    def _operations(self, result: CoreResult) -> list[list[int]]:
        """Return the permutations of the shells by the crystal; the identity alone where it is not used."""
        problem: Any = self._job.problem
        assert result.hubbard is not None
        shells = [(one.atom - 1, one.shell) for one in result.hubbard]
        if not problem["symmetry"] or problem["external"]:
            return [list(range(len(shells)))]
        kinds = [problem["species"][atom[0]] for atom in problem["atoms"]]
        places = [list(atom[1:]) for atom in problem["atoms"]]
        moments = problem["initial_magnetic_moments"] or None
        images = symmetry.images_of_atoms(problem["cell"], kinds, places, moments)
        numbers = {shell: number for number, shell in enumerate(shells)}
        of_shells = {tuple(numbers[image[atom], name] for atom, name in shells) for image in images}
        return response_matrices.equivalent(sorted(of_shells), [one.eigenvalues for one in result.hubbard])

    def _point(self, unshifted: CoreResult, shell: int, share: float, *, screened: bool) -> CoreResult | None:
        """Find the electrons with one shift; return a result that ends the run early."""
        assert unshifted.hubbard is not None
        began = time.perf_counter()
        shift = share * self._shift
        result = self._leader.solve(
            self._problem(unshifted, shell, shift, screened=screened), anew=True, on_step=self._display.step
        )
        if result.stopped or not result.converged:
            return result
        electrons = _electrons(result)
        self._table.add(Point(shell, screened, share, tuple(electrons.tolist())))
        self._remaining -= 1
        seconds = time.perf_counter() - began
        one = unshifted.hubbard[shell]
        self._display.row(
            [
                f"{one.shell} of {one.atom}",
                "screened" if screened else "bare",
                f"{shift * HARTREE_IN_EV:.3f}",
                f"{electrons[shell]:.6f}",
                str(result.scf_steps),
                f"{seconds:.2f}",
                self._left.after(seconds, self._remaining),
            ]
        )
        return None

    def _problem(self, unshifted: CoreResult, shell: int, shift: float, *, screened: bool) -> Problem:
        """Return the problem with a shift, which begins with the density and bands without any."""
        assert unshifted.hubbard is not None
        problem, given = self._job.problem, self._job.problem["checkpoint"]
        assert given is not None
        shifts = [shift if number == shell else 0.0 for number in range(len(unshifted.hubbard))]
        perturbation = {"shifts": shifts, "occupations": [one.matrices for one in unshifted.hubbard]}
        changes = {**_NOT_WANTED, "restart": given["file"], "hubbard_perturbation": perturbation}
        if not screened:
            changes |= {"fixed_density": True, "method": "mixing"}
        return cast(Problem, {**problem, **changes})


def _electrons(result: CoreResult) -> np.ndarray:
    """Return the electrons of each shell; the matrix of one of two equal spins counts twice."""
    assert result.hubbard is not None
    return np.array([sum(map(sum, one.eigenvalues)) * 2 / len(one.matrices) for one in result.hubbard])


def solve(core: Any, job: Job, trace: Any, console: Console, ranks: int, token: str) -> tuple[CoreResult, list[Step]]:
    """Compute the response of all shells; return the result without shifts with it, and its steps.

    The other ranks `follow` meanwhile.
    """
    return _Runs(core, job, trace, console, ranks, token).run()
