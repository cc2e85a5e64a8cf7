"""The table [propagate]."""

from typing import Annotated, Literal

from wavegrid.input.fields import Count, Section, Triple, key, measure, number
from wavegrid.units import PROPAGATION_UNITS


class Kick(Section):
    """A field like a delta function at time zero, which excites all frequencies alike."""

    strength: Annotated[float, number(1e-8, 10)] = key(
        0.001, "momentum that each electron gets, 1/bohr: small for a linear response", examples=[0.001]
    )
    direction: Triple = key([1, 0, 0], "direction of the momentum, Cartesian, of any length", examples=[[0, 0, 1]])
    gauge: Literal["auto", "dipole", "velocity"] = key(
        "auto",
        'by a potential ("dipole"), which jumps in the vacuum of a periodic cell, or by a vector potential '
        '("velocity"), also in crystals',
        omitted='"dipole" along free directions, else "velocity"',
    )


class Propagate(Section):
    """Propagation of the electrons in time, from the ground state."""

    time: Annotated[float, measure("time", PROPAGATION_UNITS, 1e-6, 1e6)] = key(
        "10 fs", "time that is simulated: peaks of a spectrum are about 4 fs eV over it wide", examples=["10 fs"]
    )
    timestep: Annotated[float, measure("time", PROPAGATION_UNITS, 1e-5, 0.05)] = key(
        "5 as", "time step; the error grows as its square", examples=["5 as", "0.2 au"]
    )
    propagator: Literal["auto", "etrs"] = key(
        "auto", "enforced time-reversal symmetry with exponentials by Chebyshev polynomials", examples=["etrs"]
    )
    tolerance: Annotated[float, number(1e-13, 1e-3)] = key(
        1e-7,
        "largest error of a band's phase by the potential at the end of a step, which is iterated until then",
        examples=[1e-7],
    )
    write_every: Count = key(1, "number of steps from one line of propagation.csv to the next", examples=[1])
    kick: Kick | None = key(None, "field at time zero", omitted="none")
