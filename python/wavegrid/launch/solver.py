"""What a rank does with the requests of those who lead it: it solves one geometry after the other."""

from collections.abc import Callable
from typing import Any

from wavegrid.errors import InputError
from wavegrid.model.reports import Step

OnStep = Callable[[Step], None]


def no_state(kind: str) -> InputError:
    """Return the error of a request for "fields" or "bands" where there are none."""
    return InputError(f"there are no {kind} yet; valid: after solve(), or in its on_step")


class Solver:
    """The session of this rank. All members are collective over the ranks.

    The results are complete, with what is added to those of the core, where `complete` says so. What an exception has
    left is freed by the next problem, on all ranks at the same time, whoever keeps the exception.
    """

    def __init__(self, core: Any, trace: Any = None, *, complete: bool = True) -> None:
        self._core, self._trace, self._complete = core, trace, complete
        self._session: Any = None
        self._problem: Any = {}

    def solve(self, request: dict[str, Any], *observers: Any) -> dict[str, Any]:
        """Return the core's result of a request; after an exception the next one has to bring a problem.

        `observers`: those of the core's `solve`, for steps and activities. That of steps may call `state`.
        """
        self._set_geometry(request)
        result: dict[str, Any] = self._session.solve(*observers)
        if self._complete and self._problem.get("dispersion"):
            from wavegrid.crystal import dispersion  # imports numpy

            dispersion.add(self._problem, result)
        return result

    def _set_geometry(self, request: dict[str, Any]) -> None:
        if "problem" in request:
            self._session = None  # before the next one: it holds most of the memory
            self._session = self._core.Session(request["problem"], self._trace)
            self._problem = request["problem"]
            return
        if "cell" in request:
            self._session.set_cell(request["cell"], request["grid"], request["density_grid"])
            self._problem = self._problem | {"cell": request["cell"]}
        self._session.set_positions(request["atoms"])
        species = [atom[0] for atom in self._problem["atoms"]]
        atoms = [[kind, *place] for kind, place in zip(species, request["atoms"], strict=True)]
        self._problem = self._problem | {"atoms": atoms}

    def state(self, kind: str) -> Any:
        """Return this rank's part of the "fields" or the "bands" of the last geometry, or of the step."""
        if self._session is None:
            raise no_state(kind)
        return getattr(self._session, kind)()

    def write_checkpoint(self) -> dict[str, Any] | None:
        """Write a checkpoint of the last geometry if the problem wants any; return the report of all so far."""
        report: dict[str, Any] | None = self._session.write_checkpoint()
        return report

    def close(self) -> None:
        """Free the session."""
        self._session = None
