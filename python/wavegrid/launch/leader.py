"""Rank 0 decides what all ranks of a run solve; the others follow."""

import json
from collections.abc import Callable
from typing import Any

from wavegrid.files.store import as_json
from wavegrid.launch.solver import Solver
from wavegrid.model.reports import Step
from wavegrid.process import core_loader


class Leader:
    """Rank 0: what it solves is solved by all ranks together. `end` has to be called once, at the end."""

    def __init__(
        self, core: Any, trace: Any, on_step: Callable[[Step], None], on_activity: Callable[..., None]
    ) -> None:
        self._core, self._solver = core, Solver(core, trace)
        self._observers = on_step, on_activity

    def solve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the core's result for {"problem": ...}, or for a change of the last one's geometry.

        Raises InputError where the core refuses it.
        """
        text = self._core.broadcast(as_json(request))
        try:
            return self._solver.solve(json.loads(text), *self._observers)
        except self._core.BadInput as fault:
            raise core_loader.translate(self._core, fault) from None

    def write_checkpoint(self) -> dict[str, Any] | None:
        """Write a checkpoint of the last geometry if the problem wants any; return the report of all so far."""
        self._core.broadcast(as_json({"checkpoint": True}))
        return self._solver.write_checkpoint()

    def end(self, outcome: dict[str, Any]) -> None:
        """Free the session and tell the others how the run ended."""
        self._core.broadcast(as_json({"end": outcome}))
        self._solver.close()


def follow(core: Any, trace: Any) -> dict[str, Any]:
    """Solve what rank 0 asks for; return what it says at the end."""
    solver = Solver(core, trace, complete=False)
    while "end" not in (request := json.loads(core.broadcast(""))):
        if "checkpoint" in request:
            solver.write_checkpoint()
            continue
        try:
            solver.solve(request)
        except core.BadInput:
            pass  # on all ranks: rank 0 decides what follows
    solver.close()
    outcome: dict[str, Any] = request["end"]
    return outcome
