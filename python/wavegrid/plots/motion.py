"""Plots of relaxations, of molecular dynamics and of equations of state."""

from typing import TYPE_CHECKING, Any

import numpy as np

from wavegrid.model.motion import DynamicsStep, EquationOfState, RelaxedGeometry
from wavegrid.model.result import Result
from wavegrid.plots import axes, files, series
from wavegrid.results import equation_of_state
from wavegrid.units import (
    BOHR_IN_ANGSTROM,
    HARTREE_IN_EV,
    HARTREE_PER_BOHR3_IN_GPA,
    HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = ("#08519c", "#d94801")
# Below these, numbers are rounding: eV, eV/Angstrom, GPa, K.
_LEAST_ENERGY, _LEAST_FORCE, _LEAST_STRESS, _LEAST_TEMPERATURE = 1e-6, 1e-7, 1e-5, 1e-3


def plot(title: str, result: Result) -> bytes:
    """Return the plot of `draw` as the content of a PNG file."""
    return files.png(draw(title, result))


def draw(title: str, result: Result) -> "Figure":
    """Return the plot of the part of many geometries of a result."""
    if result.vibrations is not None:
        figure = series.vibrations(result.vibrations)
    elif result.reaction_path is not None:
        figure = series.reaction_path(result.reaction_path)
    elif result.phonons is not None:
        figure = series.phonons(result.phonons)
    elif result.elastic is not None:
        figure = series.elastic(result.elastic)
    elif result.relaxation is not None:
        figure = _relaxation(result.relaxation.geometries)
    elif result.dynamics is not None:
        figure = _dynamics(result.dynamics.steps)
    else:
        assert result.equation_of_state is not None
        figure = _equation_of_state(result.equation_of_state)
    for axis in figure.axes:
        axis.spines[["top", "right"]].set_visible(False)
    figure.align_ylabels()
    files.set_title(figure.axes[0], title)
    return figure


def _relaxation(geometries: list[RelaxedGeometry]) -> "Figure":
    """Energy relative to the last geometry, the largest force, and of a cell the distance from the pressure.

    Where symmetry keeps the atoms of a cell in place, their forces are left out.
    """
    energies = [one.free_energy * HARTREE_IN_EV for one in geometries]
    energies = [energy - energies[-1] for energy in energies]
    factor, unit = axes.unit_of_energies(energies)
    forces = [one.largest_force * HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM for one in geometries]
    stresses = [one.stress_deviation_GPa for one in geometries if one.stress_deviation_GPa is not None]
    of_cell = bool(stresses) and len(stresses) == len(geometries)
    curves = []
    if not of_cell or max(forces) > _LEAST_FORCE:
        curves.append(("largest force (eV/Angstrom)", forces, _LEAST_FORCE))
    if of_cell:
        curves.append(("stress - pressure (GPa)", stresses, _LEAST_STRESS))
    figure = files.new_figure(6.4, 2.7 * (1 + len(curves)))
    upper, *others = figure.subplots(1 + len(curves), 1, sharex=True)
    numbers = list(range(1, len(geometries) + 1))
    style: dict[str, Any] = {"marker": "o", "color": _COLOURS[0], "markersize": 4}
    upper.plot(numbers, [energy * factor for energy in energies], **style)
    upper.set_ylabel(f"free energy - last ({unit})")
    axes.linear(upper, _LEAST_ENERGY * factor)
    for axis, (name, values, least) in zip(others, curves, strict=True):
        axis.plot(numbers, values, **style)
        axis.set_ylabel(name)
        axes.logarithmic(axis, least)
    figure.axes[-1].set_xlabel("geometry")
    files.whole_numbers(figure.axes[-1].xaxis)
    return figure


def _dynamics(steps: list[DynamicsStep]) -> "Figure":
    """Energies relative to the first step, and the temperature."""
    figure = files.new_figure(6.4, 5.4)
    upper, lower = figure.subplots(2, 1, sharex=True)
    times = [step.time for step in steps]
    curves = {"free energy": [step.free_energy for step in steps]}
    if steps and steps[0].conserved is not None:
        curves["conserved"] = [step.conserved or 0.0 for step in steps]
    shifted = {name: [(value - values[0]) * HARTREE_IN_EV for value in values] for name, values in curves.items()}
    factor, unit = axes.unit_of_energies([value for values in shifted.values() for value in values])
    for (name, values), colour in zip(shifted.items(), _COLOURS, strict=False):
        upper.plot(times, [value * factor for value in values], color=colour, linewidth=1.2, label=name)
    upper.set_ylabel(f"energy - first ({unit})")
    upper.legend(frameon=False, fontsize=9)
    axes.linear(upper, _LEAST_ENERGY * factor)
    lower.plot(times, [step.temperature for step in steps], color=_COLOURS[0], linewidth=1.2)
    lower.set_ylabel("temperature (K)")
    lower.set_xlabel("time (fs)")
    axes.linear(lower, _LEAST_TEMPERATURE)
    return figure


def _equation_of_state(part: EquationOfState) -> "Figure":
    """Energies relative to the minimum, and the curve."""
    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    volumes = [one.volume * BOHR_IN_ANGSTROM**3 for one in part.volumes]
    energies = [one.free_energy * HARTREE_IN_EV for one in part.volumes]
    curve = equation_of_state.from_part(part.fit) if part.fit is not None else None
    lowest = min(energies, default=0.0) if curve is None else curve.energy * HARTREE_IN_EV
    factor, unit = axes.unit_of_energies([energy - lowest for energy in energies])
    curves = [] if curve is None else [("Birch-Murnaghan", curve, "-")]
    if part.vinet is not None:
        curves.append(("Vinet", equation_of_state.from_part(part.vinet, "vinet"), "--"))
    for (name, one, style), colour in zip(curves, (_COLOURS[0], "0.3"), strict=False):
        points = np.linspace(min(volumes), max(volumes), 200)
        found = one.energies(points / BOHR_IN_ANGSTROM**3) * HARTREE_IN_EV - lowest
        axis.plot(points, found * factor, style, color=colour, linewidth=1.2, label=_minimum(name, one))
    if curve is not None:
        axis.legend(frameon=False, fontsize=8)
        axis.axvline(curve.volume * BOHR_IN_ANGSTROM**3, color="0.4", linewidth=0.7, linestyle=":")
    axis.plot(volumes, [(energy - lowest) * factor for energy in energies], "o", color=_COLOURS[1], markersize=5)
    axis.set_xlabel("volume (Angstrom$^3$)")
    axis.set_ylabel(f"free energy - {'lowest' if curve is None else 'minimum'} ({unit})")
    return figure


def _minimum(name: str, curve: equation_of_state.Curve) -> str:
    """Return what the legend says of a curve."""
    volume, modulus = curve.volume * BOHR_IN_ANGSTROM**3, curve.bulk_modulus * HARTREE_PER_BOHR3_IN_GPA
    return f"{name}: {volume:.3f} Angstrom$^3$, {modulus:.1f} GPa, {curve.derivative:.2f}"
