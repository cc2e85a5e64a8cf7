"""Propagation in time."""

from typing import Literal

from wavegrid.model.names import PropagatorName
from wavegrid.model.part import Part, Vector


class KickGiven(Part):
    """The kick at time zero."""

    momentum: Vector
    """that each electron gets, 1/bohr"""
    gauge: Literal["dipole", "velocity"]
    """as in the input, or by default"""


class Propagation(Part):
    """The electrons in time, from the ground state that the other parts describe."""

    table: str
    """file with time, energy, electrons, dipole and current"""
    propagator: PropagatorName
    """as used"""
    propagator_reason: str
    """why this one"""
    steps: int
    """steps that were done"""
    timestep: float
    """time step, fs"""
    time: float
    """simulated time, fs"""
    kick: KickGiven | None = None
    """where there is one"""
    first_energy: float
    """energy of electrons and ions just after the kick, Ha"""
    last_energy: float
    """the same at the end, Ha"""
    lost_electrons: float
    """largest difference from the number of electrons"""
    phase_error: float
    """largest error of a band's phase in a step, by the potential at its end"""
    frequency_error: float
    """estimated error of a frequency by the time step, relative, with the mean w of the potential: 19 (w dt)^4 /
    720 of "magnus4", else (w dt)^2 / 12"""
    iterations: float
    """potentials at the end of a step, mean"""
    applications: float
    """applications of H to a band in a step, mean"""
    seconds: float
    """wall time"""
    state: str | None = None
    """file from which `--restart` goes on"""
    state_error: str | None = None
    """why it could not be written at last"""
