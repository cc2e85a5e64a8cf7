"""The propagation in time of an input file: steps, and the kick with its gauge."""

import math

from wavegrid.base import vectors
from wavegrid.input.models import Input, Kick
from wavegrid.input.structure import Crystal
from wavegrid.model.problem import KickSettings, PropagationSettings
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
    }


def _kick(given: Kick, crystal: Crystal, periodic: list[bool]) -> KickSettings:
    length = math.sqrt(vectors.dot(given.direction, given.direction))
    momentum = [given.strength * x / length for x in given.direction]
    gauge = given.gauge
    if gauge == "auto":
        crosses = [abs(vectors.dot(momentum, vector)) > _ALONG * given.strength for vector in crystal.cell]
        gauge = "velocity" if any(c and p for c, p in zip(crosses, periodic, strict=True)) else "dipole"
    return {"momentum": momentum, "gauge": gauge}
