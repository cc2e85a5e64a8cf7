"""Vacuum in a cell: how wide the layers without atoms are, and across which lattice directions."""

from itertools import accumulate

from wavegrid.base import vectors
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.input.structure import Crystal
from wavegrid.units import BOHR_IN_ANGSTROM

# Widths between covalent radii, bohr. Layers of graphite are 3.5 bohr apart, and their bands disperse by 1 eV; across
# 6 bohr the overlap of orbitals is below 1e-2.
POSSIBLE_VACUUM = 3.7
VACUUM = 6.0
END_VACUUM = 8.0  # with some 1e-4 electrons in its middle: a dipole is then known to about 0.01 D
SLAB_VACUUM = 12.0  # its potential is then flat somewhere: densities of surfaces end 5 bohr from the covalent radius


def radii(symbols: list[str]) -> list[float]:
    """Return the covalent radii of atoms, bohr."""
    return [ELEMENTS[symbol].covalent_radius / BOHR_IN_ANGSTROM for symbol in symbols]


def dispersing(crystal: Crystal, periodic: list[bool]) -> list[bool]:
    """Return for each lattice direction whether bands may disperse along it: it is periodic and crosses no vacuum.

    Of a molecule, or of atoms far apart, all periodic ones.
    """
    without = [one and empty <= VACUUM for one, empty in zip(periodic, empty_widths(crystal), strict=True)]
    return without if any(without) else periodic


def ends(crystal: Crystal, periodic: list[bool]) -> list[bool]:
    """Return along which lattice directions the crystal ends: at a free boundary, or with vacuum in its cell."""
    return [not one or empty > END_VACUUM for one, empty in zip(periodic, empty_widths(crystal), strict=True)]


def slab_axis(crystal: Crystal, periodic: list[bool]) -> int | None:
    """Return the lattice direction (0 to 2) across a slab, or None: vacuum or a free boundary in this one alone."""
    across = [not one or empty > SLAB_VACUUM for one, empty in zip(periodic, empty_widths(crystal), strict=True)]
    return across.index(True) if across.count(True) == 1 else None


def without_work_function(crystal: Crystal, periodic: list[bool]) -> list[str]:
    """Return a note where a potential brings no work function; none for a slab."""
    if slab_axis(crystal, periodic) is not None:
        return []
    if not all(periodic):
        return ["no work function: a slab has vacuum or a free boundary along one lattice direction alone"]
    widths = ", ".join(f"{max(width, 0.0):.1f}" for width in empty_widths(crystal))
    return [
        f"no work function: a slab has vacuum along one lattice direction alone, more than {SLAB_VACUUM:g} bohr "
        f"without atoms; here there are {widths}"
    ]


def empty_widths(crystal: Crystal) -> list[float]:
    """Return, for each lattice direction, the widest layer parallel to the two others without atoms (3,), bohr.

    Atoms end at their covalent radius; the width is negative where they overlap everywhere.
    """
    sizes = radii(crystal.symbols)
    widths = []
    for axis, height in enumerate(vectors.heights(crystal.cell)):
        centres = [position[axis] % 1.0 * height for position in crystal.fractional]
        ends = sorted((centre - size, centre + size) for centre, size in zip(centres, sizes, strict=True))
        lower = [low for low, _ in ends[1:]] + [ends[0][0] + height]  # the last: an image of the first
        before = max(high for _, high in ends) - height
        filled = list(accumulate((high for _, high in ends), max, initial=before))[1:]  # atoms below, images too
        widths.append(max(ends[0][0] - before, *(low - high for low, high in zip(lower, filled, strict=True))))
    return widths
