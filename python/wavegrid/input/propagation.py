"""The propagation in time of an input file: steps, the kick with its gauge, pulses."""

import math
from typing import Literal

from wavegrid.base import vectors
from wavegrid.input.electrons import is_hybrid
from wavegrid.input.models import Input, Kick, Laser
from wavegrid.input.structure import Crystal
from wavegrid.model.names import PropagatorName
from wavegrid.model.problem import KickSettings, LaserSettings, MovingAtoms, PropagationSettings
from wavegrid.units import ATOMIC_TIME_IN_FS, HARTREE_IN_EV

_ATOMIC_MASS = 1822.888486209  # electron masses
_ASE_VELOCITY = math.sqrt(1 / (HARTREE_IN_EV * _ATOMIC_MASS))  # of (eV/amu)^(1/2) in bohr Ha/hbar
PropagatorAsked = PropagatorName | Literal["auto"]
_ALONG = 1e-6  # bohr: the component of a lattice vector along a kick above which it crosses that boundary


def settings(spec: Input, crystal: Crystal, xc: str) -> PropagationSettings:
    """Return the argument of the core; `xc`: libxc's names of the functional."""
    given = spec.propagate
    lasers = [_laser(one, crystal, spec.basis.periodic()) for one in given.laser]
    propagator, reason = _propagator(given.propagator, lasers, ions=given.ions, hybrid=is_hybrid(xc))
    return {
        "propagator": propagator,
        "propagator_reason": reason,
        "timestep": given.timestep / ATOMIC_TIME_IN_FS,
        "steps": max(1, math.ceil(given.time / given.timestep - 1e-6)),
        "every": given.write_every,
        "tolerance": given.tolerance,
        "kick": None if given.kick is None else _kick(given.kick, crystal, spec.basis.periodic()),
        "lasers": lasers,
        "absorber": None if given.absorber is None else given.absorber.model_dump(),
        "density_every": given.density_every or 0,
        "forces": given.forces,
        "magnetic_moment": given.magnetic_moment,
        "excited": given.excited,
        "occupations": given.occupations,
        "moving": _moving(crystal) if given.ions else None,
        "restart": None,
        "first_step": 0,
        "checkpoint": None,
        "identity": "",
    }


def _moving(crystal: Crystal) -> MovingAtoms:
    """Return masses and velocities of the structure."""
    from ase.data import atomic_masses, atomic_numbers  # slow to import

    initial = crystal.initial
    masses = initial.masses or [float(atomic_masses[atomic_numbers[symbol]]) for symbol in crystal.symbols]
    momenta = initial.momenta or [[0.0] * 3 for _ in masses]
    velocities = [[_ASE_VELOCITY * p / mass for p in one] for mass, one in zip(masses, momenta, strict=True)]
    return {"masses": [_ATOMIC_MASS * mass for mass in masses], "velocities": velocities}


def _propagator(
    given: PropagatorAsked, lasers: list[LaserSettings], *, ions: bool, hybrid: bool
) -> tuple[PropagatorName, str]:
    """Return the scheme of a step and why it was chosen."""
    if given != "auto":
        return given, "set in the input"
    if hybrid:
        return "crank-nicolson", "exact exchange acts on the bands of the middle of a step"
    if any(laser["gauge"] == "velocity" for laser in lasers):
        return "etrs", "the projectors change with the vector potential of a laser"
    if ions:
        return "etrs", "the projectors move with the atoms"
    return "magnus4", "its error is of fourth order in the step"


def _along(direction: list[float], size: float) -> list[float]:
    length = math.sqrt(vectors.dot(direction, direction))
    return [size * x / length for x in direction]


def _gauge(given: str, direction: list[float], crystal: Crystal, periodic: list[bool]) -> str:
    """Return the gauge: a vector potential where the direction crosses a periodic boundary."""
    if given != "auto":
        return given
    length = math.sqrt(vectors.dot(direction, direction))
    crosses = [abs(vectors.dot(direction, vector)) > _ALONG * length for vector in crystal.cell]
    return "velocity" if any(c and p for c, p in zip(crosses, periodic, strict=True)) else "dipole"


def _laser(given: Laser, crystal: Crystal, periodic: list[bool]) -> LaserSettings:
    return {
        "gauge": _gauge(given.gauge, given.direction, crystal, periodic),
        "field": _along(given.direction, given.field),
        "frequency": given.frequency,
        "phase": math.radians(given.phase),
        "duration": given.duration / ATOMIC_TIME_IN_FS,
        "centre": given.centre / ATOMIC_TIME_IN_FS,
        "envelope": given.envelope,
    }


def _kick(given: Kick, crystal: Crystal, periodic: list[bool]) -> KickSettings:
    gauge = _gauge(given.gauge, given.direction, crystal, periodic)
    return {"momentum": _along(given.direction, given.strength), "gauge": gauge}
