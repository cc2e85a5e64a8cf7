"""Distances between atoms, and remarks on them."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.input.structure import Crystal, heights
from wavegrid.input.vacuum import radii
from wavegrid.plausibility.remark import Remark
from wavegrid.units import BOHR_IN_ANGSTROM

if TYPE_CHECKING:
    from wavegrid.plausibility.setup import Setup

# Distances in units of the sum of the covalent radii (B. Cordero et al., Dalton Trans. 2008, 2832, 10.1039/b801115j).
# The shortest of crystals: Pu 0.69, U 0.70, W 0.85; with lengths in bohr instead of angstrom Al has 0.63, NaCl 0.56.
# The shortest of molecules: V2 0.58, Cr2 0.60, N2 0.77. The longest that hold crystals together, except for
# noble gases: 1.3.
CLOSEST_IN_CRYSTAL = 0.65
CLOSEST_IN_MOLECULE = 0.57
FARTHEST_NEIGHBOUR = 1.6
NEAREST = 13  # neighbours that are compared in large cells, the atom itself among them
MOST_DIRECT = 100_000  # pairs that are compared one by one
MOST_IMAGES, MOST_IMAGED_ATOMS = 20_000, 10_000_000  # that are near the cell
NOBLE_GASES = frozenset({"He", "Ne", "Ar", "Kr", "Xe", "Rn"})


@dataclass(frozen=True)
class Separation:
    """Two atoms (counted from 0; equal for an atom and its own image), their distance, and that by covalent radii."""

    first: int
    second: int
    distance: float  # bohr
    ratio: float  # infinite where no two atoms are within FARTHEST_NEIGHBOUR


def separation(crystal: Crystal) -> Separation | None:
    """Return the closest pair of atoms in units of the sum of covalent radii, periodic images included.

    None for cells so oblique that too many of their images are near.
    """
    sizes = radii(crystal.symbols)
    reach = FARTHEST_NEIGHBOUR * 2 * sizes.max()
    images = np.prod(2 * reach / heights(crystal.cell) + 3)
    if images > MOST_IMAGES or images * len(sizes) > MOST_IMAGED_ATOMS:
        return None
    places, owners = _with_images(crystal, reach)
    distances, indices = _neighbours(np.mod(crystal.fractional, 1.0) @ crystal.cell, places, reach)
    there = np.isfinite(distances) & (distances > 1e-6)  # not the atom itself
    of_neighbours = sizes[owners[np.where(there, indices, 0)]]
    ratios = np.where(there, distances / (sizes[:, None] + of_neighbours), np.inf)
    first, column = np.unravel_index(int(ratios.argmin()), ratios.shape)
    ratio = float(ratios[first, column])
    if ratio >= FARTHEST_NEIGHBOUR:
        return Separation(0, 0, np.inf, np.inf)
    return Separation(int(first), int(owners[indices[first, column]]), float(distances[first, column]), ratio)


def _neighbours(centres: np.ndarray, places: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Return distances from each centre and indices of all places, or in a large cell of the nearest within `reach`.

    Where there are fewer, distances are infinite.
    """
    if len(centres) * len(places) <= MOST_DIRECT:
        distances = np.linalg.norm(centres[:, None] - places, axis=2)
        return distances, np.broadcast_to(np.arange(len(places)), distances.shape)
    from scipy.spatial import cKDTree  # slow to import

    distances, indices = cKDTree(places).query(centres, k=NEAREST, distance_upper_bound=reach)
    return distances, indices


def _with_images(crystal: Crystal, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the Cartesian positions of the atoms and of all images within `reach` of the cell, and whose they are."""
    margin = reach / heights(crystal.cell)
    inside = np.mod(crystal.fractional, 1.0)
    places, owners = [], []
    for shift in itertools.product(*(range(-count, count + 1) for count in np.ceil(margin).astype(int))):
        images = inside + shift
        near = np.all((images >= -margin) & (images <= 1 + margin), axis=1)
        places.append(images[near])
        owners.append(np.flatnonzero(near))
    return np.concatenate(places) @ crystal.cell, np.concatenate(owners)


def remarks(setup: "Setup") -> Iterator[Remark]:
    """Yield the remarks on distances."""
    closest = setup.closest
    if closest is None:
        return
    if closest.ratio < (CLOSEST_IN_CRYSTAL if setup.crystal_like else CLOSEST_IN_MOLECULE):
        yield Remark(
            "atoms_too_close",
            f"{_pair(setup.crystal, closest)} are {closest.distance * BOHR_IN_ANGSTROM:.2f} angstrom apart, "
            f"{closest.ratio:.2f} times the sum of their covalent radii and closer than any bond: are the lengths in "
            "the right unit?",
        )
    elif np.isinf(closest.ratio) and _meant_to_be_bound(setup):
        yield Remark(
            "atoms_too_far",
            f"no two atoms are closer than {FARTHEST_NEIGHBOUR} times the sum of their covalent radii: "
            "are the lengths in the right unit?",
            warning=setup.crystal_like,
        )


def _meant_to_be_bound(setup: "Setup") -> bool:
    """Several atoms, not of noble gases; a single one where k-points show that it is a crystal."""
    if NOBLE_GASES.issuperset(setup.crystal.symbols):
        return False
    return len(setup.crystal.symbols) > 1 or setup.crystal_like


def _pair(crystal: Crystal, pair: Separation) -> str:
    first = f"atom {pair.first + 1} ({crystal.symbols[pair.first]})"
    if pair.first == pair.second:
        return f"{first} and its own periodic image"
    return f"{first} and atom {pair.second + 1} ({crystal.symbols[pair.second]})"
