"""Units at the edge of the program: inside, everything is in Hartree and bohr.

The constants are CODATA 2018 and equal those of the C++ core (src/base/units.hpp).
"""

import math
import re

BOHR_IN_ANGSTROM = 0.529177210903
HARTREE_IN_EV = 27.211386245988

ENERGY_UNITS = {"Ha": 1.0, "Ry": 0.5, "eV": 1.0 / HARTREE_IN_EV}
LENGTH_UNITS = {"bohr": 1.0, "angstrom": 1.0 / BOHR_IN_ANGSTROM}

_ENERGY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z]*)\s*")


def parse_energy(value: object) -> float:
    """Return the energy in Ha of a text such as "240 eV"; the unit is never optional.

    Raises ValueError with the reason. Only positive energies are valid: cutoffs, widths and tolerances.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError("missing unit")
    match = _ENERGY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError("not a number with a unit")
    number, unit = float(match[1]), match[2]
    if not unit:
        raise ValueError("missing unit")
    factor = {name.casefold(): scale for name, scale in ENERGY_UNITS.items()}.get(unit.casefold())
    if factor is None:
        raise ValueError(f"unknown unit '{unit}'")
    if not 0 < number < math.inf:
        raise ValueError("not above zero")
    return number * factor
