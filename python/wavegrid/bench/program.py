"""Starts a compiled benchmark on its ranks and passes its output on line by line."""

import json
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console
from rich.progress import Progress

import wavegrid
from wavegrid.base.text import counted
from wavegrid.errors import EnvironmentFault, InputError, InternalFault, WavegridError
from wavegrid.launch import mpirun, supervise
from wavegrid.process import core_loader

Row = dict[str, Any]  # one measurement, as a program and --json print it


@dataclass
class Measured:
    """What was measured, by which versions."""

    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before
    rows: list[Row] = field(default_factory=list)
    keys: ClassVar[tuple[str, ...]] = ()  # of a row that is printed

    def json_rows(self) -> list[Row]:
        """Return the rows with their keys alone."""
        return [{key: row[key] for key in self.keys} for row in self.rows]


def launcher_of(versions: dict[str, str], ranks: int) -> mpirun.Launcher | None:
    """Return what starts so many ranks; one needs none."""
    return mpirun.find_launcher(versions.get("mpi", "")) if ranks > 1 else None


def in_turn(steps: Iterable[tuple[str, Callable[[], None]]]) -> None:
    """Take steps one after the other; their names are on a terminal's stderr meanwhile."""
    console, steps = Console(stderr=True), list(steps)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(steps))
        for name, step in steps:
            progress.update(task, description=name)
            step()
            progress.advance(task)


def compiled(name: str) -> Path:
    """Return the compiled benchmark, which the build puts into the package; raises EnvironmentFault."""
    path = Path(wavegrid.__file__).parent / "bin" / name
    if not path.exists():
        raise EnvironmentFault(
            f"wavegrid was installed without its benchmarks ({name}); install them: pip install 'wavegrid[bench]' "
            "-C cmake.define.WAVEGRID_BENCHMARKS=ON, or in a clone: make build-all"
        )
    return path


def versions() -> dict[str, str]:
    """Return the versions of wavegrid and its libraries; raises InputError for ranks that mpirun started."""
    if mpirun.under_launcher():
        raise InputError("bench starts its ranks itself; call it without mpirun, with --ranks N")
    return {"wavegrid": wavegrid.__version__, **core_loader.load().versions()}


@dataclass
class Run:
    """One start of a program: its lines are JSON objects, all others are messages."""

    case: str
    ranks: int
    threads: int
    take: Callable[[dict[str, Any]], None]  # gets each object
    taken: int = 0
    messages: list[str] = field(default_factory=list)

    def start(self, program: list[str], launcher: mpirun.Launcher | None) -> None:
        """Run the program to its end; raises the error that it reports. One rank needs no launcher."""
        mpirun.check_start(self.ranks)
        launcher = launcher if self.ranks > 1 else None
        command = mpirun.command(launcher, self.ranks, self.threads, program)
        with tempfile.TemporaryDirectory(prefix="wavegrid-", ignore_cleanup_errors=True) as folder:
            environment = mpirun.environment(launcher, self.ranks, self.threads, folder)
            code = supervise.wait_for(command, environment, self._on_line)
        if code != 0 or self.taken == 0:
            raise self._fault(code)

    def _on_line(self, line: str) -> None:
        if line.startswith("{"):
            self.taken += 1
            self.take(json.loads(line))
        else:
            self.messages.append(line)

    def _fault(self, code: int) -> WavegridError:
        """Return the fault behind an exit code, with the message of the program where there is one."""
        said = [line for line in self.messages if line.strip()]
        said = [line for line in said if line.startswith("error: ")] or said
        reason = said[0].removeprefix("error: ") if said else f"exit code {code}, without a message"
        kind = {InputError.exit_code: InputError, EnvironmentFault.exit_code: EnvironmentFault}.get(code, InternalFault)
        return kind(f"the benchmark failed in case {self.case} on {counted(self.ranks, 'rank')}: {reason}")


def words(options: dict[str, str]) -> list[str]:
    """Return options and their values as a program takes them."""
    return [word for option in options.items() for word in option]
