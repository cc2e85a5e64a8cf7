"""The propagation in time of an input file: steps, the kick with its gauge, pulses."""

import math

from wavegrid.base import vectors
from wavegrid.input.models import Input, Kick, Laser
from wavegrid.input.structure import Crystal
from wavegrid.model.problem import KickSettings, LaserSettings, PropagationSettings
from wavegrid.units import ATOMIC_TIME_IN_FS

_ALONG = 1e-6  # bohr: the component of a lattice vector along a kick above which it crosses that boundary


def settings(spec: Input, crystal: Crystal) -> PropagationSettings:
    """Return the argument of the core."""
    given = spec.propagate
    return {
        "timestep": given.timestep / ATOMIC_TIME_IN_FS,
        "steps": max(1, math.ceil(given.time / given.timestep - 1e-6)),
        "every": given.write_every,
        "tolerance": given.tolerance,
        "kick": None if given.kick is None else _kick(given.kick, crystal, spec.basis.periodic()),
        "lasers": [_laser(one) for one in given.laser],
    }


def _along(direction: list[float], size: float) -> list[float]:
    length = math.sqrt(vectors.dot(direction, direction))
    return [size * x / length for x in direction]


def _laser(given: Laser) -> LaserSettings:
    return {
        "field": _along(given.direction, given.field),
        "frequency": given.frequency,
        "phase": math.radians(given.phase),
        "duration": given.duration / ATOMIC_TIME_IN_FS,
        "centre": given.centre / ATOMIC_TIME_IN_FS,
        "envelope": given.envelope,
    }


def _kick(given: Kick, crystal: Crystal, periodic: list[bool]) -> KickSettings:
    momentum = _along(given.direction, given.strength)
    gauge = given.gauge
    if gauge == "auto":
        crosses = [abs(vectors.dot(momentum, vector)) > _ALONG * given.strength for vector in crystal.cell]
        gauge = "velocity" if any(c and p for c, p in zip(crosses, periodic, strict=True)) else "dipole"
    return {"momentum": momentum, "gauge": gauge}
