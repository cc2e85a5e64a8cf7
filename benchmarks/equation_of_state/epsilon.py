"""The distance of two equations of state in the verification study.

E. Bosoni and others, Nat. Rev. Phys. 6, 45 (2024), 10.1038/s42254-023-00655-3.
"""

from __future__ import annotations

import numpy as np

from wavegrid.results.equation_of_state import Curve

RANGE = 0.06  # of the mean of both volumes
_POINTS = 4001


def epsilon(first: Curve, second: Curve) -> float:
    """Return sqrt(<(E_1 - E_2)^2> / sqrt(<(E_1 - <E_1>)^2> <(E_2 - <E_2>)^2>)) of curves with their minima at 0.

    < > is the mean over volumes that differ by up to 6% from the mean of both minima.
    """
    middle = (first.volume + second.volume) / 2
    volumes = np.linspace((1 - RANGE) * middle, (1 + RANGE) * middle, _POINTS)
    one, two = (curve.energies(volumes) - curve.energy for curve in (first, second))
    return float(np.sqrt(_mean((one - two) ** 2) / np.sqrt(_variance(one) * _variance(two))))


def _mean(values: np.ndarray) -> float:
    """Return the mean by the rule of trapezoids."""
    return float((values.sum() - (values[0] + values[-1]) / 2) / (len(values) - 1))


def _variance(values: np.ndarray) -> float:
    return _mean((values - _mean(values)) ** 2)
