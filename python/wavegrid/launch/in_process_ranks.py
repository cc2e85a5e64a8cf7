"""The ranks of this program, which mpirun has started."""

import atexit
import contextlib
import json
import sys
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from wavegrid.errors import InputError
from wavegrid.files.store import as_json
from wavegrid.launch import image_groups
from wavegrid.launch.ranks import OnStep, Ranks, Request, State, no_state
from wavegrid.model.core_result import CoreResult
from wavegrid.model.part import ByState
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Activity, Step
from wavegrid.process import core_loader


class InProcessRanks(Ranks):
    """The ranks of this program itself: all make the same calls, and each has the core's session.

    What an exception has left is freed by the next problem, on all ranks at the same time, whoever keeps the exception.
    """

    def __init__(
        self,
        core: Any,
        count: int,
        *,
        trace: Any = None,
        complete: bool = True,
        keep_plans: bool = True,
        on_activity: Callable[[Activity], None] | None = None,
        group: Any = None,
    ) -> None:
        """Of a program in which MPI runs.

        `complete`: add to the results what the core leaves to Python. `keep_plans`: for further geometries.
        `on_activity` gets what the core reports after the loop. `group`: the core's, of ranks that solve alone.
        """
        self._core, self.count, self._complete = core, count, complete
        self._options, self._on_activity = (trace, keep_plans, *([] if group is None else [group])), on_activity
        self._session: Any = None
        self._problem: Any = {}

    def answer(self, request: Request, on_step: OnStep | None = None, observer: OnStep | None = None) -> dict[str, Any]:
        """Solve. Collective."""
        self._set_geometry(request)
        result: dict[str, Any] = self._session.solve(_both(on_step, observer), self._on_activity)
        if self._problem.get("extremum_axes") and "path" in result and not result.get("stopped"):
            from wavegrid.crystal import band_extrema  # imports numpy

            cell, axes = self._problem["cell"], self._problem["extremum_axes"]
            found = band_extrema.of_gap(CoreResult.read(result), cell, axes, self._levels)
            result["extrema"] = [one.content() for one in found]
        if self._complete and self._problem.get("dispersion"):
            from wavegrid.crystal import dispersion  # imports numpy: 11 MB and a twentieth of a second

            dispersion.add(self._problem, result)
        return result

    def _levels(self, kpoints: list[list[float]]) -> ByState:
        """Return levels in the potential of the last solve. Collective."""
        found: ByState = self._session.levels(kpoints)["eigenvalues"]
        return found

    def _set_geometry(self, request: Request) -> None:
        if "problem" in request:
            self._session = None  # before the next one: it holds most of the memory
            self._session = self._core.Session(request["problem"], *self._options)
            self._problem = request["problem"]
            return
        if "cell" in request:
            self._session.set_cell(request["cell"], request["grid"], request["density_grid"])
            self._problem = self._problem | {"cell": request["cell"]}
        self._session.set_positions(request["atoms"])
        species = [atom[0] for atom in self._problem["atoms"]]
        atoms = [[kind, *place] for kind, place in zip(species, request["atoms"], strict=True)]
        self._problem = self._problem | {"atoms": atoms}

    def state(self, kind: State) -> list[Any]:
        """Return this rank's part. Collective."""
        if self._session is None:
            raise no_state(kind)
        return [getattr(self._session, kind)()]

    def close(self) -> None:
        """Free the session; MPI stays. Collective."""
        self._session = None


class ProgramRanks(InProcessRanks):
    """The ranks of a Python program that knows nothing of MPI, or uses mpi4py.

    MPI is that of mpi4py where the program has imported it. Else it is started, and ended with the program; an
    exception that ends one rank then ends all of them.
    """

    _all: ClassVar["weakref.WeakSet[ProgramRanks]"] = weakref.WeakSet()
    _started: ClassVar[bool] = False

    def __init__(self) -> None:
        core = core_loader.load()
        starts = not ProgramRanks._started and "mpi4py.MPI" not in sys.modules
        super().__init__(core, core.mpi_start()[1])
        if starts:
            ProgramRanks._started = True
            atexit.register(_stop_mpi, core)
            sys.excepthook = partial(_end_all, core, sys.excepthook)
        self._all.add(self)

    def answer(self, request: Request, on_step: OnStep | None = None, observer: OnStep | None = None) -> dict[str, Any]:
        """Solve; where `observer` raises on one rank, all ranks raise. Collective."""
        watched = None if observer is None else _Observer(self._core, observer)
        try:
            result: dict[str, Any] = json.loads(as_json(super().answer(request, on_step, watched)))
        except Exception as fault:
            if watched is not None and fault is watched.raised:
                raise
            raise core_loader.translate(self._core, fault) from None
        return result

    def state(self, kind: State) -> list[Any]:
        """Return this rank's part. Collective."""
        try:
            return super().state(kind)
        except Exception as fault:
            raise core_loader.translate(self._core, fault) from None


class Leader(InProcessRanks):
    """Rank 0 of a run: what it solves is solved by all ranks together. `end` has to be called once, at the end."""

    _group: image_groups.ImageGroup | None = None

    def answer(self, request: Request, on_step: OnStep | None = None, observer: OnStep | None = None) -> dict[str, Any]:
        """Solve on all ranks."""
        shared = json.loads(self._core.broadcast(as_json(dict(request))))
        self._group = None  # all ranks of a group free it together
        return super().answer(shared, on_step, observer)

    def solve_together(self, problems: list[Problem], groups: int, on_step: OnStep | None) -> list[CoreResult | str]:
        """Return the results of problems that groups of ranks solve at the same time, or why one was refused.

        `on_step` gets the steps of the first group.
        """
        request = json.loads(self._core.broadcast(as_json({"problems": problems, "groups": groups})))
        self.close()
        self._last = None
        self._group = self._group or self._make_group(groups)
        return self._group.gathered(self._group.solve(request["problems"], on_step))

    def _make_group(self, groups: int) -> image_groups.ImageGroup:
        return image_groups.ImageGroup(self._core, groups, partial(InProcessRanks, self._core, trace=self._options[0]))

    def write_checkpoint(self) -> Any:
        """Write a checkpoint of the last geometry if its problem wants any; return the report of all so far."""
        if self._session is None:  # groups have solved it
            return None
        self._core.broadcast(as_json({"checkpoint": True}))
        return self._session.write_checkpoint()

    def end(self, outcome: dict[str, Any]) -> None:
        """Free the session and tell the others how the run ended."""
        self._core.broadcast(as_json({"end": outcome}))
        self._group = None
        self.close()


class Follower(InProcessRanks):
    """The other ranks of a run."""

    def follow(self) -> dict[str, Any]:
        """Solve what rank 0 asks for; return what it says at the end."""
        group: image_groups.ImageGroup | None = None
        while "end" not in (request := json.loads(self._core.broadcast(""))):
            if "checkpoint" in request:
                self._session.write_checkpoint()
                continue
            if "problems" in request:
                self.close()
                make = partial(InProcessRanks, self._core, trace=self._options[0])
                group = group or image_groups.ImageGroup(self._core, request["groups"], make)
                group.gathered(group.solve(request["problems"]))
                continue
            group = None
            with contextlib.suppress(self._core.BadInput):  # on all ranks: rank 0 decides what follows
                self.answer(request)
        group = None
        self.close()
        outcome: dict[str, Any] = request["end"]
        return outcome


def _stop_mpi(core: Any) -> None:
    for session in list(ProgramRanks._all):
        session.close()
    core.mpi_stop()


def _end_all(core: Any, show: Callable[..., Any], kind: type[BaseException], *fault: Any) -> None:
    """Show an exception that nothing has caught, and end the other ranks, which would wait for this one."""
    show(kind, *fault)
    sys.stderr.flush()
    core.mpi_abort(1)


def _both(one: OnStep | None, other: OnStep | None) -> OnStep | None:
    if one is None or other is None:
        return one or other

    def call(step: Step) -> None:
        one(step)
        other(step)

    return call


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
