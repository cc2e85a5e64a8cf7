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
import time
import weakref
from collections.abc import Mapping
from typing import IO, Any

from wavegrid.errors import InputError, InternalFault, WavegridError
from wavegrid.launch.rank_processes import RankProcesses
from wavegrid.launch.ranks import OnStep, Ranks, Request, State, no_state
from wavegrid.launch.relay import RankFault, kill_session
from wavegrid.launch.shared_folder import LOG, STATE, find_report, open_private
from wavegrid.model.reports import Step

_START = 120.0  # seconds in which all ranks have to connect
_STOP = 3.0  # seconds in which they have to end
_REPORT = 1.0  # seconds after the end of a rank in which its fault may be found


class RankPool(Ranks):
    """Ranks of our own, started by the first request; a fault that is not an InputError ends them."""

    def __init__(self, count: int, threads: int) -> None:
        """Remember how many; `close()` or the end of this object ends them."""
        self.count, self._threads = count, threads
        self._group: _Group | None = None

    def answer(self, request: Request, on_step: OnStep | None = None, observer: OnStep | None = None) -> dict[str, Any]:
        """Solve; raises the fault of the ranks, which then have ended unless it is an InputError."""
        if self._group is None:
            self._group = _Group(self.count, self._threads)
        try:
            return self._group.solve(request, on_step, observer)
        except BaseException:
            if not self._group.waits:
                self.close()
            raise

    def state(self, kind: State) -> list[Any]:
        """Return the parts of all ranks."""
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
        self._processes = RankProcesses(ranks, threads)
        self.shared = self._processes.shared
        self.waits = True  # for a request
        self._files: list[IO[str]] = []
        with open_private(self.shared / LOG) as log:
            self.child = self._processes.start("", output=log)
        self.end = weakref.finalize(self, _end, self.child, self._files, self._processes)
        self._accept(ranks)

    def _accept(self, ranks: int) -> None:
        """Wait until all ranks have connected; rank 0 comes first in the list."""
        by_rank: dict[int, IO[str]] = {}
        latest = time.monotonic() + _START
        while len(by_rank) < ranks:
            for rank, connection in self._processes.socket.connected(0.2):
                stream = connection.makefile("rw", encoding="utf-8")
                connection.close()  # the stream holds it
                self._files.append(stream)
                by_rank[rank] = stream
            if len(by_rank) < ranks and (self.child.poll() is not None or time.monotonic() > latest):
                raise self._fault("the ranks did not start")
        self._files[:] = [by_rank[rank] for rank in range(ranks)]
        self._processes.socket.close()  # to others

    def solve(self, request: Request, on_step: OnStep | None, observer: OnStep | None) -> dict[str, Any]:
        """Return the result of a request; afterwards `waits` says whether the ranks wait for another one."""
        self.waits = False
        self._send({**request, "observed": observer is not None})
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

    def state(self, kind: State) -> list[Any]:
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

    def _send(self, request: Mapping[str, Any]) -> None:
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


def _end(child: "subprocess.Popen[bytes]", files: list[IO[str]], processes: RankProcesses) -> None:
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
    processes.close()
