"""The output of `wavegrid bench fft`: machine and versions, one table, notes."""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from wavegrid.base.text import counted
from wavegrid.bench.fft import Result
from wavegrid.bench.program import Row
from wavegrid.bench.request import Request
from wavegrid.display.console import make_console
from wavegrid.process import machine

_PLACE = ("case", "mode", "bands", "ranks", "threads")  # what the libraries of one line of the table share

_QUIET = 0.5  # load average of a machine that has nothing to do


def print_result(request: Request, result: Result, plot: Path | None) -> None:
    """Print everything to stdout."""
    console = make_console()
    console.print("compact FFT: one H application (backward, product, forward) per band", style="bold")
    print_machine(console, result.versions)
    console.print(
        f"  wavegrid's partition: {request.scheme}; the least of {request.repeats}; "
        "ratios to the fastest of several plans of FFTW's dense in-place complex pair (double precision) on one "
        "rank and one thread in the same run; work: 1-D transforms of the sphere over those of the dense pair"
    )
    console.print(table(result))
    for note in notes(request, result, plot):
        console.print(note)


def print_machine(console: Console, versions: dict[str, str]) -> None:
    """Print what the figures were measured on and with."""
    here = machine.describe()
    console.print(f"  {here['processor']}, {counted(here['cores'], 'core')}, {machine.usable_cores()} usable")
    console.print("  " + ", ".join(f"{name} {version}" for name, version in versions.items()), style="dim")


def table(result: Result) -> Table:
    """Return one line per case, mode, bands and layout, with milliseconds and ratios side by side."""
    libraries = ["wavegrid", "wavegrid single", *(["spfft"] if result.has_spfft else [])]
    grid = Table()
    for name in _PLACE:
        grid.add_column(name, justify="left" if name in ("case", "mode") else "right")
    grid.add_column("dense ms", justify="right", style="dim")
    grid.add_column("work", justify="right", style="dim")
    for name in libraries:
        grid.add_column(f"{name} ms", justify="right")
        grid.add_column("ratio", justify="right", style="bold")
    for place, found in _side_by_side(result.rows).items():
        cells = [f"{found['fftw']['ms_per_band']:.3f}", f"{found['fftw']['work_to_dense']:.3f}"]
        for name in libraries:
            cells += [f"{found[name]['ms_per_band']:.3f}", f"{found[name]['ratio_to_dense']:.3f}"]
        grid.add_row(*map(str, place), *cells)
    return grid


def notes(request: Request, result: Result, plot: Path | None) -> list[str]:
    """Return what the reader should know besides."""
    said = [] if plot is None else [f"written: {plot}"]
    if not result.has_spfft:
        said.append("SpFFT was not installed when wavegrid was built, so its rows are left out (apt: libspfft-dev)")
    return said + warnings(max(layout.ranks * layout.threads for layout in request.layouts), result.load)


def warnings(threads: int, load: float) -> list[str]:
    """Return warnings about times of so many threads on this machine, whose load average was `load` before."""
    said = []
    if threads > machine.usable_cores():
        said.append(f"warning: {threads} threads of all ranks share {machine.usable_cores()} usable cores")
    if load > _QUIET:
        said.append(
            f"warning: the load average was {load:.1f} at the start; times are reliable on an idle machine only"
        )
    return said


def _side_by_side(rows: list[Row]) -> dict[tuple[Any, ...], dict[str, Row]]:
    places: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        places.setdefault(tuple(row[key] for key in _PLACE), {})[row["library"]] = row
    return places
