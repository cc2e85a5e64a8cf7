"""Forces and stress of a result: what result.json gets besides the core's numbers."""

import math
from typing import Any

from wavegrid.units import HARTREE_PER_BOHR3_IN_GPA


def complete(result: dict[str, Any], symbols: list[str]) -> dict[str, Any]:
    """Return the core's forces (Ha/bohr) and stress (Ha/bohr^3), where there are any, as result.json has them.

    Forces get the elements of the atoms, the largest size and its estimated error, the stress its total and pressure in
    GPa.
    """
    answer = {}
    if (forces := result.get("forces")) is not None:
        error = force_error(result, len(symbols))
        answer["forces"] = {
            "elements": symbols,
            "largest": max(math.hypot(*force) for force in forces["total"]),
            **({} if error is None else {"error_estimate": error}),
            **forces,
        }
    if (stress := result.get("stress")) is not None:
        in_gpa = [[x * HARTREE_PER_BOHR3_IN_GPA for x in row] for row in stress["total"]]
        pressure = stress["pressure"] * HARTREE_PER_BOHR3_IN_GPA
        answer["stress"] = {**stress, "total_GPa": in_gpa, "pressure_GPa": pressure}
    return answer


def force_error(result: dict[str, Any], atoms: int) -> float | None:
    """Return the estimated error of the largest force of the core's result, Ha/bohr; None where it is not known.

    The energy is quadratic in the error of density and bands, the force is linear: (dF)^2 <= 2 k dE for an atom whose
    electrons contribute k to its force constant, where the error is all its own. It is that of all atoms. With 2 k = 1
    Ha/bohr^2 this was 0.5 to 12 times the error in tests, 3 times in the median (docs/motion.md).
    """
    error = result.get("error_estimate")
    return math.sqrt(error / atoms) if error is not None and 0 <= error < math.inf else None
