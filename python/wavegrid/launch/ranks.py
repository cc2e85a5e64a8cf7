"""Ranks that solve one problem after the other: all that runs, sessions and calculators know of them."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal, Protocol, TypedDict

from wavegrid.errors import InputError
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Step

OnStep = Callable[[Step], None]
State = Literal["fields", "bands"]

_GEOMETRY = ("cell", "atoms", "grid", "density_grid")


class Request(TypedDict, total=False):
    """What is to be solved: a problem, or the last one with its atoms at other places, perhaps in another cell."""

    problem: Problem
    atoms: list[list[float]]  # fractional
    cell: list[list[float]]
    grid: list[int]  # of that cell
    density_grid: list[int] | None


class Ranks(Protocol):
    """The ranks of a calculation: `RankPool` starts them by mpirun, `InProcessRanks` are those of this program.

    They keep density and wave functions: a problem that differs from the last one in its geometry alone begins with
    those. After an exception the next problem begins anew. Collective in a program that mpirun has started.
    """

    count: int
    _last: Problem | None = None

    def solve(
        self,
        problem: Problem,
        *,
        anew: bool = False,
        on_step: OnStep | None = None,
        observer: OnStep | None = None,
    ) -> CoreResult:
        """Return the core's result; with `anew` from superposed atoms or the problem's checkpoint in any case.

        `on_step` gets what the core reports of each SCF step, and after it `observer`, which may ask for the state; its
        exception ends the solution on all ranks and is raised, on other ranks as an InputError. Raises InputError where
        the core refuses the problem.
        """
        request = Request(problem=problem) if anew or not self.continues(problem) else self._change(problem)
        self._last = None
        result = CoreResult.read(self.answer(request, on_step, observer))
        self._last = problem
        return result

    def continues(self, problem: Problem) -> bool:
        """Whether the last problem differs in its geometry alone."""
        return self._last is not None and _rest(self._last) == _rest(problem)

    def _change(self, problem: Problem) -> Request:
        assert self._last is not None
        request = Request(atoms=[list(atom[1:]) for atom in problem["atoms"]])
        if problem["cell"] != self._last["cell"]:
            request |= Request(cell=problem["cell"], grid=list(problem["grid"]), density_grid=problem["density_grid"])
        return request

    @abstractmethod
    def answer(self, request: Request, on_step: OnStep | None = None, observer: OnStep | None = None) -> dict[str, Any]:
        """Return the core's result of a request, as it is. After an exception the next one has to bring a problem."""

    @abstractmethod
    def state(self, kind: State) -> list[Any]:
        """Return the parts of the last geometry's fields or bands, or of the step's: of all ranks, in a program that
        mpirun has started of this one. Raises InputError where there are none.
        """

    @abstractmethod
    def close(self) -> None:
        """Free what the ranks keep, and end those that were started."""


def _rest(problem: Problem) -> dict[str, Any]:
    """Return all of a problem but the geometry."""
    rest = {name: value for name, value in problem.items() if name not in _GEOMETRY}
    return rest | {"elements": [atom[0] for atom in problem["atoms"]]}


def no_state(kind: State) -> InputError:
    """Return the error of a request for a state where there is none."""
    return InputError(f"there are no {kind} yet; valid: after solve(), or in its on_step")
