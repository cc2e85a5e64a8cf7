"""Passes on what the ranks print, and ends them all when one has reported a fault."""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wavegrid import stdio
from wavegrid.errors import WavegridError
from wavegrid.text import printable

FAULT = "fault"  # in the directory that launcher and ranks share: fault.RANK, with exit code and message
_POLL = 0.1  # seconds between looks at the directory
_SHARED_BY_ALL = 0.7  # seconds in which rank 0 is likely to report a fault that all ranks share
_HELD_BACK = 0.3  # seconds for which errors of the libraries wait: the report that explains them replaces them


@dataclass(frozen=True)
class Report:
    """What a rank wrote before it ended; `where`: its traceback, if that was asked for."""

    rank: int
    exit_code: int
    message: str
    where: str = ""


class RankFault(WavegridError):
    """A fault that a rank has reported, with its exit code; its traceback is a note of this exception."""

    def __init__(self, report: Report):
        """Keep what the rank reported."""
        super().__init__(report.message)
        self.exit_code = report.exit_code
        if report.where:
            self.add_note(report.where)


def traceback_of(fault: BaseException) -> str:
    """Return the traceback of an exception where the user asks for it (WAVEGRID_TRACEBACK), else nothing."""
    if not os.environ.get("WAVEGRID_TRACEBACK"):
        return ""
    lines = "".join(traceback.format_exception(fault)).splitlines()
    return "".join(f"{printable(line)}\n" for line in lines)


def write_report(shared: Path | None, rank: int, exit_code: int, message: str, where: str = "") -> bool:
    """Report a fault to the launcher; return False where it is out of reach."""
    if shared is None or not shared.is_dir():
        return False
    path = shared / f"{FAULT}.{rank}"
    unfinished = shared / f".{path.name}"
    try:
        unfinished.write_text(f"{exit_code} {message}\n{where}", encoding="utf-8", errors="replace")
        unfinished.rename(path)
    except OSError:
        return False
    return True


def find_report(shared: Path) -> Report | None:
    """Return the complete report of the lowest rank, if there is one."""
    found = []
    for path in shared.glob(f"{FAULT}.*"):
        with contextlib.suppress(OSError, ValueError):
            text = path.read_text(errors="replace")
            first, complete, where = text.partition("\n")
            code, message = first.split(maxsplit=1)
            if complete:
                found.append(Report(int(path.suffix[1:]), int(code), message, where.rstrip("\n")))
    return min(found, key=lambda report: report.rank, default=None)


class Relay:
    """Copies the output of a child with two pipes until it ends; `end` is called once, at the first report."""

    def __init__(self, child: subprocess.Popen[bytes], shared: Path, end: Callable[[], None]):
        """Watch `shared` for reports."""
        self.child, self.shared, self.end = child, shared, end
        self.reported: float | None = None  # when the first report was seen
        self.is_ending = False
        self.errors = b""  # what is held back
        self.errors_since = 0.0

    def run(self) -> None:
        """Copy until the child has ended and its pipes are empty."""
        assert self.child.stdout is not None and self.child.stderr is not None
        with selectors.DefaultSelector() as pipes:
            for pipe in (self.child.stdout, self.child.stderr):
                pipes.register(pipe, selectors.EVENT_READ)
            ended = False
            while pipes.get_map():
                ready = pipes.select(_POLL)
                for key, _ in ready:
                    if not self._copy(key.fd):
                        pipes.unregister(key.fileobj)
                if ended and not ready:  # a process that outlives mpirun keeps the pipes open
                    break
                ended = self.child.poll() is not None
                self._watch()
        self.child.wait()
        self._pass_errors(at_once=True)

    def _copy(self, descriptor: int) -> bool:
        """Copy what is there; return whether more can come."""
        assert self.child.stdout is not None
        data = os.read(descriptor, 1 << 16)
        if descriptor == self.child.stdout.fileno():
            if self.reported is None:  # afterwards mpirun prints that the ranks have ended
                stdio.copy_to_output(data)
        elif data:
            self.errors_since = self.errors_since if self.errors else time.monotonic()
            self.errors += data
        return bool(data)

    def _watch(self) -> None:
        now = time.monotonic()
        if (report := find_report(self.shared)) is None:
            self._pass_errors(at_once=False)
            return
        self.reported = self.reported or now
        if not self.is_ending and (report.rank == 0 or now - self.reported > _SHARED_BY_ALL):
            self.is_ending = True
            self.end()

    def _pass_errors(self, *, at_once: bool) -> None:
        """Print the ranks' errors that no report explains."""
        old = at_once or time.monotonic() - self.errors_since > _HELD_BACK
        if self.errors and old and find_report(self.shared) is None:
            sys.stderr.write(self.errors.decode(errors="replace"))
            sys.stderr.flush()
            self.errors = b""


def kill_session(leader: int) -> None:
    """Kill every process of a session: mpirun gives its ranks process groups of their own."""
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError, LookupError):
            if entry.isdigit() and os.getsid(int(entry)) == leader:
                os.kill(int(entry), signal.SIGKILL)
