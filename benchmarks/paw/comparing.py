"""What differs between two calculations of the study."""

from __future__ import annotations

from typing import Any

import numpy as np
from other_codes import Finished

from wavegrid.units import HARTREE_PER_BOHR3_IN_GPA

TIGHT = 1e-10  # Ha, of the runs that are compared
SCALE = 1.02  # of the second geometry


def differences(ours: Finished, theirs: Finished) -> dict[str, Any]:
    """Return ours minus theirs: energy per atom (Ha), forces, stress (GPa) and moment, the largest of their kind."""
    one, other = ours.found, theirs.found
    found: dict[str, Any] = {
        "energy": (one.energies["free"] - other.energies["free"]) / (one.atoms or 1),
        "energies": [one.energies["free"], other.energies["free"]],
        "forces": largest(one.forces, other.forces),
        "stress": largest(one.stress, other.stress) * HARTREE_PER_BOHR3_IN_GPA,
    }
    if ours.moment is not None and theirs.moment is not None:
        found["moment"] = ours.moment - theirs.moment
        found["moments"] = [ours.moment, theirs.moment]
    return found


def largest(one: Any, other: Any) -> float:
    """Return the largest difference of two arrays."""
    return float(np.abs(np.subtract(one, other)).max())
