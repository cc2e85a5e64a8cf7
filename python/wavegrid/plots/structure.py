"""The plot of a structure: the cell and its atoms from two sides."""

from typing import TYPE_CHECKING

from wavegrid.plots import files

if TYPE_CHECKING:
    from ase import Atoms
    from matplotlib.figure import Figure

_ROTATIONS = ("", "-90x")  # seen along z and along y


def draw(atoms: "Atoms") -> "Figure":
    """Return the cell seen along z and along y."""
    from ase.visualize.plot import plot_atoms

    figure = files.new_figure(8.0, 3.6)
    for axis, rotation, seen in zip(figure.subplots(1, 2), _ROTATIONS, ("z", "y"), strict=True):
        plot_atoms(atoms, axis, radii=0.7, rotation=rotation, show_unit_cell=2)
        axis.set_axis_off()
        axis.set_title(f"along {seen}", fontsize=10)
    return figure
