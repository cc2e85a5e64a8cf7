"""Corrections of charged defects next to pymatgen's, of the same potentials."""

import json
from pathlib import Path

import numpy as np
import pytest

from wavegrid.defect import command
from wavegrid.defect.model_charge import ModelCharge
from wavegrid.units import HARTREE_IN_EV

FOLDER = Path(__file__).parents[1] / "reference/charged_defects"
CASES = json.loads((FOLDER / "reference.json").read_text())["cases"]


def with_planes(means: list[list[float]]) -> np.ndarray:
    """Return a field (nx, ny, nz) whose planes have these means along the three vectors."""
    along = [np.array(values) for values in means]
    return sum(np.meshgrid(*along, indexing="ij")) - 2 * along[0].mean()


@pytest.mark.parametrize("name", CASES)
def test_the_correction_is_that_of_another_program(name: str) -> None:
    case = CASES[name]
    site = np.array(case["site"])
    model = ModelCharge(np.array(case["cell"]), case["epsilon"] * np.eye(3), case["charge"])
    assert model.point_correction() * HARTREE_IN_EV == pytest.approx(case["point_charge_eV"], abs=5e-4)
    change = (with_planes(case["charged"]) - with_planes(case["perfect"])) / HARTREE_IN_EV
    potential = model.potential(change.shape, site)
    profiles = [command._profile(change, potential, axis, site[axis]) for axis in range(3)]
    alignment = float(np.mean([profile.far.mean() for profile in profiles])) * HARTREE_IN_EV
    correction = model.correction() * HARTREE_IN_EV + case["charge"] * alignment
    assert correction == pytest.approx(case["correction_eV"], abs=0.025)  # planes of 1 Angstrom there, a fifth here
