"""The levels of the vacuum around a slab. Ranks import this: no library."""

import math
from collections.abc import Sequence

from wavegrid.discretisation import choose
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import Problem
from wavegrid.model.vacuum import Vacuum
from wavegrid.results import averages
from wavegrid.results.gap import fermi_levels
from wavegrid.units import HARTREE_IN_EV

_NEAR, _FAR = 0.6, 0.9  # of the way from the outermost atom to the middle of the vacuum
_NEAR_OF_CUT, _FAR_OF_CUT = 0.45, 0.6  # of the way from there to the farthest place with the potential of the slab
_EVEN = 0.03 / HARTREE_IN_EV  # Ha


def around_slab(problem: Problem, result: CoreResult) -> Vacuum | None:
    """Return the potential across a slab; None where the problem has none, or no point is in its vacuum."""
    axis, found = problem["average_axis"], averages.planar(problem, result)
    if axis is None or found is None:
        return None
    discretisation = choose.from_problem(problem)
    free = not discretisation.repeats(problem)[axis]
    cut_off = not free and not discretisation.periodic(problem)[axis]
    places, potential = [x / found.height for x in found.x], found.potential
    ends = (places[0], places[-1]) if free else None
    lower, upper = _windows([atom[1 + axis] for atom in problem["atoms"]], ends, cut_off=cut_off)
    sides = [_inside(places, potential, window, free) for window in (lower, upper)]
    if not all(sides):
        return None
    levels = [math.fsum(side) / len(side) for side in sides]
    below = result.band_gap.valence_band_maximum if result.band_gap else max(fermi_levels(result.fermi_level, 1))
    return Vacuum(
        axis=axis + 1,
        x=found.x,
        potential=potential,
        levels=(levels[0], levels[1]),
        unevenness=(max(sides[0]) - min(sides[0]), max(sides[1]) - min(sides[1])),
        work_functions=(levels[0] - below, levels[1] - below),
    )


def _windows(
    atoms: Sequence[float], ends: tuple[float, float] | None, *, cut_off: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ranges of fractional places below and above the atoms; `ends`: of a mesh that is free there.

    `cut_off`: the interaction in a repeated cell is, so that the potential is that of the slab within half of the cell
    from all of it.
    """
    if ends is not None:
        bottom, top = min(atoms), max(atoms)
        down, up = bottom - ends[0], ends[1] - top
    else:
        inside = sorted(place % 1.0 for place in atoms)
        after = [*inside[1:], inside[0] + 1]
        gap, top, bottom = max((above - below, below, above) for below, above in zip(inside, after, strict=True))
        down = up = gap / 2
        if cut_off:
            reach = gap - 0.5
            return (bottom - _FAR_OF_CUT * reach, bottom - _NEAR_OF_CUT * reach), (
                top + _NEAR_OF_CUT * reach,
                top + _FAR_OF_CUT * reach,
            )
    return (bottom - _FAR * down, bottom - _NEAR * down), (top + _NEAR * up, top + _FAR * up)


def _inside(
    places: Sequence[float], potential: Sequence[float], window: tuple[float, float], free: bool
) -> list[float]:
    """Return the potential at the places in a range, of a lattice direction modulo 1."""
    low, high = window
    shifts = [place if free else low + (place - low) % 1.0 for place in places]
    return [value for place, value in zip(shifts, potential, strict=True) if low <= place <= high]


def note(found: Vacuum) -> str:
    """Return what makes the levels doubtful; empty where nothing does."""
    uneven = max(found.unevenness)
    if uneven < _EVEN:
        return ""
    return (
        f"the potential in the vacuum varies by {uneven * HARTREE_IN_EV:.2f} eV where its level is taken; needed is "
        "more vacuum, a smaller energy_tolerance, or for a slab with a dipole moment [external] dipole_correction"
    )
