"""The plot of a structure: the cell and its atoms from two sides."""

from typing import TYPE_CHECKING, Any

from wavegrid.plots import files

if TYPE_CHECKING:
    from ase import Atoms
    from matplotlib.figure import Figure

_ACROSS = 12  # elements in a line of the legend
_ROTATIONS = ("", "-90x")  # seen along z and along y


def draw(atoms: "Atoms") -> "Figure":
    """Return the cell seen along z and along y, with the colours of the elements."""
    from ase.data import atomic_numbers
    from ase.data.colors import jmol_colors
    from ase.visualize.plot import plot_atoms
    from matplotlib.lines import Line2D

    figure = files.new_figure(8.0, 4.0)
    for axis, rotation, seen in zip(figure.subplots(1, 2), _ROTATIONS, ("z", "y"), strict=True):
        plot_atoms(atoms, axis, radii=0.7, rotation=rotation, show_unit_cell=2)
        axis.set_axis_off()
        axis.set_title(f"along {seen}", fontsize=10)
    elements = dict.fromkeys(atoms.get_chemical_symbols())
    style: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 11, "markeredgecolor": "black"}
    handles = [Line2D([], [], color=jmol_colors[atomic_numbers[name]], label=name, **style) for name in elements]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), _ACROSS), frameon=False)
    return figure
