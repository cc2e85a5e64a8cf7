"""Plots of relaxations and of molecular dynamics."""

from typing import TYPE_CHECKING, Any

from wavegrid.plots import files
from wavegrid.units import HARTREE_IN_EV, HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = ("#08519c", "#d94801")


def plot(title: str, result: dict[str, Any]) -> bytes:
    """Return the plot of `draw` as the content of a PNG file."""
    return files.png(draw(title, result))


def draw(title: str, result: dict[str, Any]) -> "Figure":
    """Return the plot of the part `relaxation` or `dynamics` of a result."""
    figure = files.new_figure(6.4, 5.4)
    upper, lower = figure.subplots(2, 1, sharex=True)
    for axis in (upper, lower):
        axis.spines[["top", "right"]].set_visible(False)
    (_relaxation if "relaxation" in result else _dynamics)(upper, lower, result)
    files.set_title(upper, title)
    return figure


def _relaxation(upper: Any, lower: Any, result: dict[str, Any]) -> None:
    """Energy relative to the last geometry, and the largest force."""
    geometries = result["relaxation"]["geometries"]
    numbers = list(range(1, len(geometries) + 1))
    energies = [one["free_energy"] * HARTREE_IN_EV for one in geometries]
    forces = [one["largest_force"] * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM for one in geometries]
    last = energies[-1] if energies else 0.0
    upper.plot(numbers, [energy - last for energy in energies], "o-", color=_COLOURS[0], markersize=4)
    upper.set_ylabel("free energy - last (eV)")
    lower.plot(numbers, forces, "o-", color=_COLOURS[0], markersize=4)
    if any(forces):
        lower.set_yscale("log")
    lower.set_ylabel("largest force (eV/Angstrom)")
    lower.set_xlabel("geometry")
    files.whole_numbers(lower.xaxis)


def _dynamics(upper: Any, lower: Any, result: dict[str, Any]) -> None:
    """Energies relative to the first step, and the temperature."""
    steps = result["dynamics"]["steps"]
    times = [step["time"] for step in steps]
    curves = {"free energy": [step["free_energy"] for step in steps]}
    if steps and "conserved" in steps[0]:
        curves["conserved"] = [step["conserved"] for step in steps]
    for (name, values), colour in zip(curves.items(), _COLOURS, strict=False):
        shifted = [(value - values[0]) * HARTREE_IN_EV for value in values]
        upper.plot(times, shifted, color=colour, linewidth=1.2, label=name)
    upper.set_ylabel("energy - first (eV)")
    upper.legend(frameon=False, fontsize=9)
    lower.plot(times, [step["temperature"] for step in steps], color=_COLOURS[0], linewidth=1.2)
    lower.set_ylabel("temperature (K)")
    lower.set_xlabel("time (fs)")
