"""Plot of excitation energies with their strengths."""

from typing import TYPE_CHECKING

import numpy as np

from wavegrid.model.core_result import ExcitationTable
from wavegrid.plots import files
from wavegrid.units import HARTREE_IN_EV

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH = 0.1  # eV


def plot(title: str, found: ExcitationTable) -> bytes:
    """Return the plot of `draw` as the content of a PNG file."""
    return files.png(draw(title, found))


def draw(title: str, found: ExcitationTable) -> "Figure":
    """Return a line for each excitation, and their sum with Gaussians."""
    energies = np.array(found.energies) * HARTREE_IN_EV
    strengths = np.mean(np.array(found.strengths), axis=1)
    figure = files.new_figure(6.4, 3.6)
    axis = figure.subplots()
    axis.vlines(energies, 0, strengths, color="#08519c", linewidth=1)
    axis.set_xlabel("energy (eV)")
    axis.set_ylabel("oscillator strength")
    if strengths.any():
        x = np.linspace(0, energies[-1] + 5 * _WIDTH, 2000)
        broadened = np.exp(-(((x[:, None] - energies) / _WIDTH) ** 2)) @ strengths
        second = axis.twinx()
        second.plot(x, broadened / (_WIDTH * np.sqrt(np.pi)), color="#d94801", linewidth=1)
        second.set_ylabel("strength per eV")
        second.spines["top"].set_visible(False)
    axis.spines["top"].set_visible(False)
    files.set_title(axis, title)
    return figure
