"""Dispersion corrections D3(BJ) and D4, from the packages dftd3 and dftd4.

S. Grimme, S. Ehrlich, L. Goerigk, 10.1002/jcc.21759 (no three-body terms); E. Caldeweyher et al., 10.1063/1.5090222.
They depend on the geometry alone, so that they are added to energy, forces and stress once these are computed.
"""

import importlib
import importlib.util
from typing import Any

import numpy as np

from wavegrid.elements import ELEMENTS

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
}
# bohr: pairs that are counted, and neighbours for coordination numbers, as in the first program of D3
_REACH, _COORDINATION = 9000.0**0.5, 40.0


def installed(model: str) -> bool:
    """Whether the package of a model is there."""
    return importlib.util.find_spec(PACKAGES[model]) is not None


def add(problem: dict[str, Any], result: dict[str, Any]) -> None:
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


def correction(problem: dict[str, Any]) -> tuple[float, np.ndarray, np.ndarray]:
    """Return energy (Ha), forces (atoms, 3) in Ha/bohr and stress (3, 3) in Ha/bohr^3 of a problem's geometry."""
    model, functional = problem["dispersion"]["model"], problem["dispersion"]["functional"]
    cell = np.array(problem["cell"], dtype=float)
    numbers = np.array([ELEMENTS[problem["species"][atom[0]]].number for atom in problem["atoms"]])
    positions = np.array([atom[1:] for atom in problem["atoms"]], dtype=float) @ cell
    of = importlib.import_module(f"{PACKAGES[model]}.interface")
    periodic = {"lattice": cell, "periodic": np.array([True] * 3)}
    if model == "d4":
        found = of.DispersionModel(numbers, positions, charge=float(problem["charge"]), **periodic)
        parameters = of.DampingParam(method=functional)
    else:
        found = of.DispersionModel(numbers, positions, **periodic)
        found.set_realspace_cutoff(disp2=_REACH, disp3=_COORDINATION, cn=_COORDINATION)
        parameters = of.RationalDampingParam(method=functional, atm=False)
    answer = found.get_dispersion(parameters, grad=True)
    volume = abs(np.linalg.det(cell))
    virial = np.array(answer["virial"])
    return float(answer["energy"]), -np.array(answer["gradient"]), (virial + virial.T) / (2 * volume)
