"""Numbers of grid points, and meshes of k-points that break the symmetry of their lattice.

Other programs reduce meshes by the symmetry of the lattice all the same.
"""

import itertools
import math

import numpy as np

from wavegrid.crystal.symmetry import rotations

_SAME_POINT = 1e-6  # of the places of k-points in units of their steps


def product_of(primes: tuple[int, ...], least: int) -> int:
    """Return the smallest product of these primes that is not below `least`: other numbers are replaced by programs."""
    while True:
        rest = least
        for prime in primes:
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return least
        least += 1


def is_symmetric(cell: list[list[float]], mesh: list[int], shift: list[float]) -> bool:
    """Whether every symmetry operation of the lattice maps the points (n_i + shift_i) / mesh_i onto such points."""
    counts, offset = np.array(mesh), np.array(shift)
    for rotation in rotations(np.array(cell)):
        steps = counts[:, None] * rotation / counts  # of the images of neighbours
        start = counts * (rotation @ (offset / counts)) - offset
        if np.abs(steps - np.round(steps)).max() > _SAME_POINT or np.abs(start - np.round(start)).max() > _SAME_POINT:
            return False
    return True


def points(mesh: list[int], shift: list[float]) -> list[list[float]]:
    """Return all points of a mesh with weights that add up to 1, one of each pair k and -k."""
    found: dict[tuple[int, ...], list[float]] = {}
    for place in itertools.product(*map(range, mesh)):
        point = [(n + s) / count for n, s, count in zip(place, shift, mesh, strict=True)]
        mirrored = tuple(round(-x % 1 * 1e9) % 10**9 for x in point)
        if mirrored in found:
            found[mirrored][3] += 1
        else:
            found[tuple(round(x % 1 * 1e9) % 10**9 for x in point)] = [*point, 1.0]
    return [[*point[:3], point[3] / math.prod(mesh)] for point in found.values()]
