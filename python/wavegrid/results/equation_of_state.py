"""Equations of state through energies at several volumes, by least squares.

That of Birch and Murnaghan of third order is a polynomial of third degree in x = V^(-2/3) (F. Birch, Phys. Rev. 71, 809
(1947), 10.1103/PhysRev.71.809): the fit is one linear least-squares problem without a starting point, as in the
comparison of codes by K. Lejaeghere and others, Science 351, aad3000 (2016), 10.1126/science.aad3000. That of Vinet
and others, J. Phys. C 19, L467 (1986), 10.1088/0022-3719/19/20/001, is better under high pressure; its fit starts from
the other curve.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from wavegrid.model.motion import FittedCurve
from wavegrid.units import HARTREE_PER_BOHR3_IN_GPA

Form = Literal["birch-murnaghan", "vinet"]
_STEP = 1e-6  # relative, of a parameter


@dataclass(frozen=True)
class Curve:
    """The energy as a function of the volume."""

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
    form: Form = "birch-murnaghan"
    errors: tuple[float, float, float, float] | None = None
    """standard errors of the first four"""

    def energies(self, volumes: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the energies at volumes."""
        parameters = (self.volume, self.bulk_modulus, self.derivative)
        found: np.ndarray = self.energy + _FORMS[self.form](np.asarray(volumes, dtype=float), *parameters)
        return found

    def as_part(self) -> FittedCurve:
        """Return the values, which are in Ha and bohr^3, for result.json."""
        found = FittedCurve(
            volume=self.volume,
            energy=self.energy,
            bulk_modulus_GPa=self.bulk_modulus * HARTREE_PER_BOHR3_IN_GPA,
            bulk_modulus_derivative=self.derivative,
            largest_deviation=self.largest_deviation,
            minimum_in_range=self.minimum_in_range,
        )
        if self.errors is not None:
            found.volume_error, found.energy_error, modulus, found.bulk_modulus_derivative_error = self.errors
            found.bulk_modulus_error_GPa = modulus * HARTREE_PER_BOHR3_IN_GPA
        return found


def _birch_murnaghan(volumes: np.ndarray, volume: float, modulus: float, derivative: float) -> np.ndarray:
    """E - E0 = 9 V0 B0 / 16 ((s - 1)^3 B' + (s - 1)^2 (6 - 4 s)), s = (V0 / V)^(2/3)."""
    s = (volume / volumes) ** (2 / 3)
    found: np.ndarray = 9 / 16 * volume * modulus * ((s - 1) ** 3 * derivative + (s - 1) ** 2 * (6 - 4 * s))
    return found


def _vinet(volumes: np.ndarray, volume: float, modulus: float, derivative: float) -> np.ndarray:
    """E - E0 = 9 V0 B0 / e^2 (1 - (1 - e (1 - x)) exp(e (1 - x))), x = (V / V0)^(1/3), e = 3/2 (B' - 1)."""
    eta = 1.5 * (derivative - 1) or 1e-9
    y = eta * (1 - np.cbrt(volumes / volume))
    found: np.ndarray = 9 * volume * modulus / eta**2 * (1 - (1 - y) * np.exp(y))
    return found


_FORMS: dict[Form, Callable[[np.ndarray, float, float, float], np.ndarray]] = {
    "birch-murnaghan": _birch_murnaghan,
    "vinet": _vinet,
}


def from_part(fit: FittedCurve, form: Form = "birch-murnaghan") -> Curve:
    """Return the curve, in Ha and bohr^3, of a fit in the part of an equation of state."""
    return Curve(
        fit.volume,
        fit.energy,
        fit.bulk_modulus_GPa / HARTREE_PER_BOHR3_IN_GPA,
        fit.bulk_modulus_derivative,
        fit.largest_deviation,
        fit.minimum_in_range,
        form,
    )


def fit(volumes: Sequence[float], energies: Sequence[float]) -> Curve | None:
    """Return the curve of Birch and Murnaghan through at least four points; None where it has no minimum."""
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
    found = Curve(
        volume=ratio * scale,
        energy=float(cubic(y)),
        bulk_modulus=float(ratio * second_by_volume) / scale,
        derivative=float(-1 - ratio * third_by_volume / second_by_volume),
        largest_deviation=float(np.abs(cubic(x) - e).max()),
        minimum_in_range=bool(v.min() <= ratio * scale <= v.max()),
    )
    return _with_errors(found, v, e)


def fit_vinet(start: Curve, volumes: Sequence[float], energies: Sequence[float]) -> Curve | None:
    """Return the curve of Vinet through the points, nearest to `start`; None where there is none with a minimum."""
    from scipy.optimize import least_squares  # slow to import

    v, e = np.asarray(volumes, dtype=float), np.asarray(energies, dtype=float)
    first = replace(start, form="vinet", errors=None)
    scales = _scales(first)

    def deviations(changes: np.ndarray) -> np.ndarray:
        found: np.ndarray = (_with(first, _parameters(first) + changes * scales).energies(v) - e) / scales[1]
        return found

    found = least_squares(deviations, np.zeros(4), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    curve = _with(first, _parameters(first) + found.x * scales)
    if not (found.success and curve.volume > 0 and curve.bulk_modulus > 0):
        return None
    curve = replace(
        curve,
        largest_deviation=float(np.abs(curve.energies(v) - e).max()),
        minimum_in_range=bool(v.min() <= curve.volume <= v.max()),
    )
    return _with_errors(curve, v, e)


def _parameters(curve: Curve) -> np.ndarray:
    return np.array([curve.volume, curve.energy, curve.bulk_modulus, curve.derivative])


def _with(curve: Curve, values: np.ndarray) -> Curve:
    volume, energy, modulus, derivative = values.tolist()
    return replace(curve, volume=volume, energy=energy, bulk_modulus=modulus, derivative=derivative)


def _scales(curve: Curve) -> np.ndarray:
    """Return the sizes of the parameters: of the energy that of B0 V0, since its zero has no meaning."""
    size = curve.volume * curve.bulk_modulus
    return np.array([curve.volume, size, curve.bulk_modulus, 1.0])


def _jacobian(curve: Curve, volumes: np.ndarray) -> np.ndarray:
    """Return the derivatives of the energies (rows) by the parameters in units of their sizes, by differences."""
    columns = []
    for step in np.diag(_scales(curve)) * _STEP:
        above, below = (_with(curve, _parameters(curve) + sign * step) for sign in (1, -1))
        columns.append((above.energies(volumes) - below.energies(volumes)) / (2 * _STEP))
    return np.array(columns).T


def _with_errors(curve: Curve, volumes: np.ndarray, energies: np.ndarray) -> Curve:
    """Return the curve with its standard errors: the roots of s^2 (J^T J)^-1, s^2 the scatter per degree of freedom."""
    free = len(volumes) - 4
    if free < 1:
        return curve
    jacobian = _jacobian(curve, volumes)
    scatter = ((curve.energies(volumes) - energies) ** 2).sum() / free
    variances = scatter * np.diag(np.linalg.pinv(jacobian.T @ jacobian, hermitian=True))
    volume, energy, modulus, derivative = (np.sqrt(variances) * _scales(curve)).tolist()
    return replace(curve, errors=(volume, energy, modulus, derivative))
