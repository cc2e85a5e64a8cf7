"""The ranks of a Python program that mpirun has started: they calculate together."""

import atexit
import json
import sys
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from wavegrid.errors import InputError
from wavegrid.files.store import as_json
from wavegrid.launch.solver import OnStep, Solver
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Step
from wavegrid.process import core_loader


class InProcessRanks:
    """The ranks of this program itself, which mpirun has started: all make the same calls.

    MPI is that of mpi4py where the program has imported it. Else it is started, and ended with the program; an
    exception that ends one rank then ends all of them.
    """

    _all: ClassVar["weakref.WeakSet[InProcessRanks]"] = weakref.WeakSet()
    _started: ClassVar[bool] = False

    def __init__(self) -> None:
        self._core = core_loader.load()
        self._solver = Solver(self._core)
        if not InProcessRanks._started and "mpi4py.MPI" not in sys.modules:
            self._core.mpi_start()
            InProcessRanks._started = True
            atexit.register(_stop_mpi, self._core)
            sys.excepthook = partial(_end_all, self._core, sys.excepthook)
        self._all.add(self)

    def solve(
        self,
        *,
        problem: Problem | None = None,
        change: dict[str, Any] | None = None,
        on_step: OnStep | None = None,
        observer: OnStep | None = None,
    ) -> dict[str, Any]:
        """Return the core's result for a new problem, or for a change of the last one's geometry. Collective.

        `on_step` gets what the core reports of each SCF step, and after it `observer`, which may ask for the state. An
        exception of `observer` ends the solve on all ranks: it is raised, and on other ranks an InputError.
        """
        request = {"problem": problem} if problem is not None else change or {}
        watched = None if observer is None else _Observer(self._core, observer)
        try:
            result = self._solver.solve(request, partial(_report, on_step, watched))
        except Exception as fault:
            if watched is not None and fault is watched.raised:
                raise
            raise core_loader.translate(self._core, fault) from None
        return json.loads(as_json(result))

    def state(self, kind: str) -> list[Any]:
        """Return this rank's part of the "fields" or the "bands" of the last geometry. Collective."""
        try:
            return [self._solver.state(kind)]
        except InputError:
            raise
        except Exception as fault:
            raise core_loader.translate(self._core, fault) from None

    def close(self) -> None:
        """Free the session; MPI stays. Collective."""
        self._solver.close()


def _stop_mpi(core: Any) -> None:
    for session in list(InProcessRanks._all):
        session.close()
    core.mpi_stop()


def _end_all(core: Any, show: Callable[..., Any], kind: type[BaseException], *fault: Any) -> None:
    """Show an exception that nothing has caught, and end the other ranks, which would wait for this one."""
    show(kind, *fault)
    sys.stderr.flush()
    core.mpi_abort(1)


def _report(on_step: OnStep | None, observer: OnStep | None, step: Step) -> None:
    for each in (on_step, observer):
        if each is not None:
            each(step)


class _Observer:
    """Calls an observer; where it raises on one rank, all ranks raise."""

    def __init__(self, core: Any, observer: OnStep) -> None:
        self._core, self._observer = core, observer
        self.raised: BaseException | None = None

    def __call__(self, step: Step) -> None:
        try:
            self._observer(step)
        except BaseException as fault:
            self.raised = fault
        if self._core.on_any_rank(self.raised is not None):
            raise self.raised or InputError("the observer of the steps raised an exception on another rank")
