"""Runs the ranks of a calculation as a child process, waits for them, forwards signals, and reports how they ended.

The launcher shares a temporary directory with its ranks: by a socket they get their job, `started` exists once MPI
runs, and one rank writes the exit code of all to `status`. The ranks then return 0 to mpirun, which would otherwise
print a banner of its own. A rank with a fault writes it to `fault.RANK`; the launcher prints it and ends the others.
Once `catches_signals` holds the process id of a rank, signals are sent to that rank only: mpirun would kill all ranks
one second after passing on a signal, before a checkpoint is written.
"""

import contextlib
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wavegrid.errors import (
    EXIT_BAD_INPUT,
    EXIT_ENVIRONMENT,
    EXIT_INTERNAL,
    EXIT_SIGNAL,
    EnvironmentFault,
    InternalFault,
    Interrupted,
)
from wavegrid.files.store import remove_partial
from wavegrid.job.job import Job
from wavegrid.job.outputs import file_names
from wavegrid.launch import mpirun
from wavegrid.launch.handout import Handout
from wavegrid.launch.rank_processes import RankProcesses, spawn
from wavegrid.launch.relay import RankFault, Relay, kill_session
from wavegrid.launch.shared_folder import CATCHES_SIGNALS, STARTED, STATUS, find_report

_KILL_AFTER = 10.0  # seconds from SIGTERM to SIGKILL
_KILL_AFTER_SECOND = 4.0  # the same after a second signal of the user, or after a rank's fault
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_REFUSED: dict[int, str] = {
    signal.SIGKILL: "the system does this where memory runs out; use more machines, a lower cutoff or fewer bands",
    signal.SIGBUS: "the system does this where memory shared between ranks (/dev/shm) runs out",
}


class RankGroup:
    """The ranks of one run, a context manager; they may start before there is a job for them, and then wait for it.

    At the end of the block ranks that got no job are ended. Within it a termination signal raises Interrupted.
    """

    def __init__(self, request: str, *, ranks: int, threads: int) -> None:
        """Make their folder; nothing is started yet. Raises InputError, EnvironmentFault."""
        self._request, self._processes = request, RankProcesses(ranks, threads)
        self._shared, self._handout = self._processes.shared, Handout(self._processes.socket)
        self._child: subprocess.Popen[bytes] | None = None
        self._has_job = False

    def __enter__(self) -> "RankGroup":
        with contextlib.ExitStack() as stack:
            stack.callback(self._processes.close)
            stack.enter_context(_handlers(dict.fromkeys(_STOPPING, _interrupt)))
            stack.callback(self._dismiss)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *fault: Any) -> None:
        self._stack.__exit__(*fault)

    def start(self) -> None:
        """Start them, once; raises EnvironmentFault."""
        if self._child is None:
            self._child = self._processes.start(self._request, output=subprocess.PIPE)

    def run(
        self, job: Job, meanwhile: Callable[[], None], *, trace: Path | None = None, lock: int | None = None
    ) -> int:
        """Give them the job, wait for them and return the exit code that rank 0 reported.

        `meanwhile` is called before what they print is shown; they are ended where it raises.

        What they leave unfinished of their files, `trace` among them, is removed. Rank 0 gets the descriptor `lock`,
        so that it holds the lock of the output directory if this process is killed.

        Ctrl-C or a termination signal lets ranks that write checkpoints finish their step; a second one ends them at
        once. Raises Interrupted where a signal left no result, EnvironmentFault where the ranks could not be started,
        RankFault where one of them reported a fault and InternalFault where they ended without an exit code.
        """
        self._handout.offer(asdict(job), lock)
        self._has_job = True

        def relay(child: "subprocess.Popen[bytes]", end: Callable[[], None]) -> None:
            try:
                self._handout.serve()
                with _handlers(dict.fromkeys(_STOPPING, _interrupt)):  # output may be blocked
                    meanwhile()
            except BaseException:
                kill_session(child.pid)
                child.wait()
                raise
            Relay(child, self._shared, end, self._handout).run()

        try:
            code = _wait(self._started, relay, ask=lambda n: _ask_to_stop(self._shared, job, n))
        except Interrupted as interrupted:
            _raise_fault(self._shared)  # while it stopped, such as a disk without space
            if (report := _report(self._shared)) is None:
                raise
            return interrupted.exit_code if report > EXIT_SIGNAL else report
        finally:
            for path in filter(None, (*(Path(job.directory) / name for name in file_names(job)), trace)):
                remove_partial(path, self._shared.name)
        return _outcome(self._shared, code, self._processes.launcher)

    def _started(self) -> "subprocess.Popen[bytes]":
        self.start()
        assert self._child is not None
        return self._child

    def _dismiss(self) -> None:
        """End ranks that got no job: they leave by themselves when they find the socket closed."""
        self._processes.socket.close()
        if self._child is None or self._has_job:
            return
        try:
            self._child.communicate(timeout=_KILL_AFTER_SECOND)
        except BaseException as fault:  # also a second signal of the user
            kill_session(self._child.pid)
            self._child.wait()
            if not isinstance(fault, subprocess.TimeoutExpired):
                raise


def _interrupt(number: int, _frame: object) -> None:
    raise Interrupted(number)


def _ask_to_stop(shared: Path, job: Job, number: int) -> bool:
    """Ask the rank that catches signals to end after its step; return whether there is one."""
    try:
        node, rank = (shared / CATCHES_SIGNALS).read_text().rsplit(maxsplit=1)
        if node != platform.node():
            return False
        os.kill(int(rank), signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)
    except (OSError, ValueError):
        return False
    file = job.problem["checkpoint"]["file"] if job.problem["checkpoint"] is not None else ""
    after = "\n" if sys.stderr.isatty() else ""  # ^C
    line = f"{after}stopping after this step with checkpoint {file}; a second signal stops at once\n"
    with contextlib.suppress(OSError):  # the terminal may be gone
        os.write(2, line.encode())  # print may be in the middle of another line
    return True


def wait_for(command: list[str], environment: dict[str, str], on_line: Callable[[str], None]) -> int:
    """Run the command in its own process group and return its exit code; `on_line` gets each line that it prints.

    Signals are passed on; raises Interrupted after one.
    """

    def read(child: "subprocess.Popen[bytes]", _end: Callable[[], None]) -> None:
        assert child.stdout is not None
        for line in child.stdout:
            on_line(line.decode(errors="replace").rstrip("\n"))

    return _wait(lambda: spawn(command, environment, subprocess.PIPE, subprocess.STDOUT), read)


def _wait(
    start: Callable[[], "subprocess.Popen[bytes]"],
    read: Callable[["subprocess.Popen[bytes]", Callable[[], None]], None],
    ask: Callable[[int], bool] | None = None,
) -> int:
    """Return the exit code of the child that `start` returns, and pass signals on to it.

    `read` takes its output; it gets the child and a function that ends it. `ask` gets the first signal's number and
    returns whether the child will end by itself, however long that takes.
    """
    caught: list[int] = []
    children: list[subprocess.Popen[bytes]] = []
    asked: list[int] = []

    def forward(number: int, _frame: object) -> None:
        caught.append(number)
        if len(caught) == 1 and ask is not None and ask(number):
            asked.append(number)
            return
        # Ranks that were asked to stop ignore a second SIGTERM; mpirun kills them a second later.
        end(_KILL_AFTER_SECOND if asked else _KILL_AFTER)

    def end(kill_after: float = _KILL_AFTER_SECOND) -> None:
        signal.setitimer(signal.ITIMER_REAL, kill_after)
        for child in children:
            child.send_signal(signal.SIGTERM)

    def kill(_number: int, _frame: object) -> None:
        for child in children:
            kill_session(child.pid)

    with _handlers({**dict.fromkeys(_STOPPING, forward), signal.SIGALRM: kill}):
        children.append(child := start())
        if caught:  # before the child was known to the handler
            child.send_signal(signal.SIGTERM)
        try:
            read(child, end)
            code = child.wait()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    if caught:
        raise Interrupted(caught[0])
    return code


@contextlib.contextmanager
def _handlers(handlers: dict[signal.Signals, Callable[[int, object], None]]) -> Iterator[None]:
    nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    wanted = {number: handler for number, handler in handlers.items() if not (nohup and number == signal.SIGHUP)}
    previous = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    try:
        yield
    finally:
        for number, old in previous.items():
            signal.signal(number, old)


def _outcome(shared: Path, code: int, launcher: mpirun.Launcher | None) -> int:
    _raise_fault(shared)
    if (report := _report(shared)) is not None:
        return report
    if code in (EXIT_BAD_INPUT, EXIT_ENVIRONMENT, EXIT_INTERNAL) and not mpirun.one_node():
        return code  # a rank on another machine has printed its message
    if launcher is not None and not (shared / STARTED).exists():
        raise EnvironmentFault(f"{launcher.path} could not start the ranks (exit code {code}); its message is above")
    number = -code if code < 0 else code - EXIT_SIGNAL  # from the system, from mpirun
    if launcher is not None and launcher.kind == "hydra" and code > EXIT_INTERNAL:
        number = code  # of MPICH
    if number in _STOPPING:
        raise Interrupted(number)
    if number in _REFUSED:
        name = signal.Signals(number)
        raise EnvironmentFault(f"a rank was ended by {name.name}: {_REFUSED[name]}")
    raise InternalFault(f"the calculation ended unexpectedly ({_how(code, number)})")


def _raise_fault(shared: Path) -> None:
    """Raise the fault that a rank has reported, if one has."""
    if (found := find_report(shared)) is not None:
        raise RankFault(found) from None


def _report(shared: Path) -> int | None:
    """Return the exit code that a rank has left for all, if one has."""
    try:
        return int((shared / STATUS).read_text())
    except (OSError, ValueError):
        return None


def _how(code: int, number: int) -> str:
    return f"signal {signal.Signals(number).name}" if number in signal.valid_signals() else f"exit code {code}"
