"""Plot of the potential along a lattice direction, such as that across a slab."""

from typing import TYPE_CHECKING

from wavegrid.model.part import FermiLevel
from wavegrid.model.vacuum import Vacuum
from wavegrid.plots import files
from wavegrid.results.averages import Averages
from wavegrid.results.gap import fermi_levels
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOUR, _SMOOTH = "#08519c", "#d94801"


def draw(title: str, found: Averages, vacuum: Vacuum | None, fermi: FermiLevel) -> "Figure":
    """Return the plot of the averages, eV from the Fermi level, with the levels of a vacuum."""
    figure = files.new_figure(6.4, 4.0)
    axis = figure.subplots()
    axis.spines[["top", "right"]].set_visible(False)
    zero = max(fermi_levels(fermi, 1))
    curves = [(found.potential, _COLOUR)] + ([(found.macroscopic, _SMOOTH)] if found.macroscopic is not None else [])
    for values, colour in curves:
        axis.plot(
            [x * BOHR_IN_ANGSTROM for x in found.x],
            [(value - zero) * HARTREE_IN_EV for value in values],
            color=colour,
        )
    for level in set(vacuum.levels if vacuum is not None else ()):
        axis.axhline((level - zero) * HARTREE_IN_EV, color="0.5", linewidth=0.8, linestyle="--")
    axis.axhline(0, color="0.5", linewidth=0.8)
    axis.set_xlabel("distance across the slab (Angstrom)" if vacuum is not None else "distance (Angstrom)")
    axis.set_ylabel("electrostatic potential - Fermi level (eV)")
    files.set_title(axis, title)
    return figure


def draw_across(title: str, vacuum: Vacuum, fermi: FermiLevel) -> "Figure":
    """Return the plot across a slab, without a macroscopic average."""
    return draw(title, Averages(vacuum.x, vacuum.potential, 0.0, periodic=False), vacuum, fermi)


def plot(title: str, found: Averages, vacuum: Vacuum | None, fermi: FermiLevel) -> bytes:
    """Return the same as a PNG file."""
    return files.png(draw(title, found, vacuum, fermi))
