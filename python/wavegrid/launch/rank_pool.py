"""Ranks that stay alive and solve one geometry after the other, for a program that is not itself run by mpirun.

Each rank connects to a socket of this process and waits there, without using a core, for a line with a request: a new
problem, or other positions and cell for the last one. All ranks get the same request; rank 0 answers with each SCF step
and with the result. They end when this process closes the socket or ends.

Where somebody observes the steps, the ranks wait after each step for lines as well: requests for their state until one
says whether they go on. If they do not, the solution ends, which rank 0 answers, and they wait for the next request.
"""

import contextlib
import json
import os
import pickle
import signal
import subprocess
import tempfile
import time
import weakref
from pathlib import Path
from typing import IO, Any

from wavegrid.errors import EnvironmentFault, InputError, InternalFault, WavegridError
from wavegrid.launch import mpirun
from wavegrid.launch.rank_socket import RankSocket
from wavegrid.launch.relay import RankFault, kill_session
from wavegrid.launch.shared_folder import find_report, open_private
from wavegrid.launch.solver import OnStep, no_state
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Step
from wavegrid.process import core_loader
from wavegrid.process.module_path import python_command

_START = 120.0  # seconds in which all ranks have to connect
_STOP = 3.0  # seconds in which they have to end
_REPORT = 1.0  # seconds after the end of a rank in which its fault may be found
SOCKET, LOG, STATE = "socket", "log", "state"  # in the directory that this process shares with the ranks


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
        observer: OnStep | None = None,
    ) -> dict[str, Any]:
        """Return the core's result for a new problem, or for a change of the last one's geometry.

        `on_step` gets what the core reports of each SCF step, and after it `observer`, which may ask for the state; its
        exception ends the solution and is raised. Raises the error of the ranks, which then have ended unless it is an
        InputError.
        """
        if self._group is None:
            self._group = _Group(self._ranks, self._threads)
        request = {"problem": problem} if problem is not None else change or {}
        try:
            return self._group.solve(request, on_step, observer)
        except BaseException:
            if not self._group.waits:
                self.close()
            raise

    def state(self, kind: str) -> list[Any]:
        """Return the parts of all ranks of the "fields" or the "bands" of the last geometry, or of the step."""
        if self._group is None:
            raise no_state(kind)
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
        self.waits = True  # for a request
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

    def solve(self, request: dict[str, Any], on_step: OnStep | None, observer: OnStep | None) -> dict[str, Any]:
        """Return the result of a request; afterwards `waits` says whether the ranks wait for another one."""
        self.waits = False
        self._send(request | {"observed": observer is not None})
        while "step" in (found := self._answer()):
            if on_step is not None:
                on_step(found["step"])
            if observer is not None:
                self._show(found["step"], observer)
        self.waits = True
        return _accepted(found)

    def _show(self, step: Step, observer: OnStep) -> None:
        """Call the observer while the ranks wait, and let them go on, or end the solution where it raises."""
        try:
            observer(step)
        except BaseException:
            with contextlib.suppress(WavegridError):  # they may have ended, too
                self._send({"go_on": False})
                while "ended" not in self._answer():
                    pass
                self.waits = True
            raise
        self._send({"go_on": True})

    def state(self, kind: str) -> list[Any]:
        """Return what each rank has written, by rank."""
        self._send({"state": kind})
        _accepted(self._answer())
        files = [self.shared / f"{STATE}.{rank}" for rank in range(len(self._files))]
        while not all(file.exists() for file in files):  # rank 0 answers when its own is there
            if self.child.poll() is not None:
                raise self._fault("the ranks ended unexpectedly")
            time.sleep(0.01)
        parts = [pickle.loads(file.read_bytes()) for file in files]
        for file in files:
            file.unlink()
        return parts

    def _send(self, request: dict[str, Any]) -> None:
        """Write a line to all ranks."""
        line = json.dumps(request) + "\n"
        try:
            for stream in self._files:
                stream.write(line)
                stream.flush()
        except OSError:
            raise self._fault("the ranks ended unexpectedly") from None

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


def _accepted(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer; raises InputError where the ranks refuse."""
    if "refused" in answer:
        raise InputError(answer["refused"])
    return answer


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
