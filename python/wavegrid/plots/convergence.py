"""Plots of the self-consistency loop."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wavegrid.model.run_statistics import ScfStep
from wavegrid.plots import axes, files

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOUR = "#08519c"
_ROUNDING = 1e-13  # of an energy, relative


def draw(title: str, steps: Sequence[ScfStep]) -> "Figure":
    """Return the plot of `scf_history` of a result: estimated error, and distance from the last free energy, Ha."""
    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    axis.spines[["top", "right"]].set_visible(False)
    last = steps[-1].free_energy if steps else 0.0
    errors = [(step.step, step.error_estimate) for step in steps if step.error_estimate]
    distances = [(step.step, abs(step.free_energy - last)) for step in steps[:-1]]
    axis.plot(*_columns(errors), "o-", color=_COLOUR, markersize=4, label="estimated error")
    axis.plot(*_columns(distances), "x", color="0.5", markersize=5, label="distance from the last energy")
    axes.logarithmic(axis, _ROUNDING * max(1.0, abs(last)))
    axis.set_xlabel("SCF step")
    axis.set_ylabel("free energy (Ha)")
    files.whole_numbers(axis.xaxis)
    if steps and steps[0].step == steps[-1].step:  # the locator would divide a range that holds one whole number
        axis.set_xticks([steps[0].step])
    axis.legend(frameon=False, fontsize=9)
    files.set_title(axis, title)
    return figure


def _columns(points: list[tuple[int, float]]) -> tuple[list[int], list[float]]:
    """Return x and y; a value of 0 has no place on the axis."""
    return [x for x, y in points], [y if y > 0 else math.nan for _, y in points]
