"""The plot of a series of calculations that shows convergence."""

from pathlib import Path
from typing import TYPE_CHECKING

from wavegrid.plots import axes, files

if TYPE_CHECKING:
    from wavegrid.checks.converge import Run
    from wavegrid.discretisation.base import Setting

_COLOUR = "#08519c"
_LEAST_FORCE = 1e-6  # eV/A; what is below is rounding
_LEAST_SPAN = 1e-4  # of an axis, in its unit


def save(plot: Path, title: str, setting: "Setting", series: "list[Run]", tolerance: float) -> None:
    """Draw the difference of each run from the last: energy, with the tolerance (meV per atom), force and pressure."""
    sizes = [run.size * setting.scale for run in series]
    last = series[-1]
    curves = {"energy (meV/atom)": [(run.energy - last.energy) * 1e3 for run in series]}
    if max(run.largest_force for run in series) > _LEAST_FORCE:  # else symmetry lets no atom have any
        curves["largest force (eV/A)"] = [run.largest_force - last.largest_force for run in series]
    if last.pressure is not None:
        curves["pressure (GPa)"] = [run.pressure - last.pressure for run in series if run.pressure is not None]
    figure = files.new_figure(6.4, 1.0 + 1.8 * len(curves))
    panels = figure.subplots(len(curves), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (name, values) in zip(panels, curves.items(), strict=True):
        axis.plot(sizes, values, "o-", color=_COLOUR, markersize=4)
        axis.axhline(0, color="0.7", linewidth=0.8)
        axis.set_ylabel(f"{name} - last", fontsize=9)
        axis.spines[["top", "right"]].set_visible(False)
        axes.linear(axis, _LEAST_SPAN)
    panels[0].axhspan(-tolerance, tolerance, color=_COLOUR, alpha=0.12, linewidth=0)
    linear = max(2 * tolerance, 1e-6)
    panels[0].set_yscale("symlog", linthresh=linear)
    files.set_title(panels[0], title)
    panels[-1].set_xlabel(setting.axis)
    files.save(figure, plot)
