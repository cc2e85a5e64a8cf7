"""Rotations of a crystal and of its lattice."""

import itertools
import math
from collections.abc import Iterator

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
    return [rotation.tolist() for rotation, _ in operations(cell, species, fractional, moments, tolerance)]


def operations(
    cell: list[list[float]],
    species: list[str],
    fractional: list[list[float]],
    moments: list[float] | None,
    tolerance: float = _SAME_LENGTH,
) -> list[tuple[np.ndarray, list[int]]]:
    """Return the rotations W of `of_crystal`, and the atoms on which each puts the atoms."""
    if len(species) > _MOST_ATOMS:
        return []
    kinds = _kinds(species, moments)
    places = np.array(fractional)
    found = (
        (one, next(_all_images(places @ one, places, kinds, kinds), None))
        for one in rotations(np.array(cell), tolerance)
    )
    return [(rotation, images) for rotation, images in found if images is not None]


def images_of_atoms(
    cell: list[list[float]], species: list[str], fractional: list[list[float]], moments: list[float] | None
) -> list[list[int]]:
    """Return, of each operation of the crystal, the atoms on which it puts the atoms.

    Operations with translations of their own count, as in supercells, and those that reverse all moments.
    """
    if len(species) > _MOST_ATOMS:
        return [list(range(len(species)))]
    places = np.array(fractional)
    found = set()
    for sign in (1, -1) if moments else (1,):
        before, after = (_kinds(species, moments and [factor * one for one in moments]) for factor in (1, sign))
        for one in rotations(np.array(cell)):
            found |= {tuple(images) for images in _all_images(places @ one, places, before, after)}
    return [list(images) for images in sorted(found)]


def cartesian(rotation: np.ndarray, cell: np.ndarray) -> np.ndarray:
    """Return the Cartesian matrix (3, 3) of a rotation W of places, which act on them as rows."""
    return (np.linalg.inv(cell) @ rotation @ cell).T


def _kinds(species: list[str], moments: list[float] | None) -> list[tuple[str, int]]:
    return [(name, round((moments[i] if moments else 0.0) / _MOMENT_STEP)) for i, name in enumerate(species)]


def _all_images(
    rotated: np.ndarray, places: np.ndarray, kinds: list[tuple[str, int]], image_kinds: list[tuple[str, int]]
) -> Iterator[list[int]]:
    """Yield the atoms of their kind onto which translations map rotated atoms, for each translation that does.

    `image_kinds`: what the atoms have to be onto which those of `kinds` come.
    """
    of_kind = {kind: [i for i, other in enumerate(image_kinds) if other == kind] for kind in kinds}
    rarest = min(of_kind, key=lambda kind: len(of_kind[kind]))
    first = kinds.index(rarest)
    for target in of_kind[rarest]:
        images = []
        for i, kind in enumerate(kinds):
            if not of_kind[kind]:
                return
            index, distance = _nearest(rotated[i] + places[target] - rotated[first], places[of_kind[kind]])
            if distance >= _SAME:
                break
            images.append(of_kind[kind][index])
        else:
            yield images


def _nearest(place: np.ndarray, others: np.ndarray) -> tuple[int, float]:
    """Return which of other places is nearest up to lattice vectors, and how far it is, in units of these."""
    apart = others - place
    distances = np.abs(apart - np.round(apart)).max(axis=1)
    return int(distances.argmin()), float(distances.min())


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
