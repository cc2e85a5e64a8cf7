"""The dielectric function of a solid from its current after a kick in the velocity gauge.

The vector potential k in (p + k)^2/2 is that of a field -k delta(t) on the electrons, so that the susceptibility is
chi(w) = -1/k int exp(iwt) P dt of the polarisation P, the integral of the electric current density, and epsilon =
1 + 4 pi chi. (P, not the current, is damped: the conductivity of a damped current over w is wrong where w is not far
above the damping.) The field is the macroscopic one: no local-field correction follows. An insulator has no
conductivity at frequency zero; what a finite basis leaves of it is taken off the current.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wavegrid.files.propagation import Propagated
from wavegrid.spectrum.response import Array, Window, integral, integrated, transform, window


@dataclass(frozen=True)
class Dielectric:
    """Along the direction of the kick."""

    energies: Array  # Ha
    epsilon: NDArray[np.complex128]
    electrons: float
    volume: float  # bohr^3

    def sum_rule(self) -> float:
        """Return int w Im epsilon dw over 2 pi^2 times the density of the electrons, as far as the energies reach."""
        whole = 2 * np.pi**2 * self.electrons / self.volume
        return integral(self.energies * self.epsilon.imag, self.energies) / whole


def _late_mean(current: Array) -> float:
    """Return the mean of the second half of the times, with weights by which oscillations cancel."""
    late = current[len(current) // 2 :]
    weights = np.hanning(len(late) + 2)[1:-1]
    return float(np.sum(weights * late) / np.sum(weights))


def dielectric(run: Propagated, energies: Array, kind: Window, width: float) -> Dielectric:
    """Return the dielectric function at energies above zero, Ha."""
    assert run.momentum is not None
    time = np.array(run.columns["time"])
    size = float(np.linalg.norm(run.momentum))
    current = np.array(run.momentum) / size @ np.array([run.columns[f"current_{axis}"] for axis in "xyz"])
    polarisation = integrated(current - _late_mean(current), time[1] - time[0])
    chi = -transform(polarisation * window(kind, time, width), time, energies) / size
    return Dielectric(energies, 1 + 4 * np.pi * chi, run.electrons, run.volume)
