"""Plots of elastic constants, phonons, vibrations and reaction paths."""

from typing import TYPE_CHECKING

import numpy as np

from wavegrid.model.series import ElasticConstants, Phonons, ReactionPath, Vibrations
from wavegrid.plots import files
from wavegrid.results import elasticity
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PLANES = (("x", "y", (0, 1)), ("x", "z", (0, 2)), ("y", "z", (1, 2)))


def elastic(part: ElasticConstants) -> "Figure":
    """Young's modulus along the directions of three planes; where there are no constants, the stresses so far."""
    figure = files.new_figure(6.4, 3.2)
    if part.constants_GPa is None or not part.stable:
        axis = figure.subplots()
        axis.plot([max(map(abs, cell.stress_GPa)) for cell in part.cells if cell.stress_GPa], "o-")
        axis.set_xlabel("strained cell")
        axis.set_ylabel("largest stress (GPa)")
        return figure
    constants = np.array(part.constants_GPa)
    angles = np.linspace(0, 2 * np.pi, 361)
    for axis, (across, up, plane) in zip(figure.subplots(1, 3, sharex=True, sharey=True), _PLANES, strict=True):
        directions = np.zeros((len(angles), 3))
        directions[:, plane[0]], directions[:, plane[1]] = np.cos(angles), np.sin(angles)
        moduli = elasticity.young_along(constants, directions)
        axis.plot(moduli * np.cos(angles), moduli * np.sin(angles), color="#08519c", linewidth=1.2)
        axis.set_aspect("equal")
        axis.set_xlabel(f"{across} (GPa)")
        axis.set_ylabel(f"{up} (GPa)")
    figure.supxlabel("Young's modulus along the directions of three planes", fontsize=9)
    return figure


def phonons(part: Phonons) -> "Figure":
    """Bands, and next to them the density of states."""
    figure = files.new_figure(7.2, 4.4)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(4, 1))
    if part.bands is None or part.dos is None:
        return figure
    bands = part.bands
    x, frequencies = np.array(bands.x), np.array(bands.frequencies_THz)
    breaks = [i + 1 for i in np.flatnonzero(np.diff(x) == 0)]
    for piece, branches in zip(np.split(x, breaks), np.split(frequencies, breaks), strict=True):
        left.plot(piece, branches, color="#08519c", linewidth=1.2)
    for place in bands.label_x:
        left.axvline(place, color="0.7", linewidth=0.7, zorder=0)
    left.axhline(0, color="0.4", linewidth=0.7, linestyle=":")
    left.set_xticks(bands.label_x, bands.labels)
    left.set_xlim(x[0], x[-1])
    left.set_ylim(bottom=min(0.0, 1.05 * float(frequencies.min())))
    left.set_ylabel("frequency (THz)")
    right.plot(part.dos.density, part.dos.frequencies_THz, color="#08519c", linewidth=1.0)
    right.set_xlim(left=0)
    right.set_xlabel("states/THz")
    return figure


def vibrations(part: Vibrations) -> "Figure":
    """The frequencies as lines, on a mesh with their errors."""
    figure = files.new_figure(6.4, 2.8)
    axis = figure.subplots()
    modes = part.modes or []
    for mode in modes:
        axis.axvline(mode.frequency_per_cm, color="#08519c", linewidth=1.4)
        if mode.egg_box_error_per_cm is not None:
            low, high = (mode.frequency_per_cm + sign * mode.egg_box_error_per_cm for sign in (-1, 1))
            axis.axvspan(low, high, color="#08519c", alpha=0.2, linewidth=0)
    axis.set_yticks([])
    axis.set_xlabel("frequency (1/cm); negative: imaginary")
    axis.set_xlim(min([0.0, *(1.05 * mode.frequency_per_cm for mode in modes)]))
    return figure


def reaction_path(part: ReactionPath) -> "Figure":
    """The free energy along the path, with a smooth curve through the images."""
    from scipy.interpolate import PchipInterpolator  # slow to import

    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    distances = [image.distance * BOHR_IN_ANGSTROM for image in part.images]
    energies = [(image.free_energy - part.images[0].free_energy) * HARTREE_IN_EV for image in part.images]
    if part.images:
        points = np.linspace(distances[0], distances[-1], 200)
        axis.plot(points, PchipInterpolator(distances, energies)(points), color="#08519c", linewidth=1.2)
    axis.plot(distances, energies, "o", color="#d94801", markersize=5)
    axis.set_xlabel("length of the path (Angstrom)")
    axis.set_ylabel("free energy - first (eV)")
    return figure
