"""Plot of the potential across a slab."""

from typing import TYPE_CHECKING

from wavegrid.model.part import FermiLevel
from wavegrid.model.vacuum import Vacuum
from wavegrid.plots import files
from wavegrid.results.gap import fermi_levels
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOUR = "#08519c"


def draw(title: str, found: Vacuum, fermi: FermiLevel) -> "Figure":
    """Return the plot of the mean of each plane, eV from the Fermi level, with the levels of the vacuum."""
    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    axis.spines[["top", "right"]].set_visible(False)
    zero = max(fermi_levels(fermi, 1))
    axis.plot(
        [x * BOHR_IN_ANGSTROM for x in found.x],
        [(value - zero) * HARTREE_IN_EV for value in found.potential],
        color=_COLOUR,
    )
    for level in set(found.levels):
        axis.axhline((level - zero) * HARTREE_IN_EV, color="0.5", linewidth=0.8, linestyle="--")
    axis.axhline(0, color="0.5", linewidth=0.8)
    axis.set_xlabel("distance across the slab (Angstrom)")
    axis.set_ylabel("electrostatic potential - Fermi level (eV)")
    files.set_title(axis, title)
    return figure


def plot(title: str, found: Vacuum, fermi: FermiLevel) -> bytes:
    """Return the same as a PNG file."""
    return files.png(draw(title, found, fermi))
