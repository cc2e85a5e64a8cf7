"""Dispersion corrections: D3(BJ) and D4 from the packages dftd3 and dftd4, D2 from `dispersion_d2`.

S. Grimme, S. Ehrlich, L. Goerigk, 10.1002/jcc.21759 (no three-body terms); E. Caldeweyher et al., 10.1063/1.5090222.
They depend on the geometry alone, so that they are added to energy, forces and stress once these are computed.
"""

import importlib
import importlib.util
from typing import Any

import numpy as np

from wavegrid.crystal import dispersion_d2
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.discretisation import choose
from wavegrid.model.problem import Problem

PACKAGES = {"d3-bj": "dftd3", "d4": "dftd4"}
# libxc's names -> the packages' names of the functionals that both have parameters for
FUNCTIONALS = {
    "GGA_X_PBE+GGA_C_PBE": "pbe",
    "GGA_X_PBE_SOL+GGA_C_PBE_SOL": "pbesol",
    "GGA_X_PBE_R+GGA_C_PBE": "revpbe",
    "GGA_X_RPBE+GGA_C_PBE": "rpbe",
    "GGA_X_PW91+GGA_C_PW91": "pw91",
    "GGA_X_B88+GGA_C_LYP": "blyp",
    "GGA_X_B88+GGA_C_P86": "bp86",
    "HYB_GGA_XC_PBEH": "pbe0",
    "HYB_GGA_XC_B3LYP": "b3lyp",
}
# bohr: pairs that are counted. D3 as in its first program; D4 by the package's default.
_REACH = {"d3-bj": 9000.0**0.5, "d4": 60.0}
_COORDINATION = 40.0  # bohr: neighbours for the coordination numbers of D3, likewise
_LONGEST = 3  # at most, the free vectors of the cell that D4 gets over its periodic ones


def functional_of(model: str, xc: str) -> str | None:
    """Return the packages' name of a functional (libxc's names), None where the model has no parameters for it."""
    name = FUNCTIONALS.get(xc)
    return name if model != "d2" or name in dispersion_d2.SCALES else None


def elements_without(model: str, symbols: list[str]) -> list[str]:
    """Return the elements for which a model has no parameters; the packages name theirs."""
    return [one for one in symbols if model == "d2" and ELEMENTS[one].number > dispersion_d2.LAST]


def installed(model: str) -> bool:
    """Whether the package of a model is there, if it needs one."""
    return model not in PACKAGES or importlib.util.find_spec(PACKAGES[model]) is not None


def add(problem: Problem, result: dict[str, Any]) -> None:
    """Add the correction to the core's result: to the energy, and to forces and stress if it has them.

    `problem`: with a dispersion model, in the geometry of the result. Adds the term "dispersion" of each.
    """
    energy, forces, stress = correction(problem)
    for name in ("free", "internal"):
        result["energy"][name] += energy
    result["energy"]["dispersion"] = energy
    if "forces" in result:
        _add(result["forces"], forces)
    if "stress" in result:
        _add(result["stress"], stress)
        result["stress"]["pressure"] = -float(np.trace(result["stress"]["total"])) / 3


def _add(of: dict[str, Any], term: np.ndarray) -> None:
    of["total"] = (np.array(of["total"]) + term).tolist()
    of["terms"]["dispersion"] = term.tolist()


def correction(problem: Problem) -> tuple[float, np.ndarray, np.ndarray]:
    """Return energy (Ha), forces (atoms, 3) in Ha/bohr and stress (3, 3) in Ha/bohr^3 of a problem's geometry.

    The stress has no meaning where directions are free.
    """
    assert problem["dispersion"] is not None
    model, functional = problem["dispersion"]["model"], problem["dispersion"]["functional"]
    cell = np.array(problem["cell"], dtype=float)
    numbers = np.array([ELEMENTS[problem["species"][atom[0]]].number for atom in problem["atoms"]])
    positions = np.array([atom[1:] for atom in problem["atoms"]], dtype=float) @ cell
    if model == "d2":
        periodic = np.array(choose.from_problem(problem).periodic(problem))
        scale = dispersion_d2.SCALES[functional]
        energy, pulls, virial = dispersion_d2.correction(scale, numbers, positions, cell, periodic)
        return energy, pulls, virial / abs(np.linalg.det(cell))
    boundary, shifts = _boundary(model, cell, positions, choose.from_problem(problem).periodic(problem))
    copies, numbers = len(shifts), np.tile(numbers, len(shifts))
    places = (shifts[:, None] + positions).reshape(-1, 3)
    of = importlib.import_module(f"{PACKAGES[model]}.interface")
    if model == "d4":
        found = of.DispersionModel(numbers, places, charge=float(problem["charge"]), **boundary)
        parameters = of.DampingParam(method=functional)
    else:
        found = of.DispersionModel(numbers, places, **boundary)
        found.set_realspace_cutoff(disp2=_REACH[model], disp3=_COORDINATION, cn=_COORDINATION)
        parameters = of.RationalDampingParam(method=functional, atm=False)
    answer = found.get_dispersion(parameters, grad=True)
    forces = -np.array(answer["gradient"])[: len(positions)]
    virial = np.array(answer["virial"]) / (copies * abs(np.linalg.det(cell)))
    return float(answer["energy"]) / copies, forces, (virial + virial.T) / 2


def _boundary(
    model: str, cell: np.ndarray, positions: np.ndarray, directions: list[bool]
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return how a package has to repeat the atoms, and the shifts (bohr) of the copies of the cell that it gets.

    The packages know molecules and crystals; D4 takes a cell with some periodic directions as a crystal. Along free
    directions the cell therefore gets vectors so long that images are beyond the reach. The charges of D4 are those
    of a crystal all the same, by sums with a fixed number of terms, which are inaccurate in long cells: it gets copies.
    """
    periodic = np.array(directions)
    if not periodic.any():
        return {}, np.zeros((1, 3))
    lattice = cell.copy()
    lattice[~periodic] = _vacuum(cell[periodic], positions, _REACH[model])
    copies = np.ones(3, dtype=int)
    if model == "d4" and not periodic.all():
        lengths = np.linalg.norm(lattice, axis=1)
        copies[periodic] = np.ceil(lengths[~periodic].max() / (_LONGEST * lengths[periodic]))
    shifts = np.array(list(np.ndindex(*copies))) @ lattice
    return {"lattice": copies[:, None] * lattice, "periodic": np.array([True] * 3)}, shifts


def _vacuum(periodic: np.ndarray, positions: np.ndarray, reach: float) -> np.ndarray:
    """Return vectors (rows, bohr) perpendicular to the periodic ones: images of atoms are farther than the reach."""
    directions = np.linalg.svd(periodic)[2][len(periodic) :]
    return directions * (np.ptp(positions @ directions.T, axis=0) + reach + 1)[:, None]
