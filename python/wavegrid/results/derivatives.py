"""Forces and stress of a result: what result.json gets besides the core's numbers."""

import math

from wavegrid.model.core_result import CoreResult
from wavegrid.units import HARTREE_PER_BOHR3_IN_GPA


def complete(result: CoreResult, symbols: list[str]) -> None:
    """Complete the core's forces (Ha/bohr) and stress (Ha/bohr^3), where there are any, as result.json has them.

    Forces get the elements of the atoms, the largest size and its estimated error, the stress its total and pressure in
    GPa.
    """
    if (forces := result.forces) is not None:
        forces.elements = symbols
        forces.largest = max(math.hypot(*force) for force in forces.total)
        forces.error_estimate = force_error(result, len(symbols))
    if (stress := result.stress) is not None:
        xx, yy, zz = (
            (HARTREE_PER_BOHR3_IN_GPA * x, HARTREE_PER_BOHR3_IN_GPA * y, HARTREE_PER_BOHR3_IN_GPA * z)
            for x, y, z in stress.total
        )
        stress.total_GPa = (xx, yy, zz)
        stress.pressure_GPa = stress.pressure * HARTREE_PER_BOHR3_IN_GPA


def force_error(result: CoreResult, atoms: int) -> float | None:
    """Return the estimated error of the largest force of the core's result, Ha/bohr; None where it is not known.

    The energy is quadratic in the error of density and bands, the force is linear: (dF)^2 <= 2 k dE for an atom whose
    electrons contribute k to its force constant, where the error is all its own. It is that of all atoms. With 2 k = 1
    Ha/bohr^2 this was 0.5 to 12 times the error in tests, 3 times in the median (docs/motion.md).
    """
    error = result.error_estimate
    return math.sqrt(error / atoms) if error is not None and 0 <= error < math.inf else None
