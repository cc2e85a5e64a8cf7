"""A density in a plane over the highest atom of a slab: the image of a scanning tunnelling microscope.

At constant height the current is proportional to it: J. Tersoff, D. R. Hamann, Phys. Rev. B 31, 805 (1985),
10.1103/PhysRevB.31.805.
"""

import numpy as np

from wavegrid.base import vectors
from wavegrid.checkpoint.header import Header
from wavegrid.errors import InputError
from wavegrid.units import BOHR_IN_ANGSTROM


def check(header: Header, height: float) -> None:
    """Raise InputError for a height (bohr) beyond the middle of the vacuum."""
    axis, _, gap = _surface(header)
    highest = 0.5 * gap * vectors.heights(header.cell.tolist())[axis]
    if height > highest:
        raise InputError(
            f"{height * BOHR_IN_ANGSTROM:g} Angstrom over the highest atom is beyond the middle of the vacuum; "
            f"valid: up to {highest * BOHR_IN_ANGSTROM:.2f} Angstrom"
        )


def plane(field: np.ndarray, header: Header, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the values (n1, n2) in the plane at a height (bohr), and the lattice vectors along it (2, 2), bohr."""
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
    return (1 - part) * levels[0] + part * levels[1], in_plane


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
