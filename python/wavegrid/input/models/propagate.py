"""The table [propagate]."""

from typing import Annotated, Any, Literal

from pydantic import Field

from wavegrid.input.fields import Count, Flag, Kind, Section, Triple, energy, key, measure, number
from wavegrid.units import FIELD_UNITS, LENGTH_UNITS, PROPAGATION_UNITS

_GAUGE: Any = key(
    "auto",
    'by a potential ("dipole"), which jumps in the vacuum of a periodic cell, or by a vector potential '
    '("velocity"), also in crystals',
    omitted='"dipole" along free directions, else "velocity"',
)


class Kick(Section):
    """A field like a delta function at time zero, which excites all frequencies alike."""

    strength: Annotated[float, number(1e-8, 10)] = key(
        0.001, "momentum that each electron gets, 1/bohr: small for a linear response", examples=[0.001]
    )
    direction: Triple = key([1, 0, 0], "direction of the momentum, Cartesian, of any length", examples=[[0, 0, 1]])
    gauge: Literal["auto", "dipole", "velocity"] = _GAUGE


class Laser(Section):
    """A pulse of light; several add up."""

    field: Annotated[float, measure("field", FIELD_UNITS, -10, 10)] = key(
        ..., "largest electric field, the force on a positive charge", examples=["0.05 V/angstrom"]
    )
    direction: Triple = key([1, 0, 0], "polarisation, Cartesian, of any length", examples=[[0, 0, 1]])
    frequency: Annotated[float, energy(1e-6, 100)] = key(..., "energy of a photon", examples=["1.55 eV"])
    duration: Annotated[float, measure("time", PROPAGATION_UNITS, 1e-3, 1e5)] = key(
        ..., "of the intensity at half its maximum", examples=["5 fs"]
    )
    centre: Annotated[float, measure("time", PROPAGATION_UNITS, 0, 1e6)] = key(
        ..., "time of the maximum", examples=["8 fs"]
    )
    phase: Annotated[float, number(-360, 360)] = key(
        0, "of the wave at the maximum, degrees: 0 for a cosine", examples=[90]
    )
    envelope: Literal["gaussian", "sin2"] = key("gaussian", "of the field; sin2 begins and ends at zero")
    gauge: Literal["auto", "dipole", "velocity"] = _GAUGE


class Absorber(Section):
    """An imaginary potential before the boundary of a mesh of spheres; `electrons` of the table then decrease."""

    width: Annotated[float, measure("length", LENGTH_UNITS, 0.1, 1000)] = key(
        "5 bohr", "of the layer in which it rises to its strength", examples=["5 bohr"]
    )
    strength: Annotated[float, energy(1e-6, 100)] = key("1 Ha", "at the boundary", examples=["1 Ha"])


class Propagate(Section):
    """Propagation of the electrons in time, from the ground state."""

    time: Annotated[float, measure("time", PROPAGATION_UNITS, 1e-6, 1e6)] = key(
        "10 fs", "time that is simulated: peaks of a spectrum are about 4 fs eV over it wide", examples=["10 fs"]
    )
    timestep: Annotated[float, measure("time", PROPAGATION_UNITS, 1e-5, 0.2)] = key(
        "5 as", "time step", examples=["5 as", "0.2 au"]
    )
    propagator: Literal["auto", "etrs", "magnus4", "crank-nicolson"] = key(
        "auto",
        "scheme of a step: enforced time-reversal symmetry (error of second order in the step, can be undone), "
        "Magnus of fourth order, or the implicit midpoint rule with parallel transport, for long steps in plane waves",
        omitted='"crank-nicolson" with a hybrid functional, "etrs" with `ions` or a laser by a vector potential, else '
        '"magnus4"',
        examples=["etrs"],
    )
    tolerance: Annotated[float, number(1e-13, 1e-3)] = key(
        1e-7,
        "largest error of a band's phase by the potential at the end of a step, which is iterated until then",
        examples=[1e-7],
    )
    write_every: Count = key(1, "number of steps from one line of propagation.csv to the next", examples=[1])
    density_every: Count | None = key(
        None,
        "number of steps from one file density_STEP to the next, in the format of [output] density, else cube; a "
        "multiple of `write_every`",
        omitted="none",
        examples=[100],
    )
    forces: Flag = key(False, "forces on the atoms, in propagation.csv")
    magnetic_moment: Flag = key(
        False, "moment of the electrons' orbits, in propagation.csv: for circular dichroism, with kicks along x, y, z"
    )
    excited: Flag = key(
        False, "electrons outside the bands that were occupied at the start; with a vector potential, where it is 0"
    )
    occupations: Flag = key(
        False, "electrons in each band of the start, empty ones included, in propagation.csv, as `excited`"
    )
    ions: Flag = key(
        False,
        "atoms move by the forces of the electrons as these are (Ehrenfest), with velocities and masses of the "
        "structure, else from rest",
    )
    kick: Kick | None = key(None, "field at time zero", omitted="none")
    absorber: Absorber | None = key(None, "absorbs electrons that leave", omitted="none")
    laser: Annotated[list[Laser], Field(max_length=20), Kind("tables", "up to 20 tables [[propagate.laser]]")] = key(
        list, "pulses of light", omitted="none"
    )
