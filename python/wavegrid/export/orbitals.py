"""Fields made of the bands of a checkpoint: orbitals, the density of states in a range of energies, and the ELF.

With ultrasoft potentials and PAW they are those of the pseudo-waves, which differ from the others near the atoms only.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from wavegrid.errors import InputError
from wavegrid.export.bands import Bands
from wavegrid.job.outputs import orbital_names
from wavegrid.model.tasks import OrbitalTask
from wavegrid.units import HARTREE_IN_EV

_EDGE = 1e-6  # Ha: a level at the end of a range is inside
_OCCUPIED = 1e-8  # electrons
_UNIFORM = 0.3 * (6 * np.pi**2) ** (2 / 3)
_LOW = 1e-5  # Ha/bohr^3 added to the excess kinetic energy: the ELF is then 0 where there are no electrons
_FRONTIER = re.compile(r"(homo|lumo)([+-]\d+)?", re.IGNORECASE)


class Values(NamedTuple):
    """A field on the grid of a checkpoint."""

    name: str
    unit: str
    values: np.ndarray


@dataclass(frozen=True)
class State:
    """A state with a name; all numbers from 0."""

    name: str
    n: int
    spin: int
    k: int


def fields(bands: Bands, task: OrbitalTask) -> Iterator[tuple[str, Callable[[], Values]]]:
    """Yield name and values of each; raises InputError for a state that the checkpoint does not have."""
    for state in _states(bands, task):
        yield state.name, partial(_orbital, bands, state)
    if (energies := task["energies"]) is not None:
        yield "states", partial(_density_of_states, bands, _in_range(bands, energies))
    if task["elf"]:
        if bands.header.has_overlap():
            raise InputError("no ELF with ultrasoft or PAW datasets; valid: norm-conserving pseudopotentials")
        for spin, name in enumerate(orbital_names(task, bands.header.spins)[-bands.header.spins :]):
            yield name, partial(_elf, bands, spin, name)


def _orbital(bands: Bands, state: State) -> Values:
    """Return a real band with its sign, or the square of a complex one, whose phase means nothing."""
    values = bands.values(state.n, state.spin, state.k)
    if bands.header.half_sphere:
        return Values(state.name, "bohr^-3/2", values)
    return Values(state.name, "bohr^-3", np.abs(values) ** 2)


def _states(bands: Bands, task: OrbitalTask) -> Iterator[State]:
    found = iter(orbital_names(task, bands.header.spins))
    for wanted in task["bands"]:
        for spin in range(bands.header.spins):
            n, k = _place(bands, wanted, spin, task["kpoint"])
            yield State(next(found), n, spin, k)


def _place(bands: Bands, wanted: int | str, spin: int, kpoint: int | None) -> tuple[int, int]:
    """Return the number of a band and of its k-point: where it is not given the first, or where the level is extreme.

    Occupied are levels that hold more than half of their electrons.
    """
    if kpoint is not None and kpoint > len(bands.levels):
        raise InputError(f"there is no k-point {kpoint}; valid: 1 to {len(bands.levels)}")
    if isinstance(wanted, int):
        n, at = wanted - 1, 0
    else:
        n, at = _frontier(bands, wanted, spin, kpoint)
    if not 0 <= n < bands.header.bands:
        raise InputError(
            f"there is no band {wanted} among {bands.header.bands}; valid: others, or a run with more bands"
        )
    return n, at if kpoint is None else kpoint - 1


def _frontier(bands: Bands, wanted: str, spin: int, kpoint: int | None) -> tuple[int, int]:
    match = _FRONTIER.fullmatch(wanted)
    if match is None:
        raise InputError(f"'{wanted}' is no orbital; valid: a number from 1, HOMO, HOMO-1, LUMO, LUMO+1, ...")
    levels = bands.levels[:, spin]
    occupied = bands.occupations[:, spin] > 0.5 * bands.state_weights()[:, spin]
    counts = occupied.sum(axis=1)
    is_homo = match[1].lower() == "homo"
    n = (counts.max() - 1 if is_homo else counts.min()) + int(match[2] or 0)
    if kpoint is not None:
        n = (counts[kpoint - 1] - (1 if is_homo else 0)) + int(match[2] or 0)
    if not 0 <= n < bands.header.bands:
        return int(n), 0
    return int(n), int(levels[:, n].argmax() if is_homo else levels[:, n].argmin())


def _in_range(bands: Bands, energies: list[float]) -> np.ndarray:
    """Return the weights (k, s, b) of states whose level from the Fermi level is in a range, Ha."""
    fermi = np.resize(bands.header.fermi, bands.header.spins)[None, :, None]
    level = bands.levels - fermi
    inside = (level >= energies[0] - _EDGE) & (level <= energies[1] + _EDGE)
    if not inside.any():
        low, high = (f"{energy * HARTREE_IN_EV:g} eV" for energy in energies)
        raise InputError(f"no states from {low} to {high} of the Fermi level; valid: a range with states")
    return np.where(inside, bands.state_weights(), 0.0)


def _sum(bands: Bands, weights: np.ndarray, part: Callable[[int, int, int], np.ndarray]) -> np.ndarray:
    """Return the symmetrised sum of a part of each state times its weight."""
    total = np.zeros(bands.header.grid)
    for k, spin, n in np.argwhere(weights > _OCCUPIED * weights.max()):
        total += weights[k, spin, n] * part(int(n), int(spin), int(k))
    return bands.symmetrised(total)


def _density(bands: Bands, weights: np.ndarray) -> np.ndarray:
    return _sum(bands, weights, lambda n, spin, k: np.abs(bands.values(n, spin, k)) ** 2)


def _density_of_states(bands: Bands, weights: np.ndarray) -> Values:
    return Values("states", "electrons/bohr^3", _density(bands, weights))


def _elf(bands: Bands, spin: int, name: str) -> Values:
    """Return 1 / (1 + (D / D_h)^2), D = tau - |grad n|^2 / (8 n), D_h that of the uniform gas of one spin.

    A. D. Becke, K. E. Edgecombe, J. Chem. Phys. 92, 5397 (1990), 10.1063/1.458517.
    """
    weights = np.zeros_like(bands.occupations)
    weights[:, spin] = bands.occupations[:, spin] * (bands.header.spins / 2)
    density = np.maximum(_density(bands, weights), 1e-30)
    tau = 0.5 * _sum(bands, weights, bands.gradient_square)
    excess = tau - _gradient_square(density, bands.header.reciprocal()) / (8 * density)
    uniform = _UNIFORM * density ** (5 / 3)
    return Values(name, "1", 1 / (1 + ((np.maximum(excess, 0) + _LOW) / uniform) ** 2))


def _gradient_square(field: np.ndarray, reciprocal: np.ndarray) -> np.ndarray:
    """Return |grad f|^2 of a real field on its periodic grid."""
    coefficients = np.fft.fftn(field)
    indices = np.meshgrid(*(np.fft.fftfreq(count, 1 / count) for count in field.shape), indexing="ij")
    for index, count in zip(indices, field.shape, strict=True):
        coefficients[2 * np.abs(index) == count] = 0  # has no partner
    total = np.zeros(field.shape)
    for axis in range(3):
        g = sum(index * row[axis] for index, row in zip(indices, reciprocal, strict=True))
        total += np.fft.ifftn(1j * g * coefficients).real ** 2
    return total
