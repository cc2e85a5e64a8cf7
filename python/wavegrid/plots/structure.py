"""The plot of a structure: the cell and its atoms from two sides."""

from itertools import product
from typing import TYPE_CHECKING, Any

from wavegrid.plots import files

if TYPE_CHECKING:
    import numpy as np
    from ase import Atoms
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ACROSS = 12  # elements in a line of the legend
_RADIUS = 0.7  # of atoms, in covalent radii
_MARGIN = 0.01  # of the larger extent
# axes to the right, up and towards the eye, with signs
_VIEWS = {"z": ((0, 1, 2), (1, 1, 1)), "y": ((0, 2, 1), (1, 1, -1))}


def draw(atoms: "Atoms") -> "Figure":
    """Return the cell seen along z and along y, with the colours of the elements."""
    from ase.data import atomic_numbers
    from ase.data.colors import jmol_colors
    from matplotlib.lines import Line2D

    figure = files.new_figure(8.0, 4.0)
    for axis, seen in zip(figure.subplots(1, 2), _VIEWS, strict=True):
        _draw_view(axis, atoms, seen)
        axis.set_title(f"along {seen}", fontsize=10)
    elements = dict.fromkeys(atoms.get_chemical_symbols())
    style: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 11, "markeredgecolor": "black"}
    handles = [Line2D([], [], color=jmol_colors[atomic_numbers[name]], label=name, **style) for name in elements]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), _ACROSS), frameon=False)
    return figure


def _draw_view(axis: "Axes", atoms: "Atoms", seen: str) -> None:
    """Draw the edges of the cell and, over them, the atoms from the farthest to the nearest."""
    import numpy as np
    from ase.data import covalent_radii
    from ase.data.colors import jmol_colors
    from matplotlib.collections import EllipseCollection, LineCollection

    order, signs = _VIEWS[seen]
    places = atoms.positions[:, order] * signs
    nearest_last = np.argsort(places[:, 2], kind="stable")
    numbers = atoms.numbers[nearest_last]
    width = 2 * _RADIUS * covalent_radii[numbers]
    style: dict[str, Any] = {
        "units": "xy",
        "facecolors": jmol_colors[numbers],
        "edgecolors": "black",
        "linewidths": 0.5,
    }
    edges = _edges(atoms.cell.array)[:, :, order[:2]]
    axis.add_collection(LineCollection(list(edges), colors="grey", linewidths=0.8))
    axis.add_collection(
        EllipseCollection(width, width, 0.0, offsets=places[nearest_last, :2], offset_transform=axis.transData, **style)
    )
    drawn = np.concatenate([edges.reshape(-1, 2), places[:, :2] - width.max() / 2, places[:, :2] + width.max() / 2])
    margin = _MARGIN * np.ptp(drawn, axis=0).max()
    (left, low), (right, high) = drawn.min(axis=0) - margin, drawn.max(axis=0) + margin
    axis.set(xlim=(left, right), ylim=(low, high), aspect="equal")
    axis.set_axis_off()


def _edges(cell: "np.ndarray") -> "np.ndarray":
    """Return the twelve edges of a cell, `[edge][end][axis]`."""
    import numpy as np

    corners = list(product((0, 1), repeat=3))
    pairs = [
        (a, b) for a in corners for b in corners if a < b and sum(b) - sum(a) == 1 == np.abs(np.subtract(a, b)).sum()
    ]
    return np.array(pairs) @ cell
