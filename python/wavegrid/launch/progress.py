"""The display during a run: a live table on a terminal, plain lines in a log."""

import math
import time
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from wavegrid.launch.job import Job
from wavegrid.text import counted, megabytes

_COLUMNS = ("step", "free energy (Ha)", "log10 error", "H applications", "seconds")
_WIDTHS = (5, 18, 12, 15, 9)
_MAGNETISATION, _MAGNETISATION_WIDTH = "magnetisation", 13  # a further column, with spin


def make_console(*, terminal: bool | None = None, width: int | None = None, quiet: bool = False) -> Console:
    """Return the console of a run; `terminal` overrides the guess, which is wrong behind mpirun."""
    width = width if terminal else 120
    return Console(force_terminal=terminal, width=width, quiet=quiet, highlight=False, emoji=False, markup=False)


def show_header(
    console: Console, job: Job, figures: dict[str, Any], versions: dict[str, str], warnings: list[str]
) -> None:
    """Print what is about to run, with notes and warnings."""
    grid = " x ".join(map(str, figures["grid"]))
    console.print(f"{job.title}  ({job.file})", style="bold")
    spins = " for each of 2 spins" if figures["spins"] == 2 else ""
    console.print(
        f"  {figures['atoms']} atoms, {figures['electrons']:g} electrons, {figures['bands']} bands{spins}, "
        f"{figures['plane_waves']} plane waves, grid {grid}"
    )
    path = f"; bands at {figures['path_points']} points of a path" if figures["path_points"] else ""
    console.print(f"  k-points: {figures['kpoints_description']}{path}", soft_wrap=True)
    groups = (
        "" if _one_group(figures) else f"{figures['kpoint_groups']} x {figures['band_groups']} groups of k and bands, "
    )
    console.print(
        f"  {counted(figures['ranks'], 'rank')} of {counted(job.problem['threads'], 'thread')}, {groups}"
        f"{figures['partition']} {figures['rows']} x "
        f"{figures['columns']}, plane waves per rank {figures['min_plane_waves']} to {figures['max_plane_waves']}, "
        f"about {megabytes(figures['bytes_per_rank'])} per rank"
    )
    if figures["ranks"] > 1:
        console.print(f"  why these groups: {figures['groups_reason']}", style="dim", soft_wrap=True)
    console.print(f"  why {figures['partition']}: {figures['partition_reason']}", style="dim", soft_wrap=True)
    console.print("  " + ", ".join(f"{name} {version}" for name, version in versions.items()), style="dim")
    for line in potential_lines(job.pseudopotentials):
        console.print(f"  {line}", soft_wrap=True)
    for note in job.notes:
        console.print(f"note: {note}", soft_wrap=True)
    for warning in (*warnings, *(warning["message"] for warning in job.warnings)):
        console.print(f"warning: {warning}", style="yellow", soft_wrap=True)


def potential_lines(described: list[dict[str, Any]]) -> list[str]:
    """Return a line for the pseudopotential of each species."""
    return [
        f"{of['element']}: {of['name']}, {counted(of['valence'], 'valence electron')}, "
        f"{of['functional'] or 'functional unknown'}, recommended ecut {of['recommended_ecut']:.0f} Ha "
        f"({of['recommended_ecut_source']})"
        for of in described
    ]


def _one_group(figures: dict[str, Any]) -> bool:
    return figures["kpoint_groups"] == figures["band_groups"] == 1


def step_cells(step: dict[str, Any]) -> tuple[str, ...]:
    """Return one SCF step as the cells of a table row."""
    estimate = step.get("error_estimate") or 0.0
    known = 0 < estimate < math.inf
    magnetisation = (f"{step['total_magnetisation']:.5f}",) if "total_magnetisation" in step else ()
    return (
        str(step["step"]),
        f"{step['free_energy']:.9f}",
        f"{math.log10(estimate):.2f}" if known else "-",
        str(step.get("h_applications", "-")),
        f"{step['seconds']:.2f}",
        *magnetisation,
    )


class Progress:
    """Shows the SCF steps of one run; a context manager whose `step` is the core's callback on rank 0."""

    def __init__(self, console: Console, *, spin: bool = False):
        """Show on `console`: live where it is a terminal; with `spin` the magnetisation too."""
        self.console = console
        self.columns = (*_COLUMNS, _MAGNETISATION) if spin else _COLUMNS
        self.steps: list[dict[str, Any]] = []
        self.began = time.perf_counter()
        self.live: Live | None = None

    def __enter__(self) -> "Progress":
        """Begin the live table, or print the heading of the plain one."""
        if self.console.is_terminal:
            self.live = Live(get_renderable=self.table, console=self.console, refresh_per_second=4)
            self.live.start()
        else:
            self.console.print(_line(self.columns))
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """End the live table; its last state stays on the screen."""
        self.began = -1.0
        if self.live is not None:
            self.live.stop()

    def step(self, step: dict[str, Any]) -> None:
        """Show one finished SCF step."""
        self.steps.append(step)
        if self.live is None:
            self.console.print(_line(step_cells(step)))

    def table(self) -> Table:
        """Return the last steps, as many as fit on the screen, with a clock below during the run."""
        table = Table(box=None, padding=(0, 2, 0, 0))
        for name in self.columns:
            table.add_column(name, justify="right")
        for step in self.steps[-max(3, self.console.height - 8) :]:
            table.add_row(*step_cells(step))
        if self.began >= 0:
            running = str(len(self.steps) + 1)
            table.add_row(running, "...", "", "", f"{time.perf_counter() - self.began:.1f}", style="dim")
        return table


def _line(cells: tuple[str, ...]) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, (*_WIDTHS, _MAGNETISATION_WIDTH), strict=False))
