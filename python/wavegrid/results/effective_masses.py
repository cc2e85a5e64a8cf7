"""Effective masses at the edges of the gap: 1 / m = d^2 eps / dk^2 along the lines of a band path.

At an end of a line, such as Gamma, eps is an even function of the distance k; inside of it a polynomial. Bands that are
degenerate there have a mass each.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np

from wavegrid.model.spectra import Bands, Edge, EffectiveMass

_SAME = 1e-9  # of a reciprocal vector
_REACH = 4  # points on each side that a fit takes
_FEWEST = 3
_FARTHEST = 0.15  # 1/bohr
_DEGENERATE = 1e-4  # Ha
_MISFIT = 0.05  # of the change of the energy, root mean square: such a band is no parabola there


def at_edges(bands: Bands) -> list[EffectiveMass]:
    """Return the masses of holes and electrons; none of a metal."""
    gap = bands.band_gap
    if gap is None:
        return []
    holes = _masses(bands, "valence", gap.valence_band_maximum, gap.valence_band_maximum_index)
    return [*holes, *_masses(bands, "conduction", gap.conduction_band_minimum, gap.conduction_band_minimum_index)]


def _masses(bands: Bands, edge: Edge, level: float, index: int) -> Iterator[EffectiveMass]:
    """Yield those of the states at an edge, at each point of the path that is the same k-point."""
    levels, kpoints, x = np.array(bands.eigenvalues), np.array(bands.kpoints), np.array(bands.x)
    sign = -1 if edge == "valence" else 1
    for point in np.flatnonzero((np.abs(kpoints - kpoints[index]) < _SAME).all(axis=1)).tolist():
        states = np.argwhere(np.abs(levels[:, point] - level) < _DEGENERATE).tolist()
        for (line, rows), (spin, n) in product(_lines(bands, point), states):
            energies = sign * (levels[spin, rows, n] - levels[spin, point, n])
            curvature = _curvature(x[rows] - x[point], energies)
            if curvature is not None and curvature > 0:
                mass = round(1 / curvature, 4)
                yield EffectiveMass(edge=edge, spin=spin, band=n + 1, point=point, line=line, mass=mass)


def _lines(bands: Bands, point: int) -> Iterator[tuple[str, list[int]]]:
    """Yield the name of each line that has the point, and the points of the line near to it, without itself."""
    x = bands.x
    for (name, low), (other, high) in zip(_labels(bands), _labels(bands)[1:], strict=False):
        if not low <= x[point] <= high or low == high:
            continue
        rows = [
            row
            for row in range(max(0, point - _REACH), min(len(x), point + _REACH + 1))
            if low <= x[row] <= high and 0 < abs(x[row] - x[point]) < _FARTHEST
        ]
        if len(rows) >= _FEWEST:
            yield f"{name.split('|')[-1]}-{other.split('|')[0]}", rows


def _labels(bands: Bands) -> list[tuple[str, float]]:
    return list(zip(bands.labels, bands.label_x, strict=True))


def _curvature(k: np.ndarray, energy: np.ndarray) -> float | None:
    """Return the second derivative at the extremum near k = 0; None where the energies are no parabola."""
    if (k > 0).all() or (k < 0).all():
        powers = np.stack([k**2, k**4], axis=1)
        factors, *_ = np.linalg.lstsq(powers, energy, rcond=None)
        fitted, curvature = powers @ factors, 2 * factors[0]
    else:
        polynomial = np.polynomial.Polynomial.fit([*k, 0], [*energy, 0], min(4, len(k) - 1))
        fitted = polynomial(k)
        roots = polynomial.deriv().roots()
        near = [root.real for root in roots if abs(root.imag) < 1e-9 and abs(root.real) <= np.abs(k).max()]
        if not near:
            return None
        curvature = polynomial.deriv(2)(min(near, key=abs))
    misfit = np.sqrt(np.mean((fitted - energy) ** 2))
    return float(curvature) if misfit < _MISFIT * np.abs(energy).max() else None
