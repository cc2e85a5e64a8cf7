"""The electrostatic potential on a surface of constant density."""

from typing import Literal

from wavegrid.model.part import Part, Vector

ExtremumKind = Literal["maximum", "minimum"]
SurfaceZero = Literal["infinity", "vacuum", "cell"]


class SurfaceExtremum(Part):
    """A point of the surface with a higher, or lower, potential than those around it."""

    kind: ExtremumKind
    """which of them"""
    potential: float
    """Ha"""
    place: Vector
    """bohr"""


class PotentialSurface(Part):
    """The potential of a positive charge on the surface of `[output] surface`; `surface.csv` has all points."""

    density: float
    """electrons/bohr^3"""
    zero: SurfaceZero
    """where the potential is zero: far away, in the vacuum of the cell, or as its mean in the cell"""
    area: float
    """bohr^2"""
    extrema: list[SurfaceExtremum]
    """maxima, the highest first, then minima, the lowest first"""
    mean_positive: float | None = None
    """mean where it is positive, Ha"""
    mean_negative: float | None = None
    """mean where it is negative, Ha"""
