"""Plots of bands and densities of states, energies in eV from the Fermi level or the top of the valence bands."""

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from wavegrid.plots import files
from wavegrid.results.bands import zero_of_energy
from wavegrid.units import HARTREE_IN_EV

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#08519c", "#d94801")  # of the spins
_SPINS = ("spin up", "spin down")
_WINDOW = (-25.0, 15.0)  # eV, of a density of states; deeper levels are in result.json


def plot_bands(title: str, bands: dict[str, Any]) -> bytes:
    """Return the plot (PNG) of what `bands.band_structure` made."""
    figure, axis = _figure((6.4, 4.8))
    found = bands.get("band_gap")
    zero = zero_of_energy(bands, found)
    x = np.array(bands["x"])
    breaks = [i + 1 for i in np.flatnonzero(np.diff(x) == 0)]
    for spin, levels in enumerate(np.array(bands["eigenvalues"])):
        shifted = (levels - zero) * HARTREE_IN_EV
        for piece, of_piece in zip(np.split(x, breaks), np.split(shifted, breaks), strict=True):
            lines = axis.plot(piece, of_piece, color=_COLOURS[spin], linewidth=1.2, linestyle=("-", "--")[spin])
        lines[0].set_label(_SPINS[spin])
    for place in bands["label_x"]:
        axis.axvline(place, color="0.7", linewidth=0.7, zorder=0)
    axis.axhline(0, color="0.4", linewidth=0.7, linestyle=":")
    axis.set_xticks(bands["label_x"], [_symbol(label) for label in bands["labels"]])
    axis.set_xlim(x[0], x[-1])
    axis.set_ylabel(_energy_label(found))
    gap = "" if found is None else f", gap {found['fundamental'] * HARTREE_IN_EV:.3f} eV"
    axis.set_title(f"{title}{gap}", fontsize=11)
    if len(bands["eigenvalues"]) == 2:
        axis.legend(frameon=False, fontsize=9)
    return _png(figure)


def plot_dos(title: str, dos: dict[str, Any]) -> bytes:
    """Return the plot (PNG) of what `dos.density_of_states` made; spin down points downwards."""
    figure, axis = _figure((6.4, 4.0))
    zero = zero_of_energy(dos)
    energies = (np.array(dos["energies"]) - zero) * HARTREE_IN_EV
    for spin, states in enumerate(np.array(dos["density_of_states"]) / HARTREE_IN_EV):
        sign = 1 - 2 * spin
        axis.fill_between(energies, sign * states, color=_COLOURS[spin], alpha=0.25, linewidth=0)
        axis.plot(energies, sign * states, color=_COLOURS[spin], linewidth=1.2, label=_SPINS[spin])
    axis.axvline(0, color="0.4", linewidth=0.7, linestyle=":")
    axis.axhline(0, color="0.4", linewidth=0.5)
    axis.set_xlim(max(_WINDOW[0], energies[0]), min(_WINDOW[1], energies[-1]))
    axis.set_xlabel(_energy_label(None))
    axis.set_ylabel("states / eV / cell")
    axis.set_title(title, fontsize=11)
    if len(dos["density_of_states"]) == 2:
        axis.legend(frameon=False, fontsize=9)
    return _png(figure)


def _figure(size: tuple[float, float]) -> tuple["Figure", "Axes"]:
    figure = files.new_figure(*size)
    axis = figure.subplots()
    axis.spines[["top", "right"]].set_visible(False)
    return figure, axis


def _png(figure: "Figure") -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150)
    return content.getvalue()


def _symbol(label: str) -> str:
    return "|".join("Γ" if name == "G" else name for name in label.split("|"))


def _energy_label(found: dict[str, Any] | None) -> str:
    return "E - E$_F$ (eV)" if found is None else "E - E$_v$ (eV)"
