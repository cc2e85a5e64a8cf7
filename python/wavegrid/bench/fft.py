"""Runs the compiled benchmark of the compact FFT for every case and layout and collects what it prints."""

import itertools
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

import wavegrid
from wavegrid import core as core_door
from wavegrid import launch, supervise
from wavegrid.bench.request import Case, Layout, Request
from wavegrid.errors import EnvironmentFault, InputError, InternalFault, WavegridError
from wavegrid.progress import counted

KEYS = ("case", "n", "radius", "mode", "bands", "ranks", "threads", "library", "ms_per_band", "ratio_to_dense")


@dataclass
class Result:
    """What was measured, by which versions."""

    rows: list[dict]  # with KEYS
    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before

    @property
    def has_spfft(self) -> bool:
        """Whether the program was built with SpFFT."""
        return "spfft" in self.versions


def program() -> Path:
    """Return the compiled benchmark, which the build puts beside the package and a wheel brings along."""
    path = Path(wavegrid.__file__).parent / "bin" / "bench_fft"
    if not path.exists():
        raise EnvironmentFault(f"the compiled benchmark {path} is missing; run 'make build'")
    return path


def measure(request: Request) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    if launch.under_launcher():
        raise InputError("bench starts its ranks itself; call it without mpirun, with --ranks N")
    versions = core_door.load().versions()
    needs_launcher = any(layout.ranks > 1 for layout in request.layouts)
    launcher = launch.find_launcher(versions.get("mpi", "")) if needs_launcher else None
    result = Result([], {"wavegrid": wavegrid.__version__, **versions}, os.getloadavg()[0])
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        starts = list(itertools.product(request.cases, request.layouts))
        task = progress.add_task("", total=len(starts) * len(request.modes) * len(request.bands))
        for case, layout in starts:
            where = f"{case.name}: {counted(layout.ranks, 'rank')}, {counted(layout.threads, 'thread')}"
            progress.update(task, description=where)
            one = _Run(case, layout, result, lambda: progress.advance(task))
            one.start(_words(request, case, layout), launcher if layout.ranks > 1 else None)
    return result


@dataclass
class _Run:
    """One start of the program: its lines are JSON objects, anything else is a complaint."""

    case: Case
    layout: Layout
    result: Result
    advance: Callable[[], None]  # called after each mode and number of bands
    complaints: list[str] = field(default_factory=list)

    def start(self, program: list[str], launcher: launch.Launcher | None) -> None:
        """Run the program to its end; raises the fault that it tells."""
        ranks, threads = self.layout.ranks, self.layout.threads
        before = len(self.result.rows)
        command = launch.command(launcher, ranks, threads, program)
        code = supervise.wait_for(command, launch.environment(launcher, ranks, threads), self.on_line)
        if code != 0 or len(self.result.rows) == before:
            raise self.fault(code)

    def on_line(self, line: str) -> None:
        """Take in one line of the program."""
        if not line.startswith("{"):
            self.complaints.append(line)
            return
        content = json.loads(line)
        if "library" not in content:  # the first line tells versions
            self.result.versions |= {name: version for name, version in content.items() if version}
            return
        row = asdict(self.layout) | content | {"case": self.case.name, "n": self.case.n, "radius": self.case.radius}
        self.result.rows.append({key: row[key] for key in KEYS})
        if row["library"] == "fftw":  # the last of its group
            self.advance()

    def fault(self, code: int) -> WavegridError:
        """Return the fault behind an exit code, in the program's own words where it left any."""
        said = [line for line in self.complaints if line.strip()]
        said = [line for line in said if line.startswith("error: ")] or said
        reason = said[0].removeprefix("error: ") if said else f"exit code {code}, without a word"
        kind = EnvironmentFault if code == EnvironmentFault.exit_code else InternalFault
        return kind(f"the benchmark failed in case {self.case.name} on {counted(self.layout.ranks, 'rank')}: {reason}")


def _words(request: Request, case: Case, layout: Layout) -> list[str]:
    """Return the command line of the program."""
    options = {
        "--case": f"{case.n}:{case.radius}",
        "--mode": ",".join(request.modes),
        "--bands": ",".join(map(str, request.bands)),
        "--threads": str(layout.threads),
        "--repeats": str(request.repeats),
        "--scheme": request.scheme,
    }
    return [str(program()), *(word for option in options.items() for word in option)]
