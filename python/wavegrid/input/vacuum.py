"""Vacuum in a cell: how wide the layers without atoms are, and across which lattice directions."""

import numpy as np
from ase.data import atomic_numbers, covalent_radii

from wavegrid.input.structure import Crystal, heights
from wavegrid.units import BOHR_IN_ANGSTROM

# Widths between covalent radii, bohr. Layers of graphite are 3.5 bohr apart, and their bands disperse by 1 eV; across
# 6 bohr the overlap of orbitals is below 1e-2.
POSSIBLE_VACUUM = 3.7
VACUUM = 6.0


def radii(symbols: list[str]) -> np.ndarray:
    """Return the covalent radii of atoms, bohr."""
    return np.array([covalent_radii[atomic_numbers[symbol]] for symbol in symbols]) / BOHR_IN_ANGSTROM


def empty_widths(crystal: Crystal) -> np.ndarray:
    """Return, for each lattice direction, the widest layer parallel to the two others without atoms (3,), bohr.

    Atoms end at their covalent radius; the width is negative where they overlap everywhere.
    """
    sizes = radii(crystal.symbols)
    widths = []
    for axis, height in enumerate(heights(crystal.cell)):
        centres = np.mod(crystal.fractional[:, axis], 1.0) * height
        order = np.argsort(centres - sizes)
        lower, upper = (centres - sizes)[order], (centres + sizes)[order]
        filled = np.maximum.accumulate(np.concatenate([[upper.max() - height], upper]))  # atoms below, images too
        widths.append(float((np.append(lower, lower[0] + height) - filled).max()))
    return np.array(widths)
