"""Corrections of charged defects next to pymatgen's, of the same potentials; energies of two sizes of a cell."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import program

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


def test_corrected_energies_of_two_cells_agree(tmp_path: Path) -> None:
    """Al3+ instead of Li+ in LiF: uncorrected energies differ by 2.8 eV."""
    spec = importlib.util.spec_from_file_location("make_inputs", FOLDER / "make_inputs.py")
    assert spec is not None and spec.loader is not None
    inputs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(inputs)
    inputs.write_all(tmp_path)
    found = []
    for atoms in (16, 54):
        for name in (f"lif_{atoms}", f"lif_{atoms}_al"):
            answer = program("run", tmp_path / f"{name}.toml", "--ranks", 2, "--output", tmp_path / name)
            assert answer.returncode == 0, answer.stderr
        place = tmp_path / f"lif_{atoms}"
        found.append(command.correct(place, tmp_path / f"lif_{atoms}_al", 1.8 * np.eye(3), None, 1.0))
    uncorrected = [one.difference * HARTREE_IN_EV for one in found]
    corrected = [one.as_dict()["corrected_eV"] for one in found]
    assert uncorrected[1] - uncorrected[0] == pytest.approx(2.78, abs=0.05)
    assert corrected[1] == pytest.approx(corrected[0], abs=0.1)
    assert all(one.gap is not None and one.gap * HARTREE_IN_EV > 4 for one in found)
