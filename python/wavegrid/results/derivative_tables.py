"""Forces and stress of a result as tables on the screen."""

import math
from collections.abc import Sequence

from rich.table import Table

from wavegrid.model.derivatives import Forces, Stress
from wavegrid.model.part import Vector
from wavegrid.model.result import Result
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

_SHOWN = 24  # atoms in the table; of more, those with the largest forces


def tables(result: Result) -> list[Table]:
    """Return the tables of forces and stress, those that there are."""
    answer = [] if result.forces is None else [_forces(result.forces, result)]
    return answer if result.stress is None else [*answer, _stress(result.stress, result)]


def _forces(forces: Forces, result: Result) -> Table:
    """Forces atom by atom; of many atoms those with the largest."""
    total = forces.total
    answer = _empty("forces (Ha/bohr)", result, "size, eV/A")
    for atom in _shown(total):
        answer.add_row(f"{forces.elements[atom]} {atom + 1}", *_numbers(total[atom], 7), _in_ev(total[atom]))
    if len(total) > _SHOWN:
        answer.add_row(f"and {len(total) - _SHOWN} smaller ones", "", "", "", "")
    answer.add_row("net, taken off", *(f"{value:.1e}" for value in forces.net), _in_ev(forces.net))
    if forces.torque is not None:
        answer.add_row("torque, taken off (Ha)", *(f"{value:.1e}" for value in forces.torque), "")
    if forces.error_estimate is not None:
        answer.add_row("estimated error", f"{forces.error_estimate:.1e}", "", "", _in_ev([forces.error_estimate]))
    return answer


def _stress(stress: Stress, result: Result) -> Table:
    answer = _empty("stress (GPa)", result, "")
    for axis, row in zip("xyz", stress.total_GPa, strict=True):
        answer.add_row(axis, *_numbers(row, 4), "")
    answer.add_row("pressure", f"{stress.pressure_GPa:.4f}", "", "", "")
    return answer


def _empty(title: str, result: Result, last: str) -> Table:
    if not result.converged:
        title += ", not converged"
    answer = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    answer.add_column("")
    for axis in "xyz":
        answer.add_column(axis, justify="right")
    answer.add_column(last, justify="right", style="dim")
    return answer


def _shown(total: list[Vector]) -> list[int]:
    if len(total) <= _SHOWN:
        return list(range(len(total)))
    return sorted(range(len(total)), key=lambda atom: -math.hypot(*total[atom]))[:_SHOWN]


def _numbers(values: Sequence[float], digits: int) -> list[str]:
    """With a sign only where a digit is left to carry it."""
    return [f"{round(value, digits) + 0.0:.{digits}f}" for value in values]


def _in_ev(force: Sequence[float]) -> str:
    return f"{math.hypot(*force) * HARTREE_IN_EV / BOHR_IN_ANGSTROM:.5f}"
