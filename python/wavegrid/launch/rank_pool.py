"""Ranks that stay alive and solve one geometry after the other, for a program that is not itself run by mpirun.

Each rank connects to a socket of this process and waits there, without using a core, for a line with a request: a new
problem, or other positions and cell for the last one. All ranks get the same request; rank 0 answers with each SCF step
and with the result. They end when this process closes the socket or ends.
"""

import atexit
import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, ClassVar

from wavegrid.errors import EnvironmentFault, InputError, InternalFault
from wavegrid.files.store import as_json
from wavegrid.launch import mpirun
from wavegrid.launch.rank_socket import RankSocket
from wavegrid.launch.relay import RankFault, kill_session
from wavegrid.launch.shared_folder import find_report, open_private
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Step
from wavegrid.process import core_loader
from wavegrid.process.module_path import python_command

_START = 120.0  # seconds in which all ranks have to connect
_STOP = 3.0  # seconds in which they have to end
_REPORT = 1.0  # seconds after the end of a rank in which its fault may be found
OnStep = Callable[[Step], None]
SOCKET, LOG, STATE = "socket", "log", "state"  # in the directory that this process shares with the ranks


class Solver:
    """The session of this rank. All members are collective over the ranks.

    The results are complete, with what is added to those of the core, where `complete` says so.
    """

    def __init__(self, core: Any, trace: Any = None, *, complete: bool = True) -> None:
        self._core, self._trace, self._complete = core, trace, complete
        self._session: Any = None
        self._problem: Any = {}

    def solve(self, request: dict[str, Any], *observers: Any) -> dict[str, Any]:
        """Return the core's result of a request; after an exception the next one has to bring a problem.

        `observers`: those of the core's `solve`, for steps and activities.
        """
        session, self._session = self._session, None
        if "problem" in request:
            session = None  # before the next one: it holds most of the memory
            session = self._core.Session(request["problem"], self._trace)
            self._problem = request["problem"]
        else:
            if "cell" in request:
                session.set_cell(request["cell"], request["grid"])
                self._problem = self._problem | {"cell": request["cell"]}
            session.set_positions(request["atoms"])
            species = [atom[0] for atom in self._problem["atoms"]]
            atoms = [[kind, *place] for kind, place in zip(species, request["atoms"], strict=True)]
            self._problem = self._problem | {"atoms": atoms}
        result: dict[str, Any] = session.solve(*observers)
        if self._complete and self._problem.get("dispersion"):
            from wavegrid.crystal import dispersion  # imports numpy

            dispersion.add(self._problem, result)
        self._session = session
        return result

    def state(self, kind: str) -> Any:
        """Return this rank's part of the "fields" or the "bands" of the last geometry."""
        if self._session is None:
            raise InputError(f"there are no {kind} yet; valid: after solve()")
        return getattr(self._session, kind)()

    def write_checkpoint(self) -> dict[str, Any] | None:
        """Write a checkpoint of the last geometry if the problem wants any; return the report of all so far."""
        report: dict[str, Any] | None = self._session.write_checkpoint()
        return report

    def close(self) -> None:
        """Free the session."""
        self._session = None


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
    ) -> dict[str, Any]:
        """Return the core's result for a new problem, or for a change of the last one's geometry. Collective.

        `on_step` gets what the core reports of each SCF step.
        """
        request = {"problem": problem} if problem is not None else change or {}
        try:
            result = self._solver.solve(request, on_step)
        except Exception as fault:
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


class RankPool:
    """Ranks of our own, started by the first request."""

    def __init__(self, ranks: int, threads: int) -> None:
        """Remember how many; `close()` or the end of this object ends them."""
        mpirun.check_start(ranks)
        self._ranks, self._threads = ranks, threads
        self._group: _Group | None = None

    def solve(
        self,
        *,
        problem: Problem | None = None,
        change: dict[str, Any] | None = None,
        on_step: OnStep | None = None,
    ) -> dict[str, Any]:
        """Return the core's result for a new problem, or for a change of the last one's geometry.

        `on_step` gets what the core reports of each SCF step. Raises the error of the ranks, which then have ended
        unless it is an InputError.
        """
        if self._group is None:
            self._group = _Group(self._ranks, self._threads)
        try:
            return self._group.ask({"problem": problem} if problem is not None else change or {}, on_step)
        except InputError:
            raise
        except BaseException:
            self.close()
            raise

    def state(self, kind: str) -> list[Any]:
        """Return the parts of all ranks of the "fields" or the "bands" of the last geometry; raises as `solve`."""
        if self._group is None:
            raise InputError(f"there are no {kind} yet; valid: after solve()")
        return self._group.state(kind)

    def close(self) -> None:
        """End the ranks."""
        if self._group is not None:
            self._group.end()
        self._group = None


class _Group:
    """A child process with the ranks, and a connection to each."""

    def __init__(self, ranks: int, threads: int) -> None:
        library = core_loader.load().versions().get("mpi", "")
        launcher = None if ranks == 1 else mpirun.find_launcher(library)
        self._folder = tempfile.TemporaryDirectory(prefix="wavegrid-", ignore_cleanup_errors=True)
        self.shared = Path(self._folder.name)
        self._files: list[IO[str]] = []
        with contextlib.ExitStack() as start:
            listening = self._listen(ranks)
            start.callback(listening.close)
            log = start.enter_context(open_private(self.shared / LOG))
            program = python_command("wavegrid.launch.serve", str(self.shared))
            try:
                self.child = subprocess.Popen(
                    mpirun.command(launcher, ranks, threads, program),
                    env=mpirun.environment(launcher, ranks, threads, self.shared) | {mpirun.TOKEN: listening.token},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            except OSError as fault:
                raise EnvironmentFault(f"the ranks do not start: {fault.strerror}") from None
            self.end = weakref.finalize(self, _end, self.child, self._files, self._folder)
            self._accept(listening, ranks)

    def _listen(self, ranks: int) -> RankSocket:
        try:
            return RankSocket(self.shared / SOCKET, ranks)
        except OSError as fault:
            raise EnvironmentFault(f"{self.shared} cannot be written: {fault.strerror or fault}; set TMPDIR") from None

    def _accept(self, listening: RankSocket, ranks: int) -> None:
        """Wait until all ranks have connected; rank 0 comes first in the list."""
        by_rank: dict[int, IO[str]] = {}
        latest = time.monotonic() + _START
        while len(by_rank) < ranks:
            for rank, connection in listening.connected(0.2):
                stream = connection.makefile("rw", encoding="utf-8")
                connection.close()  # the stream holds it
                self._files.append(stream)
                by_rank[rank] = stream
            if len(by_rank) < ranks and (self.child.poll() is not None or time.monotonic() > latest):
                raise self._fault("the ranks did not start")
        self._files[:] = [by_rank[rank] for rank in range(ranks)]

    def ask(self, request: dict[str, Any], on_step: OnStep | None = None) -> dict[str, Any]:
        line = json.dumps(request) + "\n"
        try:
            for stream in self._files:
                stream.write(line)
                stream.flush()
        except OSError:
            raise self._fault("the ranks ended unexpectedly") from None
        while "step" in (found := self._answer()):
            if on_step is not None:
                on_step(found["step"])
        if "refused" in found:
            raise InputError(found["refused"])
        return found

    def state(self, kind: str) -> list[Any]:
        """Return what each rank has written, by rank."""
        self.ask({"state": kind})
        files = [self.shared / f"{STATE}.{rank}" for rank in range(len(self._files))]
        while not all(file.exists() for file in files):  # rank 0 answers when its own is there
            if self.child.poll() is not None:
                raise self._fault("the ranks ended unexpectedly")
            time.sleep(0.01)
        parts = [pickle.loads(file.read_bytes()) for file in files]
        for file in files:
            file.unlink()
        return parts

    def _answer(self) -> dict[str, Any]:
        """Return the next line of rank 0."""
        try:
            line = self._files[0].readline()
        except OSError:
            line = ""
        if not line:
            raise self._fault("the ranks ended unexpectedly")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _fault(self, what: str) -> Exception:
        """Return the fault that a rank has reported, else one with the last line that they printed."""
        latest = time.monotonic() + _REPORT
        while (report := find_report(self.shared)) is None and time.monotonic() < latest:
            time.sleep(0.05)
        if report is not None:
            return RankFault(report)
        with contextlib.suppress(OSError):
            lines = (self.shared / LOG).read_text(errors="replace").split("\n")
            what += next((f": {line.strip()}" for line in reversed(lines) if line.strip()), "")
        return InternalFault(what)


def _end(child: "subprocess.Popen[bytes]", files: list[IO[str]], folder: "tempfile.TemporaryDirectory[str]") -> None:
    """Close the connections, so that the ranks end, and wait for them."""
    for stream in files:
        with contextlib.suppress(OSError):
            stream.close()
    try:
        child.wait(_STOP if files else 0)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(OSError):
            os.kill(child.pid, signal.SIGTERM)
        try:
            child.wait(1.0)
        except subprocess.TimeoutExpired:
            kill_session(child.pid)
            child.wait()
    folder.cleanup()
