"""From a signal in time to frequencies: int_0^T w(t) f(t) exp(i omega t) dt."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Window = Literal["polynomial", "gaussian", "exponential"]
Array = NDArray[Any]


def window(kind: Window, time: Array, width: float) -> Array:
    """Return the damping at each time; `width`: half width of its peaks at half height (Ha), of the last two.

    The polynomial 1 - 3 x^2 + 2 x^3 of x = t/T ends with the signal (Yabana and others, pss (b) 243, 1121).
    """
    if kind == "polynomial":
        x = time / time[-1]
        return 1 - 3 * x**2 + 2 * x**3
    if kind == "exponential":
        return np.exp(-width * time)
    return np.exp(-((width * time) ** 2) / (4 * np.log(2)))


def integral(values: Array, places: Array) -> float:
    """Return the integral by the trapezoidal rule."""
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(places)))


def integrated(slope: Array, step: float) -> Array:
    """Return the integral from the first time to each, along the last axis: trapezoids with their first correction."""
    change = np.zeros_like(slope)
    change[..., 1:] = np.cumsum(0.5 * step * (slope[..., 1:] + slope[..., :-1]), axis=-1)
    bend = np.gradient(slope, step, axis=-1, edge_order=2)
    result: Array = change - step**2 / 12 * (bend - bend[..., :1])
    return result


def transform(signal: Array, time: Array, energies: Array) -> NDArray[np.complex128]:
    """Return the integral at energies (Ha) by the trapezoidal rule; `time` in equal steps, hbar/Ha."""
    weights = np.full(len(time), time[1] - time[0])
    weights[[0, -1]] *= 0.5
    found = [np.sum(weights * signal * np.exp(1j * energy * time)) for energy in energies]
    return np.array(found)
