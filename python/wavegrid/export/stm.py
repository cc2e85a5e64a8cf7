"""A density over the highest atom of a slab: the image of a scanning tunnelling microscope.

The current is proportional to it: J. Tersoff, D. R. Hamann, Phys. Rev. B 31, 805 (1985),
10.1103/PhysRevB.31.805.
"""

import numpy as np

from wavegrid.base import vectors
from wavegrid.checkpoint.header import Header
from wavegrid.errors import InputError
from wavegrid.units import BOHR_IN_ANGSTROM

_LEAST = 1e-30  # electrons/bohr^3, in logarithms


def check(header: Header, height: float) -> None:
    """Raise InputError for a height (bohr) beyond the middle of the vacuum."""
    axis, _, gap = _surface(header)
    highest = 0.5 * gap * vectors.heights(header.cell.tolist())[axis]
    if height > highest:
        raise InputError(
            f"{height * BOHR_IN_ANGSTROM:g} Angstrom over the highest atom is beyond the middle of the vacuum; "
            f"valid: up to {highest * BOHR_IN_ANGSTROM:.2f} Angstrom"
        )


def heights(field: np.ndarray, header: Header, height: float) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the heights (n1, n2), Angstrom, where the density is the mean of the plane at `height`, as `plane` does.

    Each is the highest one below the middle of the vacuum, by linear interpolation of the logarithm.
    """
    wanted, in_plane, _ = plane(field, header, height)
    axis, top, gap = _surface(header)
    thickness = vectors.heights(header.cell.tolist())[axis]
    count = field.shape[axis]
    first, last = int(np.ceil(top * count)), int(np.floor((top + 0.5 * gap) * count))
    levels = np.log(np.maximum(np.take(field, np.arange(first, last + 1) % count, axis=axis), _LEAST))
    levels = np.moveaxis(levels, axis, 0)
    target = np.log(max(float(wanted.mean()), _LEAST))
    above = levels[:-1] >= target
    index = len(above) - 1 - np.argmax(above[::-1], axis=0)
    index = np.where(above.any(axis=0), index, 0)
    low, high = (np.take_along_axis(levels, (index + step)[None], axis=0)[0] for step in (0, 1))
    part = np.clip((low - target) / np.maximum(low - high, _LEAST), 0, 1)
    place = ((first + index + part) / count - top) * thickness
    return place * BOHR_IN_ANGSTROM, in_plane, "height (Angstrom)"


def plane(field: np.ndarray, header: Header, height: float) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the values (n1, n2) in the plane at a height (bohr), its vectors (2, 2), bohr, and what the values are."""
    axis, top, _ = _surface(header)
    thickness = vectors.heights(header.cell.tolist())[axis]
    count = field.shape[axis]
    place = (top + height / thickness) * count
    below, part = int(np.floor(place)), place % 1.0
    levels = [np.take(field, index % count, axis=axis) for index in (below, below + 1)]
    first, second = (row for index, row in enumerate(header.cell) if index != axis)
    x = first / np.linalg.norm(first)
    y = second - (second @ x) * x
    in_plane = np.array([[first @ x, 0.0], [second @ x, np.linalg.norm(y)]])
    return (1 - part) * levels[0] + part * levels[1], in_plane, "density of states (electrons/bohr$^3$)"


def _surface(header: Header) -> tuple[int, float, float]:
    """Return the lattice direction with the widest gap, and of it the place of the atom below and the width."""
    found = []
    for axis, thickness in enumerate(vectors.heights(header.cell.tolist())):
        places = np.sort(header.positions[:, axis] % 1.0)
        gaps = np.diff(np.append(places, places[0] + 1))
        widest = int(gaps.argmax())
        found.append((gaps[widest] * thickness, axis, places[widest], gaps[widest]))
    _, axis, top, gap = max(found)
    return axis, float(top), float(gap)
