"""Forces of a result: what result.json gets beside the core's numbers, and the table on the screen."""

import math

from rich.table import Table

from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

_SHOWN = 24  # atoms in the table; of more, those with the largest forces


def complete(forces: dict, symbols: list[str]) -> dict:
    """Return the core's forces (Ha/bohr) with the elements of the atoms and the largest force."""
    return {"elements": symbols, "largest": max(map(_length, forces["total"])), **forces}


def table(result: dict) -> Table:
    """Return the forces atom by atom; of many atoms those with the largest."""
    forces = result["forces"]
    total = forces["total"]
    title = "forces (Ha/bohr)" if result["converged"] else "forces (Ha/bohr), of bands that are not converged"
    answer = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    answer.add_column("atom")
    for axis in "xyz":
        answer.add_column(axis, justify="right")
    answer.add_column("size, eV/A", justify="right", style="dim")
    for atom in _shown(total):
        numbers = (f"{value:.7f}" for value in total[atom])
        answer.add_row(f"{forces['elements'][atom]} {atom + 1}", *numbers, _electronvolts(_length(total[atom])))
    if len(total) > _SHOWN:
        answer.add_row(f"and {len(total) - _SHOWN} smaller ones", "", "", "", "")
    answer.add_row("net, taken off", *(f"{value:.1e}" for value in forces["net"]), _electronvolts(_length(forces["net"])))
    return answer


def _shown(total: list[list[float]]) -> list[int]:
    if len(total) <= _SHOWN:
        return list(range(len(total)))
    return sorted(range(len(total)), key=lambda atom: -_length(total[atom]))[:_SHOWN]


def _length(vector: list[float]) -> float:
    return math.hypot(*vector)


def _electronvolts(force: float) -> str:
    return f"{force * HARTREE_IN_EV / BOHR_IN_ANGSTROM:.5f}"
