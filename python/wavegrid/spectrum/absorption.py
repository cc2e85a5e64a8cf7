"""The absorption of a molecule from its dipole after kicks.

Each electron gets the momentum k at time zero: alpha(w) = 1/k int exp(iwt) <x - x(0)> dt of the electrons' places,
S(w) = 2w/pi Im alpha, which integrates to the number of electrons, and the cross section sigma = 2 pi^2/c S.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wavegrid.errors import InputError
from wavegrid.files.propagation import Propagated
from wavegrid.spectrum.dichroism import rotatory_strength
from wavegrid.spectrum.directions import kick_directions, spanned, trace_over_directions
from wavegrid.spectrum.response import Array, Window, integral, integrated, transform, window

_SPEED_OF_LIGHT = 137.035999084  # atomic units


@dataclass(frozen=True)
class Absorption:
    """Of light whose polarisation is that of the kick, or averaged over all directions."""

    energies: Array  # Ha
    strength: Array  # 1/Ha
    electrons: float
    averaged: bool = False
    """over all directions"""
    rotation: Array | None = None
    """rotatory strength, e bohr times e hbar/m_e for each Ha"""

    @property
    def cross_section(self) -> Array:
        """bohr^2."""
        return 2 * np.pi**2 / _SPEED_OF_LIGHT * self.strength

    def sum_rule(self) -> float:
        """Return the integral of the strength, as far as the energies reach, over the number of electrons."""
        return integral(self.strength, self.energies) / self.electrons

    def peaks(self, least: float = 0.02) -> list[tuple[float, float]]:
        """Return energy (Ha) and strength of each maximum above `least` of the highest, by a parabola."""
        found = []
        s, e = self.strength, self.energies
        for i in range(1, len(s) - 1):
            if s[i] > s[i - 1] and s[i] >= s[i + 1] and s[i] >= least * s.max():
                offset = 0.5 * (s[i - 1] - s[i + 1]) / (s[i - 1] - 2 * s[i] + s[i + 1])
                found.append((float(e[i] + offset * (e[1] - e[0])), float(s[i])))
        return found


def absorption(runs: list[Propagated], energies: Array, kind: Window, width: float) -> Absorption:
    """Return the spectrum of one kick, or its average over all directions, of which rotations of the structure make
    one kick several (M. J. T. Oliveira et al., J. Nanosci. Nanotechnol. 8, 3392 (2008)). Raises InputError.
    """
    changes = [_polarisation(run, energies, kind, width) for run in runs]
    trace = trace_over_directions(runs, changes)
    if trace is None and len(runs) > 1:
        raise InputError(
            f"{len(runs)} runs, whose kicks have {spanned(runs)} of 3 directions with the "
            f"{max(1, len(runs[0].rotations))} rotations of the structure; valid: one run, or kicks that have all three"
        )
    kicks, _ = kick_directions(runs)
    alpha = kicks[0] @ changes[0] if trace is None else trace / 3
    rotation = rotatory_strength(runs, energies, kind, width)
    return Absorption(
        energies, 2 * energies / np.pi * alpha.imag, runs[0].electrons, averaged=trace is not None, rotation=rotation
    )


def _dipole_change(run: Propagated, time: Array) -> Array:
    """Return (3, times): by the current where there is one, since electrons may cross the boundary of the cell.

    The integral of the current of a finite basis drifts, which a molecule does not: the drift is taken off.
    """
    if "current_x" not in run.columns:
        dipole = np.array([run.columns[f"dipole_{axis}"] for axis in "xyz"])
        return dipole - dipole[:, :1]
    slope = run.volume * np.array([run.columns[f"current_{axis}"] for axis in "xyz"])
    change = integrated(slope, time[1] - time[0])
    return change - np.outer(np.polyfit(time, change.T, 1)[0], time)


def _polarisation(run: Propagated, energies: Array, kind: Window, width: float) -> NDArray[np.complex128]:
    """Return the polarisability's product with the direction of the kick, (3, energies)."""
    time = np.array(run.columns["time"])
    size = np.linalg.norm(np.array(run.momentum))
    places = -_dipole_change(run, time) * window(kind, time, width)
    return np.array([transform(one, time, energies) / size for one in places])
