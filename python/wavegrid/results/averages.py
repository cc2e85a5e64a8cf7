"""Averages of the electrostatic potential along a lattice direction. Ranks import this: no library.

Macroscopic: over planes and over a width, that of the layers (A. Baldereschi, S. Baroni, R. Resta, Phys. Rev. Lett. 61,
734 (1988), 10.1103/PhysRevLett.61.734).
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate

from wavegrid.base import vectors
from wavegrid.discretisation import choose
from wavegrid.model.core_result import CoreResult
from wavegrid.model.part import FermiLevel
from wavegrid.model.problem import Problem, field_grid
from wavegrid.results.gap import fermi_levels
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV


@dataclass(frozen=True)
class Averages:
    """The potential of an electron on planes, Ha, at distances from the plane through the origin, bohr."""

    x: list[float]
    potential: list[float]
    height: float  # of the cell, bohr
    periodic: bool  # the planes, also where a cell without images repeats
    macroscopic: list[float] | None = None


def planar(problem: Problem, result: CoreResult) -> Averages | None:
    """Return the mean of each plane; None where the core has computed none."""
    axis, potential = problem["average_axis"], result.potential_average
    if axis is None or potential is None:
        return None
    height = vectors.heights(problem["cell"])[axis]
    step, first = height / field_grid(problem)[axis], result.potential_average_first
    repeats = choose.from_problem(problem).repeats(problem)[axis]
    return Averages([(first + i) * step for i in range(len(potential))], potential, height, repeats)


def macroscopic(found: Averages, width: float) -> Averages:
    """Return the same with the mean over a width around each plane; beyond a free end the potential stays as it is."""
    x, v = found.x, found.potential
    step = x[1] - x[0]
    if found.periodic:
        x, v = [*x, x[-1] + step], [*v, v[0]]
    pieces = [(one + other) * step / 2 for one, other in zip(v, v[1:], strict=False)]
    sums = list(accumulate(pieces, initial=0.0))

    def integral(at: float) -> float:
        """From the first plane to `at`."""
        turns = math.floor((at - x[0]) / found.height) if found.periodic else 0
        at -= turns * found.height
        if at <= x[0]:
            return turns * sums[-1] + (at - x[0]) * v[0]
        if at >= x[-1]:
            return turns * sums[-1] + sums[-1] + (at - x[-1]) * v[-1]
        i = min(bisect_right(x, at) - 1, len(pieces) - 1)
        part = (at - x[i]) / step
        return turns * sums[-1] + sums[i] + step * part * (v[i] + part * (v[i + 1] - v[i]) / 2)

    means = [(integral(at + width / 2) - integral(at - width / 2)) / width for at in found.x]
    return replace(found, macroscopic=means)


def table(title: str, found: Averages, fermi: FermiLevel) -> bytes:
    """Return the averages as a CSV file, eV and Angstrom."""
    levels = ", ".join(f"{level * HARTREE_IN_EV:.6f}" for level in fermi_levels(fermi, 1))
    head = f"# {' '.join(title.split())}: electrostatic potential of an electron, by wavegrid; eV, Fermi level {levels}"
    columns = [found.potential, *([found.macroscopic] if found.macroscopic is not None else [])]
    lines = [head, ",".join(["distance_angstrom", "mean_of_plane", "macroscopic"][: 1 + len(columns)])]
    for x, *values in zip(found.x, *columns, strict=True):
        cells = [x * BOHR_IN_ANGSTROM, *(value * HARTREE_IN_EV for value in values)]
        lines.append(",".join(f"{cell:.8g}" for cell in cells))
    return "\n".join(lines).encode() + b"\n"
