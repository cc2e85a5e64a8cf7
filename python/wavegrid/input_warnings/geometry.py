"""Distances between atoms, and remarks on them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from wavegrid.base import vectors
from wavegrid.input.structure import Crystal
from wavegrid.input.vacuum import radii
from wavegrid.input_warnings.remark import Remark
from wavegrid.units import BOHR_IN_ANGSTROM

if TYPE_CHECKING:
    from wavegrid.input_warnings.setup import Setup

# Distances in units of the sum of the covalent radii (B. Cordero et al., Dalton Trans. 2008, 2832, 10.1039/b801115j).
# The shortest of crystals: Pu 0.69, U 0.70, W 0.85; with lengths in bohr instead of angstrom Al has 0.63, NaCl 0.56.
# The shortest of molecules: V2 0.58, Cr2 0.60, N2 0.77. The longest that hold crystals together, except for
# noble gases: 1.3.
CLOSEST_IN_CRYSTAL = 0.65
CLOSEST_IN_MOLECULE = 0.57
FARTHEST_NEIGHBOUR = 1.6
MOST_IMAGES, MOST_IMAGED_ATOMS = 20_000, 10_000_000  # that are near the cell
NOBLE_GASES = frozenset({"He", "Ne", "Ar", "Kr", "Xe", "Rn"})


@dataclass(frozen=True)
class Separation:
    """Two atoms (counted from 0; equal for an atom and its own image), their distance, and that by covalent radii."""

    first: int
    second: int
    distance: float  # bohr
    ratio: float  # infinite where no two atoms are within FARTHEST_NEIGHBOUR


def separation(core: ModuleType, crystal: Crystal) -> Separation | None:
    """Return the closest pair of atoms in units of the sum of covalent radii, periodic images included.

    None for cells so oblique that too many of their images are near.
    """
    sizes = radii(crystal.species())
    reach = FARTHEST_NEIGHBOUR * 2 * max(sizes)
    images = math.prod(2 * reach / height + 3 for height in vectors.heights(crystal.cell))
    if images > MOST_IMAGES or images * len(crystal.symbols) > MOST_IMAGED_ATOMS:
        return None
    pair = core.closest_pair(crystal.as_dict(), FARTHEST_NEIGHBOUR, sizes)
    if pair is None:
        return Separation(0, 0, math.inf, math.inf)
    first, second, distance = pair
    return Separation(first, second, distance, distance / sum(radii([crystal.symbols[first], crystal.symbols[second]])))


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
    elif math.isinf(closest.ratio) and _meant_to_be_bound(setup):
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
