"""The rotatory strength of a molecule from the magnetic moment of its electrons after kicks.

With the momentum k of each electron at time zero along e, m = -1/2 sum r x v changes by k beta e, whose trace is
-2 sum_n R_n cos(w_n t): R(w) = -1/(pi k) Re int exp(iwt) tr m dt, the sum of the strengths R_n = Im <0|d|n>.<n|m|0> of
all excitations at their energies, of light with a circular polarisation in all directions.
"""

import numpy as np

from wavegrid.files.propagation import Propagated
from wavegrid.spectrum.directions import trace_over_directions
from wavegrid.spectrum.response import Array, Window, transform, window

IN_CGS = 471.4436e-40  # erg esu cm/G in e bohr times e hbar/m_e


def rotatory_strength(runs: list[Propagated], energies: Array, kind: Window, width: float) -> Array | None:
    """Return R, e bohr times e hbar/m_e for each Ha; None without moments, or without kicks in all directions."""
    if not all("magnetic_moment_x" in run.columns for run in runs):
        return None
    changes = []
    for run in runs:
        time = np.array(run.columns["time"])
        moment = np.array([run.columns[f"magnetic_moment_{axis}"] for axis in "xyz"])
        signal = moment * window(kind, time, width) / np.linalg.norm(np.array(run.momentum))
        changes.append(np.array([transform(one, time, energies) for one in signal]))
    trace = trace_over_directions(runs, changes, axial=True)
    return None if trace is None else -trace.real / np.pi
