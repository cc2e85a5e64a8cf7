"""DFT+U with exact exchange: pw.x, derivatives, symmetry, layouts, restarts; tests/reference/hubbard."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from feature_inputs import POTENTIALS
from test_hubbard import CELL, SPIN, run, same

PBE0 = {"xc": "PBE0", "projectors": "ortho-atomic", "basis": "grid = [16, 16, 16]", "ecut": 6.0}


def test_layouts_and_restarts_change_nothing(tmp_path: Path) -> None:
    at = PBE0 | {"ecut": 4.0, "basis": "grid = [15, 15, 15]", "bands": 4}
    one = run(tmp_path / "one", "--ranks", 1, **at)
    start = ("--ranks", 2, "--restart", tmp_path / "one/checkpoint.h5")
    again = run(tmp_path / "again", *start, end="[parallel]\nkpoint_groups = 2", **at)
    assert again["scf_steps"] < one["scf_steps"] / 2
    same(again, one)
    assert one["energy"]["hubbard"] > 0.05
    assert one["energy"]["exchange"] < -0.5


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
def test_pwx(projectors: str, tmp_path: Path) -> None:
    expected = json.loads((POTENTIALS / "hubbard" / "reference.json").read_text())["sic_pbe0"][projectors]
    at = {
        "xc": "PBE0",
        "projectors": projectors,
        "ecut": 20.0,
        "basis": "grid = [24, 24, 24]",
        "mesh": "mesh = [2, 2, 2]",
    }
    found = run(tmp_path / "run", "--ranks", 1, **at)
    assert found["energy"]["free"] == pytest.approx(expected["energy"], abs=2e-5)
    assert found["energy"]["hubbard"] == pytest.approx(expected["hubbard"], abs=5e-5)  # 4 digits
    assert 2 * sum(found["hubbard"][0]["eigenvalues"][0]) == pytest.approx(expected["electrons"], abs=1e-4)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]), abs=2e-5)


@pytest.mark.parametrize("electrons", ["", SPIN])
def test_forces_and_stress_are_derivatives(electrons: str, tmp_path: Path) -> None:
    """With given occupations and a level shift, and with spin and smearing; strain at the same plane waves."""
    at = PBE0 | {"electrons": electrons, "ecut": 6.2}
    found = run(tmp_path / "at", "--ranks", 2, **at)
    start = ("--ranks", 2, "--restart", tmp_path / "at/checkpoint.h5")

    def slope(name: str, step: float, changes: Callable[[int], dict]) -> float:
        sides = [run(tmp_path / f"{name}{side}", *start, **at | changes(side)) for side in (-1, 1)]
        assert {str(one["plane_waves"]) for one in sides} == {str(found["plane_waves"])}
        return (sides[1]["energy"]["free"] - sides[0]["energy"]["free"]) / (2 * step)

    step = 2e-3 * np.array([1.0, -0.5, 0.7])
    size = np.linalg.norm(step)
    forces = np.array(found["forces"]["total"])
    along = (forces[0] - forces[1]) @ step / 2 / size
    assert along == pytest.approx(slope("shift", size, lambda side: {"shift": side * step}), abs=1e-6)
    strain = 2e-5
    pressure = slope("cell", strain, lambda side: {"cell": (1 + side * strain) * CELL}) / abs(np.linalg.det(CELL))
    assert np.trace(found["stress"]["total"]) == pytest.approx(pressure, abs=1e-7)


def test_symmetry_changes_nothing(tmp_path: Path) -> None:
    at = PBE0 | {"place": np.array([0.23, 0.23, 0.23]), "mesh": "mesh = [2, 2, 2]", "xc": "HSE06"}
    one, other = (
        run(tmp_path / str(use), "--ranks", 2, end=f"[symmetry]\nuse = {str(use).lower()}", **at)
        for use in (True, False)
    )
    same(one, other)


def test_spinors_without_moments_are_bands_of_one_component(tmp_path: Path) -> None:
    """On band groups too."""
    at = PBE0 | {"ecut": 4.0, "basis": "grid = [15, 15, 15]"}
    one = run(tmp_path / "one", "--ranks", 2, end="[parallel]\nband_groups = 2", bands=4, **at)
    spinors = 'spin = "noncollinear"\ninitial_magnetic_moments = { C = 0 }'
    two = run(tmp_path / "two", "--ranks", 1, electrons=spinors, bands=8, **at)
    assert two["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=1e-8)
    assert two["energy"]["hubbard"] == pytest.approx(one["energy"]["hubbard"], abs=1e-6)
    assert np.array(two["forces"]["total"]) == pytest.approx(np.array(one["forces"]["total"]), abs=1e-5)
