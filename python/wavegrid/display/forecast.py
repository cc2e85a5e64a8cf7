"""How many steps and seconds a self-consistency loop still needs, from the fall of its error."""

import math
from typing import NamedTuple

from wavegrid.base.text import counted, duration
from wavegrid.model.reports import Step

_POINTS = 5  # latest steps that count
_FEWEST = 3  # below, nothing is said
_SLOWEST = -0.15  # log10 of the error per step; with a slower fall nothing is said
_FARTHEST = 3  # times the steps so far: beyond, a line through them says nothing
_DOUBLE = 2.0  # seconds of a step in double precision over one in single precision


class Forecast(NamedTuple):
    """What is left of a loop."""

    steps: int
    seconds: float

    def __str__(self) -> str:
        """Return `4 steps, 12 s`."""
        return f"{counted(self.steps, 'step')}, {duration(self.seconds)}"


def remaining(steps: list[Step], tolerance: float, max_steps: int) -> Forecast | None:
    """Return what is left until the error estimate is below `tolerance` (Ha), or None where that cannot be known.

    `steps`: what the core reported of each. A line is drawn through the logarithms of the latest errors. None also for
    a loop that has reached its tolerance, and for one that would not within `max_steps`.
    """
    latest = [step for step in steps[-_POINTS:] if 0 < (step.get("error_estimate") or 0) < math.inf]
    latest = [step for step in latest if step.get("single_precision") == steps[-1].get("single_precision")]
    if len(latest) < _FEWEST:
        return None
    single = bool(steps[-1].get("single_precision"))
    logs = [math.log10(step["error_estimate"]) for step in latest]
    missing = logs[-1] - math.log10(tolerance)
    slope = _slope(logs)
    if slope > _SLOWEST or (missing <= 0 and not single):
        return None
    falling = max(0, math.ceil(-missing / slope))
    total = falling + (1 if single else 0)
    if total > max_steps - len(steps) or falling > _FARTHEST * len(steps):
        return None
    each = (latest[-1]["seconds"] - latest[0]["seconds"]) / (len(latest) - 1)
    return Forecast(total, each * (falling + (_DOUBLE if single else 0)))


def _slope(values: list[float]) -> float:
    """Return the slope of the line through values at 0, 1, 2, ..."""
    middle, mean = (len(values) - 1) / 2, sum(values) / len(values)
    above = sum((i - middle) * (value - mean) for i, value in enumerate(values))
    return above / sum((i - middle) ** 2 for i in range(len(values)))
