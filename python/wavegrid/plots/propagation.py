"""Plots of a propagation in time."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.files import propagation
from wavegrid.plots import files
from wavegrid.units import ATOMIC_TIME_IN_FS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = ("#08519c", "#d94801", "#31a354")
_UNITS = {"dipole": "dipole - first (e bohr)", "current": "current (e Ha / (hbar bohr$^2$))", "energy": "energy (Ha)"}


def plot(title: str, table: Path) -> bytes:
    """Return the plot of `draw` as the content of a PNG file."""
    return files.png(draw(title, propagation.read(table).columns))


def draw(title: str, columns: dict[str, list[float]]) -> "Figure":
    """Return what the columns of a table show: the change of the dipole, the current, else the energy."""
    shown = [name for name in ("dipole", "current") if f"{name}_x" in columns] or ["energy"]
    figure = files.new_figure(6.4, 2.7 * max(len(shown), 1.5))
    time = np.array(columns["time"]) * ATOMIC_TIME_IN_FS
    for axis, name in zip(figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0], shown, strict=True):
        for colour, suffix in zip(_COLOURS, ("_x", "_y", "_z"), strict=True):
            key = name if name == "energy" else name + suffix
            values = np.array(columns[key])
            axis.plot(time, values - values[0] if name == "dipole" else values, color=colour, linewidth=1, label=key)
            if name == "energy":
                break
        axis.set_ylabel(_UNITS[name])
        axis.legend(frameon=False, fontsize=9)
        axis.spines[["top", "right"]].set_visible(False)
    figure.axes[-1].set_xlabel("time (fs)")
    files.set_title(figure.axes[0], title)
    return figure
