"""Numbers of grid points, and meshes of k-points that break the symmetry of their lattice.

Other programs reduce meshes by the symmetry of the lattice all the same.
"""

import itertools
import math

import numpy as np

_SAME = 1e-6  # relative, of squared lengths; also of the places of k-points in units of their steps


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
        if np.abs(steps - np.round(steps)).max() > _SAME or np.abs(start - np.round(start)).max() > _SAME:
            return False
    return True


def rotations(cell: np.ndarray, tolerance: float = _SAME) -> list[np.ndarray]:
    """Return the matrices W of integers whose W @ cell are lattice vectors with the same metric.

    `tolerance`: of squared lengths, relative.
    """
    metric = cell @ cell.T
    scale = tolerance * metric.trace()
    images = [_of_length(cell, metric, metric[i, i], scale) for i in range(3)]
    return [
        np.array(rows)
        for rows in itertools.product(*images)
        if np.abs(np.array(rows) @ metric @ np.array(rows).T - metric).max() < scale
    ]


def _of_length(cell: np.ndarray, metric: np.ndarray, squared: float, scale: float) -> list[np.ndarray]:
    """Return the lattice vectors of a squared length by their coefficients."""
    most = np.floor(math.sqrt(squared + scale) * np.linalg.norm(np.linalg.inv(cell), axis=0) + 1e-6).astype(int)
    found = []
    for place in itertools.product(*(range(-count, count + 1) for count in most)):
        vector = np.array(place)
        if abs(vector @ metric @ vector - squared) < scale:
            found.append(vector)
    return found


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
