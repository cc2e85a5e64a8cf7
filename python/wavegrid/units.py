"""Units at the edge of the program: inside, everything is in Hartree and bohr.

The constants are CODATA 2018 and equal those of the C++ core (src/base/units.hpp).
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from wavegrid.errors import did_you_mean, nearest

BOHR_IN_ANGSTROM = 0.529177210903
HARTREE_IN_EV = 27.211386245988
E_BOHR_IN_DEBYE = 2.541746473  # of dipole moments
E_PER_BOHR2_IN_C_PER_M2 = 57.2147662  # of polarisations
HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM = HARTREE_IN_EV / BOHR_IN_ANGSTROM
HARTREE_PER_BOHR3_IN_EV_PER_ANGSTROM3 = HARTREE_IN_EV / BOHR_IN_ANGSTROM**3
HARTREE_PER_BOHR3_IN_GPA = 29421.01569650548

ENERGY_UNITS = {"Ha": 1.0, "Ry": 0.5, "eV": 1.0 / HARTREE_IN_EV}
LENGTH_UNITS = {"bohr": 1.0, "angstrom": 1.0 / BOHR_IN_ANGSTROM}

FORCE_UNITS = {"Ha/bohr": 1.0, "Ry/bohr": 0.5, "eV/angstrom": 1.0 / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM}
FIELD_UNITS = {"Ha/bohr": 1.0, "V/angstrom": 1.0 / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM}  # electric fields times e
PRESSURE_UNITS = {"GPa": 1.0, "kbar": 0.1}
FS_UNITS = {"fs": 1.0, "ps": 1000.0}  # of simulated time
ATOMIC_TIME_IN_FS = 0.024188843265857  # hbar/Ha
PROPAGATION_UNITS = {"fs": 1.0, "as": 1e-3, "au": ATOMIC_TIME_IN_FS}
TEMPERATURE_UNITS = {"K": 1.0}

# Of distances between k-points, 2 pi included; to 1/bohr.
RECIPROCAL_UNITS = {"/bohr": 1.0, "/angstrom": BOHR_IN_ANGSTROM}

TIME_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}
LONGEST_HOURS = 10_000  # of an interval
MOST_STEPS = 1_000_000
# What people write instead, for the nearest valid unit.
_OTHER_NAMES = {
    **dict.fromkeys(("sec", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "minute", "minutes"), "min"),
    **dict.fromkeys(("hr", "hour", "hours"), "h"),
    **dict.fromkeys(("iteration", "iterations", "cycles"), "steps"),
    **{name: name for name in ("s", "min", "h", "steps")},
}

# The same for energies, lengths, forces and others, part by part of a quotient: eV/A is eV/angstrom.
_OTHER_UNITS = {
    **dict.fromkeys(("hartree", "hartrees", "eh"), "Ha"),
    **dict.fromkeys(("rydberg", "rydbergs"), "Ry"),
    **dict.fromkeys(("a", "aa", "å", "ang", "angstroms", "ångström"), "angstrom"),
    **dict.fromkeys(("bohrs", "a0"), "bohr"),
    **dict.fromkeys(("kelvin", "kelvins"), "K"),
}

_LONGEST = 100  # characters of a number with a unit
_NUMBER, _NAME = r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*", r"(?:[^\W\d_][^\W_]*)"
_QUANTITY = re.compile(rf"{_NUMBER}({_NAME}?)\s*")
_SIGNED = re.compile(rf"{_NUMBER}({_NAME}?(?:\s*/\s*{_NAME})?)\s*")
_RECIPROCAL = re.compile(rf"{_NUMBER}((?:1?\s*/\s*)?{_NAME}?)\s*")


@dataclass(frozen=True)
class Interval:
    """How long from one checkpoint to the next: a time or SCF steps, the other one None."""

    seconds: float | None = None
    steps: int | None = None


def parse_energy(value: object) -> float:
    """Return the energy in Ha of a text such as "240 eV"; the unit is never optional.

    Raises ValueError with the reason. Only positive energies are valid: cutoffs, widths and tolerances.
    """
    number, unit = _quantity(value)
    factor = {name.casefold(): scale for name, scale in ENERGY_UNITS.items()}.get(unit.casefold())
    if factor is None:
        raise ValueError(f"unknown unit '{unit}'{_other_unit(unit, ENERGY_UNITS)}")
    if not 0 < number < math.inf:
        raise ValueError("not above zero")
    return number * factor


def parse_measure(value: object, units: Mapping[str, float]) -> float:
    """Return the number of a text such as "0.01 eV/angstrom" in the unit whose factor is 1, with its sign.

    Raises ValueError with the reason.
    """
    number, written = _quantity(value, _SIGNED)
    unit = "".join(written.split()).casefold()
    factor = {name.casefold(): scale for name, scale in units.items()}.get(unit)
    if factor is None:
        hint = _other_unit(unit, units) or did_you_mean(written, units)
        raise ValueError(f"unknown unit '{written}'{hint}")
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number * factor


def parse_reciprocal_length(value: object) -> float:
    """Return in 1/bohr the number of a text such as "0.15 /bohr", "0.3 /angstrom" or "0.15 1/bohr".

    A number without a unit is in 1/bohr. Raises ValueError with the reason. Only positive numbers are valid.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value} /bohr"
    number, text = _quantity(value, _RECIPROCAL)
    unit = "".join(text.split()).casefold()
    if unit.startswith("1/"):
        unit = unit[1:]
    if unit not in RECIPROCAL_UNITS:
        hint = _other_unit("/" + unit.removeprefix("/"), RECIPROCAL_UNITS)
        raise ValueError(f"unknown unit '{text}'{hint}")
    if not 0 < number < math.inf:
        raise ValueError("not above zero")
    return number * RECIPROCAL_UNITS[unit]


def _other_unit(written: str, units: Mapping[str, float]) -> str:
    """Return `; did you mean 'eV/angstrom'?` for a usual other name of one of the units, else nothing."""
    ours = "/".join(_OTHER_UNITS.get(part.casefold(), part) for part in written.split("/")).casefold()
    return next((f"; did you mean '{name}'?" for name in units if name.casefold() == ours), "")


def _quantity(value: object, pattern: re.Pattern[str] = _QUANTITY) -> tuple[float, str]:
    """Return number and unit of a text such as "10 min"; raises ValueError with the reason."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError("missing unit")
    match = pattern.fullmatch(value) if isinstance(value, str) and len(value) <= _LONGEST else None
    if match is None:
        raise ValueError("not a number with a unit")
    if not match[2]:
        raise ValueError("missing unit")
    return float(match[1]), match[2]


def parse_interval(value: object) -> Interval:
    """Return the interval of a text such as "10 min", "30 s", "2 h" or "5 steps".

    Raises ValueError with the reason and the nearest unit.
    """
    if isinstance(value, Interval):
        return value
    number, written = _quantity(value)
    unit = written.casefold()
    if unit not in (*TIME_UNITS, "step", "steps"):
        near = nearest(unit, _OTHER_NAMES)
        raise ValueError(f"unknown unit '{written}'" + (f"; did you mean '{_OTHER_NAMES[near[0]]}'?" if near else ""))
    if not 0 < number < math.inf:
        raise ValueError("not above zero")
    if unit in TIME_UNITS:
        seconds = number * TIME_UNITS[unit]
        if seconds > LONGEST_HOURS * 3600:
            raise ValueError(f"above {LONGEST_HOURS} h")
        return Interval(seconds=seconds)
    if number > MOST_STEPS:
        raise ValueError(f"above {MOST_STEPS} steps")
    if number != int(number):
        raise ValueError("not a whole number of steps")
    return Interval(steps=int(number))
