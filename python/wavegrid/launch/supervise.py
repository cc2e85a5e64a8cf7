"""Runs the ranks of a calculation as a child process, waits for them, forwards signals, and reports how they ended.

The launcher shares a temporary directory with its ranks: `job.json` holds their job, `started` exists once MPI runs,
and one rank writes the exit code of all to `status`. The ranks then return 0 to mpirun, which would otherwise print a
banner of its own. A rank with a fault writes it to `fault.RANK`; the launcher prints it and ends the others. Once
`catches_signals` holds the process id of a rank, signals are sent to that rank only: mpirun would kill all ranks one
second after passing on a signal, before a checkpoint is written.
"""

import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from wavegrid.errors import (
    EXIT_BAD_INPUT,
    EXIT_ENVIRONMENT,
    EXIT_INTERNAL,
    EXIT_SIGNAL,
    EnvironmentFault,
    InternalFault,
    Interrupted,
)
from wavegrid.launch import mpirun
from wavegrid.launch.job import Job
from wavegrid.launch.relay import RankFault, Relay, find_report, kill_session
from wavegrid.results.products import names
from wavegrid.results.store import remove_partial

_MPI_BYTES = 16 << 20  # that mpirun and the ranks of a machine put into the temporary directory, measured: 8 MiB
_KILL_AFTER = 10.0  # seconds from SIGTERM to SIGKILL
_KILL_AFTER_SECOND = 4.0  # the same after a second signal of the user, or after a rank's fault
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_REFUSED: dict[int, str] = {
    signal.SIGKILL: "the system does this where memory runs out; use more machines, a lower cutoff or fewer bands",
    signal.SIGBUS: "the system does this where memory shared between ranks (/dev/shm) runs out",
}
# In the directory that launcher and ranks share:
JOB, STARTED, CATCHES_SIGNALS, STATUS = "job.json", "started", "catches_signals", "status"


def run_ranks(
    job: Job,
    launcher: mpirun.Launcher | None,
    program: list[str],
    *,
    ranks: int,
    threads: int,
    trace: Path | None = None,
    lock: int | None = None,
) -> int:
    """Start the ranks as `program`, wait for them and return the exit code that rank 0 reported.

    What they leave unfinished of their files, `trace` among them, is removed. The descriptor `lock` is passed to
    mpirun, which holds the lock of the output directory if this process is killed.

    Ctrl-C or a termination signal lets ranks that write checkpoints finish their step; a second one ends them at once.
    Raises Interrupted where a signal left no result, EnvironmentFault where the ranks could not be started, RankFault
    where one of them reported a fault and InternalFault where they ended without an exit code.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix="wavegrid-", ignore_cleanup_errors=True)
    except OSError as fault:
        raise EnvironmentFault(f"no temporary directory can be made: {fault.strerror}; set TMPDIR to one") from None
    with folder:
        shared = Path(folder.name)
        _write_job(shared / JOB, job)
        if launcher is not None:
            _probe(shared / "probe")
        environment = mpirun.environment(launcher, ranks, threads)
        environment |= {mpirun.WORKER: str(shared), "PYTHONUNBUFFERED": "1"}
        try:
            code = wait_for(
                mpirun.command(launcher, ranks, threads, program),
                environment,
                ask=lambda n: _ask_to_stop(shared, job, n),
                shared=shared,
                lock=lock,
            )
        except Interrupted as interrupted:
            _raise_fault(shared)  # while it stopped, such as a disk without space
            if (report := _report(shared)) is None:
                raise
            return interrupted.exit_code if report > EXIT_SIGNAL else report
        finally:
            for path in filter(None, (*(Path(job.directory) / name for name in names(job)), trace)):
                remove_partial(path, shared.name)
        return _outcome(shared, code, launcher)


def _write_job(path: Path, job: Job) -> None:
    try:
        path.write_text(json.dumps(asdict(job)))
    except OSError as fault:
        raise EnvironmentFault(f"{path.parent} cannot be written: {fault.strerror}; set TMPDIR") from None


def _probe(path: Path) -> None:
    """Find out whether MPI can put its files there: without space it crashes."""
    try:
        with path.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, _MPI_BYTES)
    except OSError as fault:
        raise EnvironmentFault(
            f"{path.parent.parent} has no space for the {_MPI_BYTES >> 20} MiB that mpirun needs: {fault.strerror}; "
            "set TMPDIR to another directory"
        ) from None
    finally:
        path.unlink(missing_ok=True)


def _ask_to_stop(shared: Path, job: Job, number: int) -> bool:
    """Ask the rank that catches signals to end after its step; return whether there is one."""
    try:
        node, rank = (shared / CATCHES_SIGNALS).read_text().rsplit(maxsplit=1)
        if node != platform.node():
            return False
        os.kill(int(rank), signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)
    except (OSError, ValueError):
        return False
    file = job.problem["checkpoint"]["file"]
    after = "\n" if sys.stderr.isatty() else ""  # ^C
    line = f"{after}stopping after this step with checkpoint {file}; a second signal stops at once\n"
    with contextlib.suppress(OSError):  # the terminal may be gone
        os.write(2, line.encode())  # print may be in the middle of another line
    return True


def wait_for(
    command: list[str],
    environment: dict[str, str],
    on_line: Callable[[str], None] | None = None,
    *,
    ask: Callable[[int], bool] | None = None,
    shared: Path | None = None,
    lock: int | None = None,
) -> int:
    """Run the command in its own process group, so that only we get the terminal's Ctrl-C, and pass signals on.

    Returns its exit code. `on_line` gets each line that it prints, to stdout or stderr; by default both become ours,
    and the first fault that a rank reports in `shared` ends the command. `ask` gets the first signal's number and
    returns whether the command will end by itself, however long that takes.
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

    with _handlers({signal.SIGINT: forward, signal.SIGTERM: forward, signal.SIGHUP: forward, signal.SIGALRM: kill}):
        try:
            child = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if on_line else subprocess.PIPE,
                start_new_session=True,
                pass_fds=() if lock is None else (lock,),
            )
        except OSError as fault:
            raise EnvironmentFault(f"{command[0]} does not start: {fault.strerror}") from None
        children.append(child)
        if caught:  # before the child was known to the handler
            child.send_signal(signal.SIGTERM)
        if shared is not None:
            Relay(child, shared, end).run()
        elif on_line is not None and child.stdout is not None:
            for line in child.stdout:
                on_line(line.decode(errors="replace").rstrip("\n"))
        code = child.wait()
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
