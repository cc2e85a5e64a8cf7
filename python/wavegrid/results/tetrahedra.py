"""Densities of states by linear interpolation in tetrahedra between k-points: no broadening, no states in a gap.

src/electrons/tetrahedra.hpp has the tetrahedra. At an energy E each corner c of one with levels e_1 <= ... <= e_4 has
the part g_c of its density of states: A. H. MacDonald, S. H. Vosko, P. T. Coleridge, J. Phys. C 12, 2991 (1979),
10.1088/0022-3719/12/15/008.
"""

from collections.abc import Iterator

import numpy as np

from wavegrid.model.core_result import TetrahedronTable


def bands(
    levels: np.ndarray, table: TetrahedronTable, energies: np.ndarray
) -> Iterator[tuple[tuple[int, int], np.ndarray, np.ndarray]]:
    """Yield spin and band; states below each energy; and the density of states (k-point, energy) by k-point.

    `levels`: (spin, k-point, band), Ha; `energies`: ascending. A band holds one state.
    """
    points, factors, shares = (np.asarray(part) for part in (table.points, table.factors, table.shares))
    for spin, n in np.ndindex(levels.shape[0], levels.shape[2]):
        corners = levels[spin, :, n][points] @ factors.T
        order = np.argsort(corners, axis=1, kind="stable")
        e = np.take_along_axis(corners, order, axis=1)
        below = shares @ (e[:, 3:] <= energies)
        density = np.zeros((levels.shape[1], len(energies)))
        inside = np.searchsorted(energies, e[:, [0, 3]])
        for at in range(inside[:, 0].min(), inside[:, 1].max()):
            cut = np.flatnonzero((inside[:, 0] <= at) & (at < inside[:, 1]))
            parts, share = _cut(e[cut], energies[at])
            below[at] += shares[cut] @ share
            of_corner = np.zeros((len(cut), 4))
            np.put_along_axis(of_corner, order[cut], parts * shares[cut, None], axis=1)
            np.add.at(density[:, at], points[cut], of_corner @ factors)
        yield (spin, n), below, density


def _cut(e: np.ndarray, energy: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the parts (n, 4) of the corners in the densities of tetrahedra that an energy cuts, and what is below."""
    with np.errstate(divide="ignore", invalid="ignore"):
        f = (energy - e[:, None, :]) / (e[:, :, None] - e[:, None, :])  # f[:, i, j] = (E - e_j) / (e_i - e_j)
        low, high = energy < e[:, 1], energy >= e[:, 2]
        parts, below = np.empty_like(e), np.empty(len(e))
        for rows, formula in ((low, _lowest), (high, _highest), (~low & ~high, _middle)):
            parts[rows], below[rows] = formula(e[rows], f[rows], energy)
    return parts, below


Parts = tuple[np.ndarray, np.ndarray]


def _lowest(e: np.ndarray, f: np.ndarray, energy: float) -> Parts:
    below = f[:, 1, 0] * f[:, 2, 0] * f[:, 3, 0]
    shares = np.stack([f[:, 0, 1] + f[:, 0, 2] + f[:, 0, 3], f[:, 1, 0], f[:, 2, 0], f[:, 3, 0]], axis=1)
    return _times(shares, below, energy - e[:, 0]), below


def _highest(e: np.ndarray, f: np.ndarray, energy: float) -> Parts:
    above = f[:, 0, 3] * f[:, 1, 3] * f[:, 2, 3]
    shares = np.stack([f[:, 0, 3], f[:, 1, 3], f[:, 2, 3], f[:, 3, 0] + f[:, 3, 1] + f[:, 3, 2]], axis=1)
    return _times(shares, above, e[:, 3] - energy), 1 - above


def _times(shares: np.ndarray, volume: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Return the derivative 3 volume / distance of a volume, distributed; 0 at a corner."""
    slope = np.divide(volume, distance, out=np.zeros_like(volume), where=distance > 0)
    return np.where(slope[:, None] > 0, shares * slope[:, None], 0.0)


def _middle(e: np.ndarray, f: np.ndarray, energy: float) -> Parts:
    first, second = f[:, 1, 2] * f[:, 2, 0], f[:, 2, 1] * f[:, 1, 3]
    total = 3 * (first + second)
    parts = np.stack(
        [
            total * f[:, 0, 3] / 3 + f[:, 0, 2] * f[:, 2, 0] * f[:, 1, 2],
            total * f[:, 1, 2] / 3 + f[:, 1, 3] ** 2 * f[:, 2, 1],
            total * f[:, 2, 1] / 3 + f[:, 2, 0] ** 2 * f[:, 1, 2],
            total * f[:, 3, 0] / 3 + f[:, 3, 1] * f[:, 1, 3] * f[:, 2, 1],
        ],
        axis=1,
    ) / (e[:, 3:] - e[:, :1])
    d = e[:, :, None] - e[:, None, :]
    x = energy - e[:, 1]
    cubic = (d[:, 2, 0] + d[:, 3, 1]) / (d[:, 2, 1] * d[:, 3, 1]) * x**3
    below = (d[:, 1, 0] ** 2 + 3 * d[:, 1, 0] * x + 3 * x**2 - cubic) / (d[:, 2, 0] * d[:, 3, 0])
    return parts, below
