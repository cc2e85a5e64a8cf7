"""The work of a run, from which its time is estimated."""

import math
from dataclasses import dataclass

from wavegrid.model.problem import Problem

STEPS = 1.0  # of the loop, per decade of the tolerance below 1 Ha
_STEPS_OF_SPIN = 1.2  # times as many with spin


@dataclass(frozen=True)
class Work:
    """The work of a run, of each rank of the k-point group with most k-points."""

    steps: int  # of the loop, assumed
    rounds: float  # applications of H to all bands of a k-point
    transforms: float  # FFTs of single bands
    seconds: float  # of all computing, on cores that are not shared


def scf_steps(problem: Problem) -> int:
    """Return the steps of the loop that are assumed if their number is not limited."""
    decades = -math.log10(problem["energy_tolerance"])
    return max(3, round(STEPS * decades * (_STEPS_OF_SPIN if problem["spins"] == 2 else 1)))
