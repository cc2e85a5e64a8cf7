"""What the input says of a propagation in time, added to what the core returns."""

from wavegrid.model.problem import Problem
from wavegrid.model.propagation import KickGiven, Propagation
from wavegrid.units import ATOMIC_TIME_IN_FS


def complete(part: Propagation, problem: Problem, table: str) -> None:
    """Add the name of the table, the propagator, times in fs and the kick."""
    given = problem["propagation"]
    assert given is not None
    part.table, part.propagator_reason = table, given["propagator_reason"]
    part.propagator = given["propagator"]
    part.timestep = given["timestep"] * ATOMIC_TIME_IN_FS
    part.time = part.steps * part.timestep
    if given["kick"] is not None:
        part.kick = KickGiven.read(dict(given["kick"]))
