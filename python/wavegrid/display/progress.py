"""The display during a run: a live table on a terminal, plain lines in a log."""

import math
import time
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from wavegrid.base.text import counted, duration, megabytes, printable
from wavegrid.discretisation import choose
from wavegrid.discretisation.base import Discretisation
from wavegrid.display.forecast import Forecast, remaining
from wavegrid.job.job import Job
from wavegrid.model.figures import Figures, PotentialFigures, ProjectorFigures, TimeFigures
from wavegrid.model.reports import Activity, Step

_DECIMALS = 9  # of energies in double precision
_ENERGY = 18  # width of the column; decimal points stand below each other
_COLUMNS = ("step", "precision", "free energy (Ha)".rjust(_ENERGY), "log10 SCF error", "H applications", "seconds")
_WIDTHS = (5, 9, _ENERGY, 15, 15, 9)
_MAGNETISATION, _MAGNETISATION_WIDTH = "magnetisation", 13  # a further column, with spin
_LEFT, _LEFT_WIDTH = "left, about", 16  # the last column, of plain lines
_STAGES = {
    "bands": "bands",
    "dos": "density of states",
    "scf": "bands",
    "propagate": "propagation",
    "born": "response",
    "wannier": "bands",
    "casida": "bands",
}
_COUNTED = {"bands": "", "propagation": "step", "response": "field"}  # stages of many parts, and what these are called
_SHARE, _SECONDS = 0.1, 2.0  # of the k-points, and time, from one plain line to the next at least


def show_header(console: Console, job: Job, figures: Figures, versions: dict[str, str], warnings: list[str]) -> None:
    """Print what is about to run, with notes and warnings."""
    console.print(job.title_line(), style="bold")
    show_details(console, job, figures, versions, warnings)


def show_details(console: Console, job: Job, figures: Figures, versions: dict[str, str], warnings: list[str]) -> None:
    """Print the header after its first line."""
    discretisation = choose.from_problem(job.problem)
    spins = " for each of 2 spins" if figures["spins"] == 2 else ""
    console.print(
        f"  {counted(figures['atoms'], 'atom')}, {counted(figures['electrons'], 'electron')}, "
        f"{counted(figures['bands'], 'band')}{spins}, {discretisation.size(figures)}"
    )
    path = f"; bands at {counted(figures['path_points'], 'point')} of a path" if figures["path_points"] else ""
    console.print(f"  k-points: {figures['kpoints_description']}{path}", soft_wrap=True)
    if (projectors := figures["projectors"]) and projectors["kind"] == "real":
        console.print(f"  {_projectors(projectors)}", soft_wrap=True)
    groups = (
        "" if _one_group(figures) else f"{figures['kpoint_groups']} x {figures['band_groups']} groups of k and bands, "
    )
    on_grid = figures["rows"] * figures["columns"]
    partition = (
        f"{figures['partition']} {figures['rows']} x {figures['columns']}, plane waves per rank "
        f"{figures['min_plane_waves']} to {figures['max_plane_waves']}, "
    )
    console.print(
        f"  {counted(figures['ranks'], 'rank')} of {counted(job.problem['threads'], 'thread')}, {groups}"
        f"{partition if on_grid > 1 else ''}about {megabytes(figures['bytes_per_rank'])} per rank"
    )
    if "time" in figures:
        console.print(f"  {time_line(figures['time'])}", soft_wrap=True)
    if figures["ranks"] > 1:
        console.print(f"  why these groups: {figures['groups_reason']}", style="dim", soft_wrap=True)
    if on_grid > 1:
        console.print(f"  why {figures['partition']}: {figures['partition_reason']}", style="dim", soft_wrap=True)
    if reason := figures["density_ecut_reason"]:
        console.print(f"  why {figures['density_ecut']:g} Ha for the density: {reason}", style="dim", soft_wrap=True)
    reason = figures["eigensolver_reason"]
    console.print(f"  eigensolver {figures['eigensolver']}: {reason}", style="dim", soft_wrap=True)
    console.print("  " + ", ".join(f"{name} {version}" for name, version in versions.items()), style="dim")
    for line in potential_lines(job.pseudopotentials, discretisation):
        console.print(f"  {line}", soft_wrap=True)
    for note in job.notes:
        console.print(f"note: {note}", soft_wrap=True)
    for warning in (*warnings, *(warning["message"] for warning in job.warnings)):
        console.print(f"warning: {warning}", style="yellow", soft_wrap=True)


def _projectors(of: ProjectorFigures) -> str:
    """Return projectors in real space in words."""
    return (
        f"projectors in real space: spheres of {of['radius']:.2f} bohr, {of['points']} grid points each, "
        f"error of the energy about {of['error_estimate']:.0e} Ha per atom or less ({of['reason']})"
    )


def time_line(time: TimeFigures) -> str:
    """Return the estimate of the time (job/time_estimate.py) in words."""
    return (
        f"about {duration(time['seconds'])} on this machine, if the loop takes {counted(time['steps'], 'step')}: an "
        f"estimate within a factor of {time['factor']}"
    )


def potential_lines(described: list[PotentialFigures], discretisation: Discretisation) -> list[str]:
    """Return a line for the pseudopotential of each species."""
    return [
        printable(
            f"{of['element']}: {of['name']}, {counted(of['valence'], 'valence electron')}, "
            f"{of['functional'] or 'functional unknown'}, recommended {discretisation.recommended(of)}"
        )
        for of in described
    ]


def _one_group(figures: Figures) -> bool:
    return figures["kpoint_groups"] == figures["band_groups"] == 1


def step_cells(step: Step) -> tuple[str, ...]:
    """Return one SCF step as the cells of a table row."""
    estimate = step.get("error_estimate") or 0.0
    known = 0 < estimate < math.inf
    magnetisation = (f"{step['total_magnetisation']:.5f}",) if "total_magnetisation" in step else ()
    return (
        str(step["step"]),
        "single" if step.get("single_precision") else "double",
        _energy(step["free_energy"], step.get("rounding", 0.0)),
        f"{math.log10(estimate):.2f}" if known else "-",
        str(step.get("h_applications", "-")),
        f"{step['seconds']:.2f}",
        *magnetisation,
    )


def _energy(energy: float, rounding: float) -> str:
    """Return an energy with the decimals that rounding leaves certain: the last of them may be off by one."""
    decimals = _DECIMALS if rounding == 0 else min(_DECIMALS, max(0, math.floor(-math.log10(rounding))))
    missing = _DECIMALS - decimals + (decimals == 0)
    return f"{energy:.{decimals}f}{' ' * missing}".rjust(_ENERGY)


class Progress:
    """Shows the SCF steps of one run and what follows them; a context manager.

    `step` and `activity` are the core's callbacks on rank 0.
    """

    def __init__(
        self,
        console: Console,
        *,
        spin: bool = False,
        tolerance: float | None = None,
        max_steps: int | None = None,
        task: str = "scf",
    ):
        """Show on `console`: live where it is a terminal; with `spin` the magnetisation too.

        `tolerance` (Ha) and `max_steps` of the loop: with them, how much is left is shown as soon as it can be known.
        """
        self.console = console
        self.columns = (*_COLUMNS, _MAGNETISATION) if spin else _COLUMNS
        self.limits = (tolerance, max_steps) if tolerance is not None and max_steps is not None else None
        self.task = _STAGES[task]
        self.points = "k-points of both spins:" if spin else "k-point"
        self.steps: list[Step] = []
        self.began = time.perf_counter()
        self.status = ""
        self.stage, self.stage_began, self.first_done = "", 0.0, 0  # the last one, seconds, what was done before
        self.shown = (0.0, 0.0)  # share of the k-points and seconds of the last plain line
        self.live: Live | None = None

    def __enter__(self) -> "Progress":
        """Begin the live table."""
        if self.console.is_terminal:
            self.live = Live(get_renderable=self.display, console=self.console, refresh_per_second=4)
            self.live.start()
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """End the live table; its last state stays on the screen."""
        self.began = -1.0
        if self.live is not None:
            self.live.stop()

    def step(self, step: Step) -> None:
        """Show one finished SCF step."""
        self.steps.append(step)
        if self.live is None and len(self.steps) == 1:
            self.console.print(_line(self.columns, _LEFT if self.limits else ""))
        if self.live is None:
            self.console.print(_line(step_cells(step), str(self.forecast() or "")))

    def activity(self, report: Activity) -> None:
        """Show what the core does: the start of the loop, and what follows it."""
        if report["stage"] == "mixing":
            self.console.print(
                f"  preconditioner {report['preconditioner']}: {report['reason']}", style="dim", soft_wrap=True
            )
            return
        if report["stage"] not in _COUNTED:
            self.status = {"derivatives": "forces and stress", "checkpoint": "checkpoint"}[report["stage"]]
            return
        done, total = report["done"], report["total"]
        if done == 0 or self.stage != report["stage"]:
            self.stage, self.stage_began, self.first_done = report["stage"], report["seconds"], done
            self.shown = done / max(1, total), report["seconds"]
        self.status = self.kpoint_line(report)
        share, seconds = done / max(1, total), report["seconds"]
        far_on = share >= self.shown[0] + _SHARE and seconds >= self.shown[1] + _SECONDS
        if self.live is None and done > 0 and (done == total or far_on):
            self.shown = share, seconds
            self.console.print(f"  {self.status}")

    def kpoint_line(self, report: Activity) -> str:
        """Return how far the k-points after the loop, or the steps in time, have come."""
        done, total = report["done"], report["total"]
        groups = f" in each of {report['groups']} groups" if report["groups"] > 1 else ""
        seconds = report["seconds"] - self.stage_began
        points = _COUNTED[report["stage"]] or self.points
        line = f"{self.task}: {points} {done} of {total}{groups}"
        if self.first_done < done < total:
            line += f", about {duration(seconds / (done - self.first_done) * (total - done))} left"
        return line if done < total else f"{line}, {duration(seconds)}"

    def forecast(self) -> Forecast | None:
        """Return what is left of the loop, where that is known."""
        return remaining(self.steps, *self.limits) if self.limits else None

    def display(self) -> Group:
        """Return the table and, during the run, a line with what is going on."""
        if self.began < 0:
            return Group(self.table(), *((Text(f"  {self.status}", style="dim"),) if self.task in self.status else ()))
        left = "" if self.status else self.forecast()
        now = self.status or f"step {len(self.steps) + 1}" + (f", about {left} left" if left else "")
        return Group(self.table(), Text(f"  {now}; {duration(time.perf_counter() - self.began)} so far", style="dim"))

    def table(self) -> Table:
        """Return the last steps, as many as fit on the screen."""
        table = Table(box=None, padding=(0, 2, 0, 0))
        for name in self.columns:
            table.add_column(name, justify="left" if "energy" in name else "right", no_wrap=True)
        for step in self.steps[-max(3, self.console.height - 8) :]:
            table.add_row(*step_cells(step))
        return table


def _line(cells: tuple[str, ...], left: str = "") -> str:
    """Return a plain line; what is left of the loop stands at its end, where it is known."""
    line = "  ".join(cell.rjust(width) for cell, width in zip(cells, (*_WIDTHS, _MAGNETISATION_WIDTH), strict=False))
    return f"{line}  {left:>{_LEFT_WIDTH}}" if left else line
