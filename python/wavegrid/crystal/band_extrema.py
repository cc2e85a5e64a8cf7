"""Edges of a gap followed to the extrema of their bands, wherever in the Brillouin zone, with tensors of masses.

Each step is one of Newton's method on levels around a k-point: first and second derivatives by central differences,
those along the axes of fourth order, with steps that raise the energy by about the same.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, product

import numpy as np

from wavegrid.model.core_result import CoreResult
from wavegrid.model.part import ByState
from wavegrid.model.spectra import BandExtremum, Edge

Levels = Callable[[list[list[float]]], ByState]
"""Of k-points: by spin, k-point, band, Ha. Collective."""

_STEP = 0.01  # 1/bohr, of the first differences
_STEPS = (0.005, 0.05)  # 1/bohr, of the others, along principal axes
_RISE = 5e-4  # Ha, of the energy along such a step
_TRUST = 0.1  # 1/bohr, the longest step of the search
_CLOSE = 1e-3  # 1/bohr, of the last step
_MOST = 12  # steps
_DEGENERATE = 1e-4  # Ha
_SAME = 1e-6  # Ha; levels of states that are degenerate at all points
_ROUGH = 2e-5  # Ha, by which levels jump between k-points, since their sets of plane waves differ
_STATIONARY = 1e-3  # Ha bohr, a gradient that is none
_FLAT = 1e-3  # Ha bohr^2; a smaller curvature is none


def of_gap(
    result: CoreResult, cell: Sequence[Sequence[float]], axes: Sequence[bool], levels: Levels
) -> list[BandExtremum]:
    """Return the extrema next to the edges of the gap of a core's result, with its path; none of a metal.

    `axes`: lattice directions along which bands disperse.
    """
    assert result.path is not None
    kpoints = [point[:3] for part in (result, result.path) for point in part.kpoints]
    energies = np.concatenate([np.array(part.eigenvalues) for part in (result, result.path)], axis=1)
    occupied = [{int((np.array(bands) > 0).sum()) for bands in one} for one in result.occupations]
    if any(len(counts) != 1 for counts in occupied):
        return []
    counts = [one.pop() for one in occupied]
    edges: list[tuple[Edge, int, list[int]]] = [
        ("valence", -1, [count - 1 for count in counts]),
        ("conduction", 1, counts),
    ]
    starts = []
    for edge, sign, bands in edges:
        spins = [spin for spin, band in enumerate(bands) if 0 <= band < energies.shape[2]]
        if not spins:
            return []
        lowest = {spin: sign * energies[spin, :, bands[spin]] for spin in spins}
        spin = min(spins, key=lambda one: lowest[one].min())
        starts.append((edge, sign, spin, bands[spin], int(lowest[spin].argmin()), float(lowest[spin].min())))
    if -starts[0][-1] >= starts[1][-1]:
        return []
    search = _Search(np.array(cell), axes, levels)
    return [search.extremum(edge, sign, spin, band, kpoints[at]) for edge, sign, spin, band, at, _ in starts]


class _Search:
    """Extrema of one crystal."""

    def __init__(self, cell: np.ndarray, axes: Sequence[bool], levels: Levels) -> None:
        reciprocal = 2 * np.pi * np.linalg.inv(cell).T
        kept, _ = np.linalg.qr(reciprocal[np.array(axes)].T)
        self._basis, self._levels = kept.T, levels  # rows, Cartesian, orthonormal
        self._reduced = cell.T / (2 * np.pi)
        unit = np.eye(len(self._basis))
        self._pairs = list(combinations(range(len(unit)), 2))
        legs = [reach * one for one in unit for reach in (-2, -1, 1, 2)]
        corners = [p * unit[i] + q * unit[j] for i, j in self._pairs for p, q in product((-1, 1), repeat=2)]
        self._offsets = np.array([np.zeros(len(unit)), *legs, *corners])  # steps along the axes of differences

    def extremum(self, edge: Edge, sign: int, spin: int, band: int, start: Sequence[float]) -> BandExtremum:
        """Return the one that is reached from a k-point."""
        axes, steps = self._basis, np.full(len(self._basis), _STEP)  # principal axes, as far as they are known
        k = best = np.array(start, dtype=float)
        energy, states, converged, same = np.inf, 1, False, True
        curvatures = np.zeros(len(axes))
        for number in range(_MOST):
            points = k + (self._offsets * steps) @ axes @ self._reduced
            values = np.array(self._levels(points.tolist())[spin])
            if sign * values[0, band] > energy + _ROUGH:  # too far
                k = (k + best) / 2
                continue
            group = np.flatnonzero(np.abs(values[0] - values[0, band]) < _DEGENERATE)
            states, same = len(group), bool(np.ptp(values[:, group], axis=1).max() < _SAME)
            best, energy = k, sign * values[0, band]
            gradient, hessian = self._derivatives(sign * values[:, band], steps)
            if not same:
                converged = bool(np.abs(gradient).max() < _STATIONARY)
                break
            curvatures, rotation = np.linalg.eigh(hessian)
            gradient, axes = rotation.T @ gradient, rotation.T @ axes
            step = -gradient / np.maximum(np.abs(curvatures), _FLAT)
            length = float(np.linalg.norm(step))
            if number > 0 and length < _CLOSE:
                converged = bool((curvatures > -_FLAT).all())
                break
            steps = np.clip(np.sqrt(2 * _RISE / np.maximum(np.abs(curvatures), _FLAT)), *_STEPS)
            k = best + min(1.0, _TRUST / max(length, _CLOSE)) * step @ axes @ self._reduced
        found = BandExtremum(
            edge=edge,
            spin=spin,
            band=band + 1,
            kpoint=(np.round(best, 5) + 0.0).tolist(),
            energy=float(sign * energy),
            states=states,
            converged=converged,
        )
        if same and converged:
            masses = [1 / value if value > _FLAT else None for value in curvatures[::-1].tolist()]
            found.masses = [None if one is None else round(one, 5) for one in masses]
            found.axes = np.round(axes[::-1], 6).tolist()
        return found

    def _derivatives(self, values: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient, Ha bohr, and the second derivatives, Ha bohr^2, along the axes of the differences."""
        size = len(steps)
        legs = values[1 : 1 + 4 * size].reshape(size, 4)
        gradient = legs @ [1, -8, 8, -1] / (12 * steps)
        hessian = np.diag((legs @ [-1, 16, 16, -1] - 30 * values[0]) / (12 * steps**2))
        for (i, j), corners in zip(self._pairs, values[1 + 4 * size :].reshape(-1, 4), strict=True):
            hessian[i, j] = hessian[j, i] = corners @ [1, -1, -1, 1] / (4 * steps[i] * steps[j])
        return gradient, hessian
