"""The equation of state of Birch and Murnaghan through energies at several volumes.

E(V) of third order is a polynomial of third degree in x = V^(-2/3) (F. Birch, Phys. Rev. 71, 809 (1947),
10.1103/PhysRev.71.809): the fit is one linear least-squares problem without a starting point, as in the comparison of
codes by K. Lejaeghere and others, Science 351, aad3000 (2016), 10.1126/science.aad3000.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wavegrid.model.motion import BirchMurnaghan
from wavegrid.units import HARTREE_PER_BOHR3_IN_GPA


@dataclass(frozen=True)
class Curve:
    """E(V) = E0 + 9 V0 B0 / 16 ((s - 1)^3 B' + (s - 1)^2 (6 - 4 s)), s = (V0 / V)^(2/3)."""

    volume: float
    """V0"""
    energy: float
    """E0"""
    bulk_modulus: float
    """B0, energy by volume"""
    derivative: float
    """B', of the bulk modulus by the pressure"""
    largest_deviation: float = 0.0
    """of the energies from the curve"""
    minimum_in_range: bool = True
    """whether the minimum lies between the smallest and the largest volume"""

    def energies(self, volumes: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the energies at volumes."""
        s = (self.volume / np.asarray(volumes)) ** (2 / 3)
        terms = (s - 1) ** 3 * self.derivative + (s - 1) ** 2 * (6 - 4 * s)
        found: np.ndarray = self.energy + 9 / 16 * self.volume * self.bulk_modulus * terms
        return found

    def as_part(self) -> BirchMurnaghan:
        """Return the values, which are in Ha and bohr^3, for result.json."""
        return BirchMurnaghan(
            volume=self.volume,
            energy=self.energy,
            bulk_modulus_GPa=self.bulk_modulus * HARTREE_PER_BOHR3_IN_GPA,
            bulk_modulus_derivative=self.derivative,
            largest_deviation=self.largest_deviation,
            minimum_in_range=self.minimum_in_range,
        )


def from_part(fit: BirchMurnaghan) -> Curve:
    """Return the curve, in Ha and bohr^3, of the part `fit` of an equation of state."""
    return Curve(
        fit.volume,
        fit.energy,
        fit.bulk_modulus_GPa / HARTREE_PER_BOHR3_IN_GPA,
        fit.bulk_modulus_derivative,
        fit.largest_deviation,
        fit.minimum_in_range,
    )


def fit(volumes: Sequence[float], energies: Sequence[float]) -> Curve | None:
    """Return the curve through at least four points; None where it has no minimum."""
    v, e = np.asarray(volumes, dtype=float), np.asarray(energies, dtype=float)
    scale = float(v.mean())
    x = (scale / v) ** (2 / 3)
    cubic = np.polynomial.Polynomial.fit(x, e, 3).convert()
    slope, curvature, third = (cubic.deriv(n) for n in (1, 2, 3))
    extrema = [float(root.real) for root in slope.roots() if abs(root.imag) < 1e-12]
    minima = [root for root in extrema if root > 0 and curvature(root) > 0]  # one at most, as of any cubic
    if not minima:
        return None
    y = minima[0]
    ratio = y**-1.5  # V0 / scale
    # second and third derivatives by V / scale, where dE/dx = 0
    second_by_volume = 4 / 9 * y**5 * curvature(y)
    third_by_volume = -20 / 9 * y**6.5 * curvature(y) - 8 / 27 * y**7.5 * third(y)
    return Curve(
        volume=ratio * scale,
        energy=float(cubic(y)),
        bulk_modulus=float(ratio * second_by_volume) / scale,
        derivative=float(-1 - ratio * third_by_volume / second_by_volume),
        largest_deviation=float(np.abs(cubic(x) - e).max()),
        minimum_in_range=bool(v.min() <= ratio * scale <= v.max()),
    )
