"""Plots of bands and densities of states, energies in eV from the Fermi level or the top of the valence bands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.model.spectra import BandGap, BandParts, Bands, DensityOfStates
from wavegrid.plots import files
from wavegrid.results.bands import zero_of_energy
from wavegrid.results.projections import by_element
from wavegrid.units import HARTREE_IN_EV

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#08519c", "#d94801")  # of the spins
_SPINS = ("spin up", "spin down")
_ABOVE = 1.0  # eV above zero that a density of states shows at least
_FEW_LABELS, _NEAR = 9, 0.04  # labels of a plot of usual width; share of the axis between labels of one letter
_VISIBLE = 0.01  # of all states: projections with fewer are not drawn
_CIRCLED, _AREA = 0.1, 80.0  # the least part of an orbital that circles show; points^2 of a whole one
_SPIN_AREA = 10.0  # points^2
_SPIN_SHOWN = 0.01  # a texture in which no component of a spin is larger is not drawn
_PANELS = 4  # at most, of a density of states; deeper levels are in result.json


def plot_bands(title: str, bands: Bands, elements: Sequence[str] = ()) -> bytes:
    """Return the plot (PNG) of what `bands.band_structure` made; `elements`: of the atoms."""
    return files.png(draw_bands(title, bands, elements))


def plot_dos(title: str, dos: DensityOfStates, gap: BandGap | None = None) -> bytes:
    """Return the plot (PNG) of what `dos.density_of_states` made."""
    return files.png(draw_dos(title, dos, gap))


def draw_bands(title: str, bands: Bands, elements: Sequence[str] = ()) -> "Figure":
    """Return the plot of bands; projections are circles whose area is the part of an element and angular momentum.

    Points of spinors have the colour of the component of their spin that is largest along the path.
    """
    figure = files.new_figure(6.4 if len(bands.labels) <= _FEW_LABELS else 9.0, 4.8)
    axis = figure.subplots()
    axis.spines[["top", "right"]].set_visible(False)
    found = bands.band_gap
    zero = zero_of_energy(bands.fermi_level, found)
    x = np.array(bands.x)
    width = 1.2 if bands.projections is None else 0.6
    breaks = [i + 1 for i in np.flatnonzero(np.diff(x) == 0)]
    for spin, levels in enumerate(np.array(bands.eigenvalues)):
        shifted = (levels - zero) * HARTREE_IN_EV
        for piece, of_piece in zip(np.split(x, breaks), np.split(shifted, breaks), strict=True):
            lines = axis.plot(piece, of_piece, color=_COLOURS[spin], linewidth=width, linestyle=("-", "--")[spin])
        if len(bands.eigenvalues) == 2:
            lines[0].set_label(_SPINS[spin])
    if bands.projections is not None and elements:
        _add_circles(axis, bands, bands.projections, elements, zero)
    elif bands.spins:
        _add_spins(axis, bands, bands.spins, zero)
    for place in bands.label_x:
        axis.axvline(place, color="0.7", linewidth=0.7, zorder=0)
    axis.axhline(0, color="0.4", linewidth=0.7, linestyle=":")
    axis.set_xticks(bands.label_x, _tick_labels(bands))
    axis.set_xlim(x[0], x[-1])
    low, high = _window(bands, zero)
    lowest, highest = axis.get_ylim()
    outside = low >= highest or high <= lowest  # a window without levels
    axis.set_ylim(*((low, high) if outside else (max(low, lowest), min(high, highest))))
    axis.set_ylabel(_energy_label(found))
    files.set_title(axis, f"{title}{_gap_words(found)}")
    if len(bands.eigenvalues) == 2 or bands.projections is not None:
        axis.legend(frameon=False, fontsize=9)
    return figure


def _add_circles(axis: "Axes", bands: Bands, parts: BandParts, elements: Sequence[str], zero: float) -> None:
    """Draw the parts of elements and angular momenta that some state has to a tenth."""
    names = [f"{elements[atom - 1]} {name}" for atom, name in zip(parts.atoms, parts.orbitals, strict=True)]
    weights, levels = np.array(parts.weights), (np.array(bands.eigenvalues) - zero) * HARTREE_IN_EV
    x = np.broadcast_to(np.array(bands.x)[None, :, None], levels.shape)
    colour = 0
    for name in dict.fromkeys(names):
        shares = weights[..., [index for index, one in enumerate(names) if one == name]].sum(axis=-1)
        if shares.max() < _CIRCLED:
            continue
        shown = shares > _VISIBLE
        axis.scatter(x[shown], levels[shown], s=_AREA * shares[shown], color=f"C{colour}", alpha=0.5, linewidth=0)
        axis.scatter([], [], s=_AREA, color=f"C{colour}", alpha=0.5, linewidth=0, label=name)
        colour += 1


def _add_spins(axis: "Axes", bands: Bands, spins: Sequence[Sequence[Sequence[float]]], zero: float) -> None:
    """Colour the points of bands by one component of their spins, `[point][band][component]`, with a scale."""
    values = np.array(spins)
    component = int(np.argmax((values**2).sum(axis=(0, 1))))
    shown = values[..., component]
    if np.abs(values).max() < _SPIN_SHOWN:
        return
    levels = (np.array(bands.eigenvalues[0]) - zero) * HARTREE_IN_EV
    x = np.broadcast_to(np.array(bands.x)[:, None], levels.shape)
    points = axis.scatter(x, levels, s=_SPIN_AREA, c=shown, cmap="coolwarm", vmin=-1, vmax=1, linewidth=0, zorder=3)
    axis.figure.colorbar(points, ax=axis, label=f"spin, $\\langle\\sigma_{'xyz'[component]}\\rangle$")


def draw_dos(title: str, dos: DensityOfStates, gap: BandGap | None = None) -> "Figure":
    """Return the plot of a density of states; spin down points downwards.

    Deep bands, the nearest ones to the others, have panels of their own with their own scales. Projections are drawn as
    sums over the atoms of each element.
    """
    from matplotlib.ticker import MaxNLocator

    zero = zero_of_energy(dos.fermi_level, gap)
    energies = (np.array(dos.energies) - zero) * HARTREE_IN_EV
    low, high = _window(dos, zero)
    *deeper, last = (slice(start, stop) for start, stop in dos.ranges)
    ranges = [*(part for part in deeper if energies[part][-1] > low), last][-_PANELS:]
    figure = files.new_figure(6.4 + 1.1 * (len(ranges) - 1), 4.0)
    widths = [1.0] * (len(ranges) - 1) + [5.0]
    axes = figure.subplots(1, len(ranges), squeeze=False, width_ratios=widths)[0]
    states = np.array(dos.density_of_states) / HARTREE_IN_EV
    parts = _parts(dos)
    total = _COLOURS if not parts else ("0.45", "0.45")
    for axis, part in zip(axes, ranges, strict=True):
        axis.spines[["top", "right"]].set_visible(False)
        deep = axis is not axes[-1]
        lowest, highest = max(low, energies[part][0]), energies[part][-1] if deep else min(high, _end(dos, zero))
        if lowest >= highest:
            lowest, highest = low, high  # a window without levels
        shown = part.start + np.flatnonzero((energies[part] >= lowest) & (energies[part] <= highest))
        for spin, of_spin in enumerate(states):
            sign = 1 - 2 * spin
            axis.fill_between(energies[shown], sign * of_spin[shown], color=total[spin], alpha=0.25, linewidth=0)
            label = _SPINS[spin] if not parts else "total" if spin == 0 else None
            axis.plot(energies[shown], sign * of_spin[shown], color=total[spin], linewidth=1.2, label=label)
            for number, (name, of_part) in enumerate(parts.items()):
                values = sign * of_part[spin][shown]
                axis.plot(energies[shown], values, color=f"C{number}", linewidth=1.0, label=name if spin == 0 else None)
        axis.axhline(0, color="0.4", linewidth=0.5)
        axis.set_xlim(lowest, highest)
        axis.margins(y=0.05)
        if len(states) == 1:
            axis.set_ylim(bottom=0)
        if deep:
            axis.set_title("deep levels", fontsize=8)
            axis.xaxis.set_major_locator(MaxNLocator(nbins=2, steps=[1, 2, 5, 10]))
            axis.tick_params(labelsize=8)
    axes[-1].axvline(0, color="0.4", linewidth=0.7, linestyle=":")
    axes[-1].set_xlabel(_energy_label(gap))
    axes[0].set_ylabel("density of states (1/eV/cell)")
    width = dos.broadening.width * HARTREE_IN_EV
    files.set_title(figure, f"{title}{_gap_words(gap)}, {f'Gaussian width {width:.3g} eV' if width else 'tetrahedra'}")
    if len(states) == 2 or parts:
        axes[-1].legend(frameon=False, fontsize=9)
    left_out = dos.ranges[: len(dos.ranges) - len(ranges)]
    if left_out:
        places = ", ".join(f"{np.mean([energies[start], energies[stop - 1]]):.0f}" for start, stop in left_out)
        axes[-1].set_title(f"further levels at {places} eV", fontsize=8, loc="right")
    return figure


def _window(part: Bands | DensityOfStates, zero: float) -> tuple[float, float]:
    """Return the energies (eV) that the plot of bands or of a density of states shows; a file without any has all."""
    low, high = part.window or (-np.inf, np.inf)
    return (low - zero) * HARTREE_IN_EV, (high - zero) * HARTREE_IN_EV


def _tick_labels(bands: Bands) -> list[str]:
    """Return the labels of the special points; of two that would touch, the second stands lower."""
    near = _NEAR * bands.x[-1]
    labels: list[str] = []
    last = -near  # place of the last label in the upper line
    for place, name in zip(bands.label_x, bands.labels, strict=True):
        lower = place - last < near * max(1, len(name) / 2)
        labels.append("\n" * lower + _symbol(name))
        last = last if lower else place
    return labels


def _parts(dos: DensityOfStates) -> dict[str, np.ndarray]:
    """Return the projected densities (spin, energy), 1/eV, that have at least a percent of all states."""
    if dos.projections is None:
        return {}
    states = np.sum(dos.density_of_states)
    found = by_element(dos.projections)
    return {name: of_part / HARTREE_IN_EV for name, of_part in found.items() if of_part.sum() > _VISIBLE * states}


def _end(dos: DensityOfStates, zero: float) -> float:
    """Return the last energy (eV) of the axis: where bands begin to be missing, but some way above zero."""
    last, complete = ((energy - zero) * HARTREE_IN_EV for energy in (dos.energies[-1], dos.complete_below))
    return min(last, max(complete, _ABOVE))


def _gap_words(found: BandGap | None) -> str:
    return "" if found is None else f", gap {found.fundamental * HARTREE_IN_EV:.3f} eV"


def _symbol(label: str) -> str:
    return "|".join("Γ" if name == "G" else name for name in label.split("|"))


def _energy_label(found: BandGap | None) -> str:
    return "E - E$_F$ (eV)" if found is None else "E - E$_v$ (eV)"
