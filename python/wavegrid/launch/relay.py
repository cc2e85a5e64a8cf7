"""Gives the ranks their job, passes on what they print, and ends them all when one has reported a fault."""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from wavegrid.errors import WavegridError
from wavegrid.launch.handout import Handout
from wavegrid.launch.shared_folder import Report, find_report
from wavegrid.process import stdio

_POLL = 0.1  # seconds between looks at the directory
_SHARED_BY_ALL = 0.7  # seconds in which rank 0 is likely to report a fault that all ranks share
_HELD_BACK = 0.3  # seconds for which errors of the libraries wait: the report that explains them replaces them


class RankFault(WavegridError):
    """A fault that a rank has reported, with its exit code; its traceback is a note of this exception."""

    def __init__(self, report: Report):
        """Keep what the rank reported."""
        super().__init__(report.message)
        self.exit_code = report.exit_code
        if report.where:
            self.add_note(report.where)


class Relay:
    """Copies the output of a child with two pipes until it ends; `end` is called once, at the first report."""

    def __init__(self, child: subprocess.Popen[bytes], shared: Path, end: Callable[[], None], handout: Handout):
        """Watch `shared` for reports."""
        self.child, self.shared, self.end, self.handout = child, shared, end, handout
        self.reported: float | None = None  # when the first report was seen
        self.is_ending = False
        self.errors = b""  # what is held back
        self.errors_since = 0.0

    def run(self) -> None:
        """Copy until the child has ended and its pipes are empty."""
        assert self.child.stdout is not None and self.child.stderr is not None
        with selectors.DefaultSelector() as pipes:
            pipes.register(self.handout.ranks, selectors.EVENT_READ, self.handout.serve)
            for pipe in (self.child.stdout, self.child.stderr):
                pipes.register(pipe, selectors.EVENT_READ)
            ended = False
            while len(pipes.get_map()) > 1:
                ready = pipes.select(_POLL)
                for key, _ in ready:
                    if key.data is not None:
                        key.data()
                    elif not self._copy(key.fd):
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
