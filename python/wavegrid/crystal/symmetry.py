"""Rotations of a crystal and of its lattice."""

import itertools
import math

import numpy as np

_SAME_LENGTH = 1e-6  # relative, of squared lengths
_SAME = 1e-4  # of two places in units of the lattice vectors
_MOMENT_STEP = 0.04  # mu_B: moments that are rounded to the same multiple count as equal
_MOST_ATOMS = 200  # of larger crystals only k-points that are equal correspond

Rotation = list[list[int]]


def of_crystal(
    cell: list[list[float]],
    species: list[str],
    fractional: list[list[float]],
    moments: list[float] | None,
    tolerance: float = _SAME_LENGTH,
) -> list[Rotation]:
    """Return the matrices W of integers, k' = W k in units of the reciprocal vectors, that leave a crystal as it is.

    Atoms correspond where element and moment (mu_B) are the same. `tolerance`: of squared lattice vectors, relative.
    """
    if len(species) > _MOST_ATOMS:
        return []
    kinds = [(name, round((moments[i] if moments else 0.0) / _MOMENT_STEP)) for i, name in enumerate(species)]
    places = np.array(fractional)
    return [
        rotation.tolist()
        for rotation in rotations(np.array(cell), tolerance)
        if _maps_onto_itself(places @ rotation, places, kinds)
    ]


def _maps_onto_itself(rotated: np.ndarray, places: np.ndarray, kinds: list[tuple[str, int]]) -> bool:
    """Whether a translation maps rotated atoms onto atoms of their kind."""
    of_kind = {kind: [i for i, other in enumerate(kinds) if other == kind] for kind in kinds}
    rarest = min(of_kind.values(), key=len)
    return any(
        all(
            _nearest(rotated[i] + places[target] - rotated[rarest[0]], places[of_kind[kind]]) < _SAME
            for i, kind in enumerate(kinds)
        )
        for target in rarest
    )


def _nearest(place: np.ndarray, others: np.ndarray) -> float:
    """Return the distance to the nearest of other places up to lattice vectors, in units of these."""
    apart = others - place
    return float(np.abs(apart - np.round(apart)).max(axis=1).min())


def rotations(cell: np.ndarray, tolerance: float = _SAME_LENGTH) -> list[np.ndarray]:
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
