"""Runs the compiled benchmark of the compact FFT for every case and layout and collects what it prints."""

import json
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

import wavegrid
from wavegrid import core as core_door
from wavegrid import launch, supervise
from wavegrid.bench.request import Case, Layout, Request
from wavegrid.errors import EnvironmentFault, InputError, InternalFault
from wavegrid.progress import counted

KEYS = ("case", "n", "radius", "mode", "bands", "ranks", "threads", "library", "ms_per_band", "ratio_to_dense")


@dataclass
class Result:
    """What was measured, by which versions."""

    rows: list[dict]  # with KEYS
    versions: dict[str, str]

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
    result = Result([], {"wavegrid": wavegrid.__version__, **versions})
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(request.cases) * len(request.layouts))
        for case in request.cases:
            for layout in request.layouts:
                where = f"{case.name}: {counted(layout.ranks, 'rank')}, {counted(layout.threads, 'thread')}"
                progress.update(task, description=where)
                _run(result, request, case, layout, launcher if layout.ranks > 1 else None)
                progress.advance(task)
    return result


def _run(result: Result, request: Request, case: Case, layout: Layout, launcher: launch.Launcher | None) -> None:
    """Start the program once; its lines are JSON objects, anything else is a complaint."""
    complaints: list[str] = []
    heard = 0

    def on_line(line: str) -> None:
        nonlocal heard
        if not line.startswith("{"):
            complaints.append(line)
            return
        heard += 1
        _take(result, json.loads(line), case, layout)

    command = launch.command(launcher, layout.ranks, layout.threads, _words(request, case, layout))
    code = supervise.wait_for(command, launch.environment(launcher, layout.ranks, layout.threads), on_line)
    if code == 0 and heard:
        return
    said = [line for line in complaints if line.startswith("error: ")] or [line for line in complaints if line.strip()]
    reason = said[0].removeprefix("error: ") if said else f"exit code {code}, without a word"
    fault = EnvironmentFault if code == EnvironmentFault.exit_code else InternalFault
    raise fault(f"the benchmark failed in case {case.name} on {counted(layout.ranks, 'rank')}: {reason}")


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


def _take(result: Result, line: dict, case: Case, layout: Layout) -> None:
    if "library" not in line:  # the first line tells versions
        result.versions |= {name: version for name, version in line.items() if version}
        return
    row = {
        "case": case.name,
        "n": case.n,
        "radius": case.radius,
        "ranks": layout.ranks,
        "threads": layout.threads,
        **line,
    }
    result.rows.append({key: row[key] for key in KEYS})
