"""Axes of plots: logarithmic ones without numbers that are rounding, energies in a unit of their size."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MILLI = 0.05  # eV; smaller differences are shown in meV
_MOST_DECADES = 8  # with a label each


def logarithmic(axis: "Axes", least: float) -> None:
    """Make the y axis of what is drawn logarithmic, with labels at powers of ten.

    Values below `least` are rounding: they are drawn there, and where all are, the axis stays linear and says so.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    lines = axis.get_lines()
    values = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in lines] or [np.zeros(1)])
    largest = np.nanmax(values, initial=0.0)
    if largest <= least:
        axis.set_ylim(0, least)
        axis.set_yticks([0])
        axis.annotate(f"below {least:.0e}", (0.5, 0.5), xycoords="axes fraction", ha="center", fontsize=9, color="0.4")
        return
    for line in lines:
        line.set_ydata(np.maximum(np.asarray(line.get_ydata(), dtype=float), least))
    low, high = 0.7 * max(np.nanmin(values), least), 1.4 * largest
    if math.floor(math.log10(high)) <= math.ceil(math.log10(low)):  # else fewer than two labels
        low, high = 0.7 * 10.0 ** math.floor(math.log10(low)), 1.4 * 10.0 ** math.ceil(math.log10(high))
    axis.set_yscale("log")
    axis.set_ylim(low, high)
    axis.yaxis.set_major_locator(LogLocator(numticks=_MOST_DECADES))
    axis.yaxis.set_minor_formatter(NullFormatter())


def linear(axis: "Axes", least: float) -> None:
    """Give the y axis a span of at least `least`, below which differences are rounding, and plain numbers."""
    low, high = axis.get_ylim()
    if high - low < least:
        centre = (low + high) / 2
        axis.set_ylim(centre - least / 2, centre + least / 2)
    axis.ticklabel_format(axis="y", useOffset=False)


def unit_of_energies(values: Sequence[float]) -> tuple[float, str]:
    """Return the factor and the name of the unit in which differences of energies, eV, are shown."""
    size = max(map(abs, values), default=0.0)
    return (1e3, "meV") if size < _MILLI else (1.0, "eV")
