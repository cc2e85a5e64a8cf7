"""Rotations of a crystal: programs keep different k-points of those that are equivalent."""

import numpy as np

from wavegrid.comparison.inputs.mesh import rotations

_SAME = 1e-4  # of two places in units of the lattice vectors
_MOMENT_STEP = 0.04  # mu_B: moments that are rounded to the same multiple count as equal
_MOST_ATOMS = 200  # of larger crystals only k-points that are equal correspond

Rotation = list[list[int]]


def of_crystal(
    cell: list[list[float]],
    species: list[str],
    fractional: list[list[float]],
    moments: list[float] | None,
    tolerance: float = 1e-6,
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
