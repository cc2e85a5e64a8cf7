"""The display of a run of many geometries: a line for each, and on a terminal what goes on in the present one."""

import math
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from wavegrid.base.text import duration
from wavegrid.model.reports import Activity, Step


class TimeLeft:
    """The time that a series of geometries still needs, about: that of the mean geometry so far for each."""

    column = ("left, about", 11)

    def __init__(self) -> None:
        self._solved, self._seconds = 0, 0.0

    def after(self, seconds: float, remaining: int | None) -> str:
        """Return the time after a geometry that took `seconds`, 0 of one from a file, with `remaining` ones left."""
        if seconds > 0:
            self._solved, self._seconds = self._solved + 1, self._seconds + seconds
        if remaining is None or not self._solved:
            return ""
        return duration(remaining * self._seconds / self._solved) if remaining else "-"


class Display:
    """A table that grows by a line for each geometry; a context manager. `step` and `activity` are the core's."""

    def __init__(self, console: Console, columns: list[tuple[str, int]]) -> None:
        """Show on `console`; a column has its heading and its width."""
        self._console, self._columns = console, columns
        self._live: Live | None = None
        self._count = 1
        self.steps: list[Step] = []  # SCF steps of the present geometry

    def __enter__(self) -> "Display":
        self._console.print("  ".join(name.rjust(width) for name, width in self._columns), style="bold")
        if self._console.is_terminal:
            self._live = Live(Text(""), console=self._console, transient=True, refresh_per_second=4)
            self._live.start()
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def row(self, cells: list[str]) -> None:
        """Show a finished geometry."""
        line = "  ".join(cell.rjust(width) for cell, (_, width) in zip(cells, self._columns, strict=True))
        self._console.print(line, soft_wrap=True)
        self._count += 1

    def step(self, step: Step) -> None:
        """Remember an SCF step of the present geometry, and show it on a terminal."""
        if step["step"] == 1:
            self.steps.clear()
        self.steps.append(step)
        estimate = step["error_estimate"] or 0.0
        error = f", error {estimate:.0e} Ha" if 0 < estimate < math.inf else ""
        self._show(f"geometry {self._count}: SCF step {step['step']}, {step['free_energy']:.6f} Ha{error}")

    def activity(self, report: Activity) -> None:
        """Show on a terminal what the core does besides steps."""
        words = {"derivatives": "forces and stress", "checkpoint": "checkpoint", "mixing": "initial bands"}
        self._show(f"geometry {self._count}: {words.get(report['stage'], report['stage'])}")

    def _show(self, text: str) -> None:
        if self._live is not None:
            self._live.update(Text(f"  {text}", style="dim"))
