"""Stars of k-points: the points that the symmetry of a crystal and time reversal make equivalent to one."""

import numpy as np

from wavegrid.crystal.symmetry import of_crystal
from wavegrid.input.structure import Crystal

_SAME_POINT = 1e-3  # of a reciprocal vector: lists are written with four digits and more
_SAME_LENGTH = 1e-4  # relative, of squared lattice vectors, which are written with as many
_SAME_SHARE = 0.01  # relative, of the weight of one point of a star


def has_rotations(crystal: Crystal, moments: list[float]) -> bool:
    """Return whether a crystal has a symmetry beyond inversion, which time reversal makes up for.

    False for crystals that are too large to be examined.
    """
    matrices = np.array(of_crystal(crystal.cell, crystal.symbols, crystal.fractional, moments or None, _SAME_LENGTH))
    return any(abs(abs(np.trace(matrix)) - 3) > _SAME_POINT for matrix in matrices)


def have_their_weights(crystal: Crystal, moments: list[float], listed: list[list[float]]) -> bool:
    """Return whether the weights (last of each row) of a list are in proportion to the k-points of each star.

    So they are in a list of the irreducible points of a mesh. True for crystals that are too large to be examined.
    """
    matrices = np.array(of_crystal(crystal.cell, crystal.symbols, crystal.fractional, moments or None, _SAME_LENGTH))
    if not len(matrices):
        return True
    rest, shares = np.array(listed), []
    while len(rest):
        images = matrices @ rest[0, :3]
        star = _different(np.concatenate([images, -images]))
        inside = np.array([bool(_equal(star, point[:3]).any()) for point in rest])
        shares.append(rest[inside, 3].sum() / len(star))
        rest = rest[~inside]
    return min(shares) > (1 - _SAME_SHARE) * max(shares)


def _different(points: np.ndarray) -> np.ndarray:
    """Return each of the points once."""
    return np.array([point for i, point in enumerate(points) if not _equal(points[:i], point).any()])


def _equal(points: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return for each of the points (n, 3) whether it is equal to one, up to reciprocal lattice vectors."""
    apart = points - point
    return np.abs(apart - np.round(apart)).max(axis=1, initial=0.0) < _SAME_POINT
