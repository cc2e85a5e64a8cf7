"""Excitation energies by Casida's equation."""

from collections.abc import Sequence
from typing import Literal

from wavegrid.model.part import Part, Vector


class Excitation(Part):
    """One of them."""

    energy: float
    """Ha; negative where the ground state is not stable"""
    strengths: Vector
    """oscillator strengths along x, y and z; their mean is that of molecules in all directions"""
    spin: int
    """of the pair of bands with the largest weight: 0, or 1 for down"""
    from_band: int
    """of this pair the occupied band, from 1"""
    to_band: int
    """and the empty one"""
    weight: float
    """its weight"""


class Excitations(Part):
    """All of them, in the space of the pairs of bands."""

    table: str
    """file with all of them, in eV"""
    spin: Literal["singlet", "triplet", "collinear"]
    """which ones"""
    pairs: int
    """pairs of an occupied and an empty band"""
    level_error: float
    """largest estimated error of a level, Ha"""
    sum_rule: float
    """sum of the mean strengths over the number of electrons: 1 with all bands, 0 for triplets"""
    lowest: Sequence[Excitation] = ()
    """the lowest ones, at most 50"""
