"""The light that electrons emit in a pulse: the power of the acceleration of their dipole.

S(w) = sum over axes |int h(t) D''(t) exp(iwt) dt|^2 with the window h = sin^2(pi t/T) of the whole run, which vanishes
with its slope at both ends: derivatives are moved onto it by parts, so that none of the signal is taken.
"""

from dataclasses import dataclass

import numpy as np

from wavegrid.files.propagation import Propagated
from wavegrid.spectrum.response import Array, transform


@dataclass(frozen=True)
class Harmonics:
    """Of the first laser's photon energy."""

    energies: Array  # Ha
    power: Array  # atomic units
    photon: float  # Ha

    def strengths(self, most: int = 15) -> list[tuple[int, float]]:
        """Return orders and the largest power within half an order of each, over that of the first."""
        found = []
        for order in range(1, most + 1):
            near = abs(self.energies / self.photon - order) < 0.5
            if self.energies[-1] < (order + 0.5) * self.photon:
                break
            found.append((order, float(self.power[near].max())))
        return [(order, power / found[0][1]) for order, power in found]


def harmonics(run: Propagated, energies: Array) -> Harmonics:
    """Return the power at energies above zero, Ha, of a run with lasers."""
    time = np.array(run.columns["time"])
    time = time - time[0]
    rate = np.pi / time[-1]
    h, slope = np.sin(rate * time) ** 2, rate * np.sin(2 * rate * time)
    bend = 2 * rate**2 * np.cos(2 * rate * time)
    power = np.zeros(len(energies))
    for axis in "xyz":
        if f"current_{axis}" in run.columns:
            signal = run.volume * np.array(run.columns[f"current_{axis}"])
            part = -transform(signal * slope, time, energies) - 1j * energies * transform(signal * h, time, energies)
        else:
            signal = np.array(run.columns[f"dipole_{axis}"])
            part = (
                transform(signal * bend, time, energies)
                + 2j * energies * transform(signal * slope, time, energies)
                - energies**2 * transform(signal * h, time, energies)
            )
        power += abs(part) ** 2
    return Harmonics(energies, power, run.lasers[0]["frequency"])
