"""Plot of a density in a plane over a surface."""

import numpy as np

from wavegrid.plots import files
from wavegrid.units import BOHR_IN_ANGSTROM

_REPEATS = 2


def plot(title: str, values: np.ndarray, in_plane: np.ndarray, label: str) -> bytes:
    """Return a PNG file of values (n1, n2) with their name, two cells along each of the vectors (2, 2), bohr."""
    figure = files.new_figure(5.6, 4.6)
    axis = figure.subplots()
    counts = [count * _REPEATS + 1 for count in values.shape]
    steps = [np.arange(count)[:, None] / size for count, size in zip(counts, values.shape, strict=True)]
    first, second = (step * vector * BOHR_IN_ANGSTROM for step, vector in zip(steps, in_plane, strict=True))
    x, y = np.moveaxis(first[:, None] + second[None], -1, 0)
    shown = np.pad(np.tile(values, (_REPEATS, _REPEATS)), [(0, 1), (0, 1)], mode="wrap")
    image = axis.pcolormesh(x, y, shown, cmap="afmhot", shading="gouraud", rasterized=True)
    figure.colorbar(image, ax=axis, label=label)
    axis.set_aspect("equal")
    axis.set_xlabel("x (Angstrom)")
    axis.set_ylabel("y (Angstrom)")
    files.set_title(axis, title)
    return files.png(figure)
