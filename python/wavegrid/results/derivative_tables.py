"""Forces and stress of a result as tables on the screen."""

import math
from typing import Any

from rich.table import Table

from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

_SHOWN = 24  # atoms in the table; of more, those with the largest forces


def tables(result: dict[str, Any]) -> list[Table]:
    """Return the tables of forces and stress, those that there are."""
    answer = [_forces(result)] if "forces" in result else []
    return answer + ([_stress(result)] if "stress" in result else [])


def _forces(result: dict[str, Any]) -> Table:
    """Forces atom by atom; of many atoms those with the largest."""
    forces = result["forces"]
    total = forces["total"]
    answer = _empty("forces (Ha/bohr)", result, "size, eV/A")
    for atom in _shown(total):
        answer.add_row(f"{forces['elements'][atom]} {atom + 1}", *_numbers(total[atom], 7), _in_ev(total[atom]))
    if len(total) > _SHOWN:
        answer.add_row(f"and {len(total) - _SHOWN} smaller ones", "", "", "", "")
    answer.add_row("net, taken off", *(f"{value:.1e}" for value in forces["net"]), _in_ev(forces["net"]))
    if "error_estimate" in forces:
        answer.add_row("estimated error", f"{forces['error_estimate']:.1e}", "", "", _in_ev([forces["error_estimate"]]))
    return answer


def _stress(result: dict[str, Any]) -> Table:
    stress = result["stress"]
    answer = _empty("stress (GPa)", result, "")
    for axis, row in zip("xyz", stress["total_GPa"], strict=True):
        answer.add_row(axis, *_numbers(row, 4), "")
    answer.add_row("pressure", f"{stress['pressure_GPa']:.4f}", "", "", "")
    return answer


def _empty(title: str, result: dict[str, Any], last: str) -> Table:
    if not result["converged"]:
        title += ", not converged"
    answer = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    answer.add_column("")
    for axis in "xyz":
        answer.add_column(axis, justify="right")
    answer.add_column(last, justify="right", style="dim")
    return answer


def _shown(total: list[list[float]]) -> list[int]:
    if len(total) <= _SHOWN:
        return list(range(len(total)))
    return sorted(range(len(total)), key=lambda atom: -math.hypot(*total[atom]))[:_SHOWN]


def _numbers(values: list[float], digits: int) -> list[str]:
    """With a sign only where a digit is left to carry it."""
    return [f"{round(value, digits) + 0.0:.{digits}f}" for value in values]


def _in_ev(force: list[float]) -> str:
    return f"{math.hypot(*force) * HARTREE_IN_EV / BOHR_IN_ANGSTROM:.5f}"
