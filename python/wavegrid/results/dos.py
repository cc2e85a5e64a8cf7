"""The density of states of a run: levels of the mesh, broadened by a Gaussian or interpolated in tetrahedra.

States per Ha and cell: each level counts k-weight times 2 without spin, 1 with it. The broadening is a Gaussian
exp(-x^2) / (width sqrt(pi)) with x = (E - eps) / width whatever the smearing of the run: the derivative of a
Methfessel-Paxton or cold occupation is negative somewhere. The electrons up to the Fermi level, counted with the
smearing of the run, are a separate number.
"""

import math
from collections.abc import Iterator

import numpy as np

from wavegrid.model.core_result import CoreResult, TetrahedronTable
from wavegrid.model.names import TETRAHEDRA
from wavegrid.model.problem import Smearing
from wavegrid.model.spectra import Broadening, DensityOfStates
from wavegrid.model.tasks import DosTask
from wavegrid.results import tetrahedra
from wavegrid.results.gap import DEGENERATE, electrons_of_state, fermi_levels
from wavegrid.units import HARTREE_IN_EV

STEP = 0.02 / HARTREE_IN_EV  # Ha, between energies where the input does not say how many
_FINEST = 4  # steps per width at least
_MOST = 20001  # energies of a range that the program chooses itself
_MARGIN = 6.0  # widths; farther from a level the Gaussian has less than 1e-15 of its states
_DEEP = 10 / HARTREE_IN_EV  # Ha below the Fermi level: levels there may be semicore
_APART = 1.5 / HARTREE_IN_EV  # Ha: deep bands with such a gap to those above have a range of their own
_TOGETHER = 5 / HARTREE_IN_EV  # Ha: deep bands nearer to each other share a range, such as those of both spins
_ROOT_PI = math.sqrt(math.pi)
_SHIFT = 1 / math.sqrt(2)  # of cold smearing


def density_of_states(result: CoreResult, task: DosTask) -> DensityOfStates:
    """Return the part `dos` of result.json.

    `task`: width (Ha) of the broadening, points (None: steps of 0.02 eV), smearing of the run (None: fixed).
    """
    levels, weights = levels_of(result)
    width, table = task["width"], result.tetrahedra
    complete = float(levels[:, :, -1].min())
    fermi = np.array(fermi_levels(result.fermi_level, len(levels)))
    ranges: list[tuple[int, int]] = []
    pieces: list[np.ndarray] = []
    for lowest, highest in _ranges(levels, fermi.max(), complete):
        margin = _MARGIN * width if table is None else STEP
        pieces.append(_energies(lowest - margin, highest + margin, width if table is None else _FINEST * STEP))
        start = ranges[-1][1] if ranges else 0
        ranges.append((start, start + len(pieces[-1])))
    if task["points"] is not None:
        pieces[-1] = np.linspace(pieces[-1][0], pieces[-1][-1], task["points"])
        ranges[-1] = (ranges[-1][0], ranges[-1][0] + task["points"])
    energies = np.concatenate(pieces)
    states, below = (
        _broadened(levels, weights, energies, width)
        if table is None
        else _interpolated(levels, electrons_of_state(result), table, energies)
    )
    return DensityOfStates(
        energies=energies.tolist(),
        ranges=ranges,
        density_of_states=states.tolist(),
        integrated_density_of_states=below.tolist(),
        electrons_at_fermi_level=_electrons(result, weights, fermi, task["smearing"]),
        fermi_level=result.fermi_level,
        complete_below=complete,
        broadening=Broadening(kind=task.get("broadening", "gaussian"), width=width),
    )


def _broadened(
    levels: np.ndarray, weights: np.ndarray, energies: np.ndarray, width: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the density of states (spin, energy), and the states below each energy."""
    states, below = np.zeros((2, len(levels), len(energies)))
    for (spin, k, _), near, x, density in peaks(levels, weights, energies, width):
        states[spin, near] += density
        below[spin, near] += weights[k] * occupation("gaussian", x)
        below[spin, near.stop :] += weights[k]
    return states, below


def _interpolated(
    levels: np.ndarray, full: int, table: TetrahedronTable, energies: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the same without broadening."""
    states, below = np.zeros((2, len(levels), len(energies)))
    for (spin, _), under, density in tetrahedra.bands(levels, table, energies):
        states[spin] += full * density.sum(axis=0)
        below[spin] += full * under
    return states, below


def levels_of(result: CoreResult) -> tuple[np.ndarray, np.ndarray]:
    """Return the levels (spin, k-point, band), Ha, and how much a state of each k-point counts.

    The levels are those that the core converged at each k-point ("path") where it did, else the loop's.
    """
    levels = np.array((result if result.path is None else result.path).eigenvalues)
    return levels, np.array([point[3] for point in result.kpoints]) * electrons_of_state(result)


def peaks(
    levels: np.ndarray, weights: np.ndarray, energies: np.ndarray, width: float
) -> Iterator[tuple[tuple[int, int, int], slice, np.ndarray, np.ndarray]]:
    """Return for each state its index, the energies near it, (E - eps) / width there, and its density of states."""
    for index in np.ndindex(*levels.shape):
        level = levels[index]
        near = slice(*np.searchsorted(energies, [level - _MARGIN * width, level + _MARGIN * width]))
        x = (energies[near] - level) / width
        yield index, near, x, weights[index[1]] / (width * _ROOT_PI) * np.exp(-(x**2))


def _ranges(levels: np.ndarray, fermi: float, complete: float) -> list[tuple[float, float]]:
    """Return lowest and highest level (Ha) of each group of deep bands, and last of all others, as far as complete."""
    lows, highs = levels.min(axis=1).ravel(), levels.max(axis=1).ravel()  # of each band of each spin
    groups: list[list[float]] = []
    for low, high in sorted(zip(lows.tolist(), highs.tolist(), strict=True)):
        apart = _TOGETHER if low < fermi - _DEEP and high < fermi - _DEEP else _APART
        if groups and (low - groups[-1][1] < apart or groups[-1][1] > fermi - _DEEP):
            groups[-1][1] = max(groups[-1][1], high)
        else:
            groups.append([low, high])
    groups[-1][1] = max(complete, fermi)
    return [(low, high) for low, high in groups]


def _energies(lowest: float, highest: float, width: float) -> np.ndarray:
    """Return evenly spaced energies."""
    step = max(min(STEP, width / _FINEST), (highest - lowest) / (_MOST - 1))
    return lowest + step * np.arange(math.ceil((highest - lowest) / step * (1 - 1e-12)) + 1)


def _electrons(result: CoreResult, weights: np.ndarray, fermi: np.ndarray, smearing: Smearing | None) -> float:
    """Return the electrons up to the Fermi level of each spin with the smearing of the run, None: whole bands.

    The levels are those of the loop, with which it found the Fermi level.
    """
    if smearing is not None and smearing["kind"] in TETRAHEDRA:
        return float(np.sum(result.occupations))
    distance = fermi[:, None, None] - np.array(result.eigenvalues)
    if smearing is None:
        shares = (distance > -DEGENERATE).astype(float)
    else:
        shares = occupation(smearing["kind"], distance / smearing["width"])
    return float((weights[None, :, None] * shares).sum())


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


_erfc = np.vectorize(math.erfc, otypes=[float])
