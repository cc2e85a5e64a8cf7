"""The density of states of a run: levels of the mesh, each broadened, states per Ha and cell.

Each level counts k-weight times 2 without spin, 1 with it. It is broadened by the derivative of a smearing's
occupation f, so that the states up to E are sum_i w_i f((E - eps_i) / width): with the smearing of the run itself, the
states up to the Fermi level are its electrons.
"""

import math
from typing import Any

import numpy as np

_REACH = {"fermi-dirac": 24.0, "gaussian": 6.0, "methfessel-paxton": 6.0, "cold": 7.0}  # widths; beyond: < 1e-10
_ROOT_PI = math.sqrt(math.pi)
_SHIFT = 1 / math.sqrt(2)  # of cold smearing


def density_of_states(result: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    """Return energies (Ha), states (spins, points; 1/Ha/cell), the states below each energy, and the Fermi level.

    `task`: points and the broadening's kind and width (Ha). Levels are those that the core converged at each k-point
    ("path") where it did, else the loop's. Above "complete_below" bands are missing that were not computed.
    """
    source = result.get("path", result)
    levels = np.array(source["eigenvalues"])  # (spins, k, bands)
    weights = np.array([point[3] for point in result["kpoints"]]) * (2 if len(levels) == 1 else 1)
    kind, width = task["broadening"]["kind"], task["broadening"]["width"]
    margin = _REACH[kind] * width
    complete = float(levels[:, :, -1].min())
    fermi = result["fermi_level"]
    highest = max(fermi) if isinstance(fermi, list) else fermi
    energies = np.linspace(levels.min() - margin, max(complete, highest) + margin, task["points"])
    states, below = np.zeros((2, len(levels), len(energies)))
    for spin, of_spin in enumerate(levels):
        for weight, of_k in zip(weights, of_spin, strict=True):
            x = (energies[:, None] - of_k) / width
            states[spin] += weight / width * delta(kind, x).sum(axis=1)
            below[spin] += weight * occupation(kind, x).sum(axis=1)
    return {
        "energies": energies.tolist(),
        "density_of_states": states.tolist(),
        "integrated_density_of_states": below.tolist(),
        "fermi_level": fermi,
        "complete_below": complete,
        "broadening": task["broadening"],
    }


def occupation(kind: str, x: np.ndarray) -> np.ndarray:
    """Return the occupation, 0 to 1, at x = (E - eps) / width, as src/electrons/smearing.hpp defines it."""
    if kind == "fermi-dirac":
        return 0.5 * (1 + np.tanh(x / 2))
    if kind == "gaussian":
        return 0.5 * _erfc(-x)
    if kind == "methfessel-paxton":
        return 0.5 * _erfc(-x) + x * np.exp(-(x**2)) / (2 * _ROOT_PI)
    y = x - _SHIFT
    return 0.5 * _erfc(-y) + np.exp(-(y**2)) * _SHIFT / _ROOT_PI


def delta(kind: str, x: np.ndarray) -> np.ndarray:
    """Return the derivative of `occupation` by x."""
    if kind == "fermi-dirac":
        return 0.25 / np.cosh(np.clip(x / 2, -300, 300)) ** 2
    if kind == "gaussian":
        return np.exp(-(x**2)) / _ROOT_PI
    if kind == "methfessel-paxton":
        return np.exp(-(x**2)) * (1.5 - x**2) / _ROOT_PI
    y = x - _SHIFT
    return np.exp(-(y**2)) * (1 - math.sqrt(2) * y) / _ROOT_PI


_erfc = np.vectorize(math.erfc, otypes=[float])
