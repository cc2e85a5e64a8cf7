"""Runs the ranks of a calculation as a child process, waits for them, forwards signals, and reports how they ended.

The launcher shares a temporary directory with its ranks: `job.json` holds their job, `started` exists once they run,
and one rank writes the exit code of all to `status`. The ranks then return 0 to mpirun, which would otherwise print a
banner of its own. Once `catches_signals` holds the process id of a rank, signals are sent to that rank only: mpirun
would kill all ranks one second after passing on a signal, before a checkpoint is written.
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

from wavegrid.errors import EXIT_SIGNAL, EnvironmentFault, InternalFault, Interrupted
from wavegrid.launch import mpirun
from wavegrid.launch.job import Job
from wavegrid.results.products import names
from wavegrid.results.store import remove_partial

_KILL_AFTER = 10.0  # seconds from SIGTERM to SIGKILL
_KILL_AFTER_SECOND = 4.0  # the same after a second signal of the user
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
) -> int:
    """Start the ranks as `program`, wait for them and return the exit code that rank 0 reported.

    What they leave unfinished of their files, `trace` among them, is removed.

    Ctrl-C or a termination signal lets ranks that write checkpoints finish their step; a second one ends them at once.
    Raises Interrupted where a signal left no result, EnvironmentFault where the ranks could not be started and
    InternalFault where they ended without an exit code.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix="wavegrid-", ignore_cleanup_errors=True)
    except OSError as fault:
        raise EnvironmentFault(f"no temporary directory can be made: {fault.strerror}; set TMPDIR to one") from None
    with folder:
        shared = Path(folder.name)
        _write_job(shared / JOB, job)
        environment = mpirun.environment(launcher, ranks, threads)
        environment |= {mpirun.WORKER: str(shared), "PYTHONUNBUFFERED": "1"}
        try:
            code = wait_for(
                mpirun.command(launcher, ranks, threads, program),
                environment,
                ask=lambda n: _ask_to_stop(shared, job, n),
            )
        except Interrupted as interrupted:
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
    os.write(2, line.encode())  # print may be in the middle of another line
    return True


def wait_for(
    command: list[str],
    environment: dict[str, str],
    on_line: Callable[[str], None] | None = None,
    *,
    ask: Callable[[int], bool] | None = None,
) -> int:
    """Run the command in its own process group, so that only we get the terminal's Ctrl-C, and pass signals on.

    Returns its exit code. `on_line` gets each line that it prints, to stdout or stderr; by default both are ours. `ask`
    gets the first signal's number and returns whether the command will end by itself, however long that takes.
    """
    output, errors = (subprocess.PIPE, subprocess.STDOUT) if on_line else (None, None)
    caught: list[int] = []
    children: list[subprocess.Popen[str]] = []

    asked: list[int] = []

    def forward(number: int, _frame: object) -> None:
        caught.append(number)
        if len(caught) == 1 and ask is not None and ask(number):
            asked.append(number)
            return
        # Ranks that were asked to stop ignore a second SIGTERM; mpirun kills them a second later.
        signal.setitimer(signal.ITIMER_REAL, _KILL_AFTER_SECOND if asked else _KILL_AFTER)
        for child in children:
            child.send_signal(signal.SIGTERM)

    def kill(_number: int, _frame: object) -> None:
        for child in children:
            os.killpg(child.pid, signal.SIGKILL)

    with _handlers({signal.SIGINT: forward, signal.SIGTERM: forward, signal.SIGHUP: forward, signal.SIGALRM: kill}):
        try:
            child = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
                text=True,
            )
        except OSError as fault:
            raise EnvironmentFault(f"{command[0]} does not start: {fault.strerror}") from None
        children.append(child)
        if caught:  # before the child was known to the handler
            child.send_signal(signal.SIGTERM)
        if on_line is not None and child.stdout is not None:
            for line in child.stdout:
                on_line(line.rstrip("\n"))
        code = child.wait()
        signal.setitimer(signal.ITIMER_REAL, 0)
    if caught:
        raise Interrupted(caught[0])
    return code


@contextlib.contextmanager
def _handlers(handlers: dict[signal.Signals, Callable[[int, object], None]]) -> Iterator[None]:
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _outcome(shared: Path, code: int, launcher: mpirun.Launcher | None) -> int:
    if (report := _report(shared)) is not None:
        return report
    if launcher is not None and not (shared / STARTED).exists():
        raise EnvironmentFault(f"{launcher.path} could not start the ranks (exit code {code}); its message is above")
    raise InternalFault(f"the calculation ended unexpectedly ({_how(code)})")


def _report(shared: Path) -> int | None:
    """Return the exit code that a rank has left for all, if one has."""
    try:
        return int((shared / STATUS).read_text())
    except (OSError, ValueError):
        return None


def _how(code: int) -> str:
    """Name the signal behind an exit code: negative from the system, above 128 from mpirun."""
    number = -code if code < 0 else code - 128
    if number in signal.valid_signals():
        return f"signal {signal.Signals(number).name}"
    return f"exit code {code}"
