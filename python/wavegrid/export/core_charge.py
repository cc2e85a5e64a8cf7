"""The charge of core electrons on the grid of a density: VASP's AECCAR0.

Programs of Bader's analysis divide space by the maxima of the whole charge: that of the valence electrons of a
pseudopotential has none at a nucleus.
"""

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from wavegrid.model.problem import Problem

Table = tuple[Sequence[float], Sequence[float]]
"""radii, bohr, ascending, and the density there, electrons/bohr^3"""

_SMALL = 1e-9  # electrons/bohr^3


def tables(core: ModuleType, problem: Problem) -> dict[str, Table | None]:
    """Return the density of core electrons by element; None where a potential has none."""
    return {
        element: core.core_charge(one["file"], element, one["valence"], one["name"])
        for element, one in zip(problem["species"], problem["pseudopotentials"], strict=True)
    }


def superposed(
    cell: np.ndarray, places: Sequence[Sequence[float]], tables: Sequence[Table | None], grid: Sequence[int]
) -> np.ndarray:
    """Return the sum (nx, ny, nz) of spherical densities around atoms; `places`: fractional; `tables`: of each atom."""
    total = np.zeros(grid)
    for place, table in zip(places, tables, strict=True):
        if table is not None:
            _add(total, cell, np.array(place), np.array(table[0]), np.array(table[1]))
    return total


def _add(total: np.ndarray, cell: np.ndarray, place: np.ndarray, radii: np.ndarray, values: np.ndarray) -> None:
    reach = radii[np.flatnonzero(np.abs(values) > _SMALL)[-1]]
    grid = np.array(total.shape)
    half = reach * np.linalg.norm(np.linalg.inv(cell), axis=0) * grid  # planes of the grid within the reach
    axes = [np.arange(np.ceil(x - h), np.floor(x + h) + 1) for x, h in zip(place * grid, half, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    distances = np.linalg.norm((points / grid - place) @ cell, axis=1)
    inside = distances <= reach
    indices = tuple((points[inside].astype(np.int64) % grid).T)
    np.add.at(total, indices, np.interp(distances[inside], radii, values))
