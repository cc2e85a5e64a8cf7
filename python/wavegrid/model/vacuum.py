"""The potential across a slab and in the vacuum on its sides."""

from wavegrid.model.part import Part

Sides = tuple[float, float]


class Vacuum(Part):
    """The electrostatic potential across a slab. Its zero has no meaning in a periodic cell; with a free
    direction it is that of the vacuum."""

    axis: int
    """lattice direction across the slab, 1 to 3"""
    x: list[float]
    """distance of each plane of the grid from the one through the origin, bohr"""
    potential: list[float]
    """its mean on each plane, for an electron: of ions and electrons, and from outside, Ha"""
    levels: Sides
    """in the vacuum below and above the atoms: its mean between 0.6 and 0.9 of the way from the outermost atom to the
    middle of the vacuum, or to the end of a mesh; in plane waves with a free direction between 0.45 and 0.6 of the way
    to where the farthest atom is half of the cell away, Ha"""
    unevenness: Sides
    """highest minus lowest potential there, Ha"""
    work_functions: Sides
    """`levels` minus the Fermi level (the higher one, if there are two), Ha; of an insulator with a band gap minus the
    highest occupied level: its ionisation energy"""
