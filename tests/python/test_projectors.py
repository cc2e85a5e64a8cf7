"""Projectors in real space against those on the plane waves, by whole calculations."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import program, read_result

METAL = """\
[structure]
cell = [[7.6533909,0,0],[0,7.6533909,0],[0,0,7.6533909]]
atoms = [["Al",{x},0.02,0],["Al",{zero},0.5,0.5],["Al",{half},0,0.5],["Al",{half},0.5,0]]
unit = "bohr"
coordinates = "fractional"
[basis]
ecut = "10 Ha"
{basis}
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
smearing = {{ kind = "fermi-dirac", width = "0.00735 Ha" }}
[scf]
energy_tolerance = "1e-12 Ha"
precision = "double"
[output]
forces = true
stress = true
checkpoint = false
"""
COVALENT = """\
[structure]
cell = [[0,5.13,5.13],[5.13,0,5.13],[5.13,5.13,0]]
atoms = [["Si",0.01,0,0.005],["Si",0.25,0.25,0.25]]
unit = "bohr"
coordinates = "fractional"
[basis]
ecut = "10 Ha"
{basis}
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
[scf]
energy_tolerance = "1e-11 Ha"
precision = "double"
[output]
forces = true
stress = true
checkpoint = false
"""
MAGNETIC = """\
[structure]
cell = [[-3.2,3.2,3.2],[3.2,-3.2,3.2],[3.2,3.2,-3.2]]
atoms = [["Fe",0.1,0.03,0]]
unit = "bohr"
coordinates = "fractional"
[basis]
ecut = "10 Ha"
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = {{ Fe = "gth-lda-q8" }}
spin = "collinear"
smearing = {{ kind = "gaussian", width = "0.02 Ha" }}
initial_magnetic_moments = {{ Fe = 4 }}
kpoints = {{ mesh = [2,1,1] }}
[scf]
energy_tolerance = "1e-9 Ha"
"""


def run(text: str, folder: Path, basis: str = "", ranks: int = 1, **values: object) -> dict[str, Any]:
    """Run and return result.json."""
    folder.mkdir(exist_ok=True)
    path = folder / "in.toml"
    path.write_text(text.format(basis=basis, **({"zero": 0, "half": 0.5} | values)))
    answer = program("run", path, "--ranks", ranks, "--output", folder / "out", "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def differences(found: dict[str, Any], exact: dict[str, Any]) -> tuple[float, float, float]:
    """Of the energy per atom (Ha), of forces (Ha/bohr), of the stress (Ha/bohr^3)."""
    energy = (found["energy"]["free"] - exact["energy"]["free"]) / len(found["forces"]["total"])
    forces, stress = (np.abs(np.subtract(found[k]["total"], exact[k]["total"])).max() for k in ("forces", "stress"))
    return energy, forces, stress


def test_energy_forces_and_stress(tmp_path: Path) -> None:
    """Those of plane waves at the same position, within the accuracy, and forces those of the run's own energy."""
    shift = 0.5 / 18  # half a step of the grid, of all atoms
    here, there = {"x": 0.01}, {"x": 0.01 + shift, "zero": shift, "half": 0.5 + shift}
    exact, elsewhere = (run(METAL, tmp_path, 'projectors = "reciprocal"', 1, **at) for at in (here, there))
    found, moved = (run(METAL, tmp_path, 'projectors = "real"', 1, **at) for at in (here, there))
    tight = run(METAL, tmp_path, 'projectors = "real"\nprojector_accuracy = "1e-7 Ha"', x=0.01)
    assert exact["projectors"]["kind"] == "reciprocal"
    for result, reference, accuracy in ((found, exact, 1e-5), (moved, elsewhere, 1e-5), (tight, exact, 1e-7)):
        used = result["projectors"]
        assert (used["kind"], used["reason"]) == ("real", "set in the input")
        energy, forces, stress = differences(result, reference)
        assert abs(energy) <= used["error_estimate"] <= accuracy
        assert forces < accuracy
        assert stress < 0.01 * accuracy
    change = differences(moved, elsewhere)[0] - differences(found, exact)[0]
    assert abs(change) < found["projectors"]["error_estimate"]
    step = 1e-4  # small: second derivatives of a filtered function jump at its radius
    ends = [run(METAL, tmp_path, 'projectors = "real"', x=0.01 + side * step)["energy"]["free"] for side in (-1, 1)]
    slope = (ends[1] - ends[0]) / (2 * step * 7.6533909)
    forces = found["forces"]
    raw = forces["total"][0][0] + forces["net"][0] / 4  # the net force was taken off in equal parts
    assert raw == pytest.approx(-slope, abs=1e-6)


def test_covalent_crystal(tmp_path: Path) -> None:
    """Silicon, whose stress is the most sensitive of the cases in decision 0020."""
    exact, found = (run(COVALENT, tmp_path, f'projectors = "{kind}"') for kind in ("reciprocal", "real"))
    energy, forces, stress = differences(found, exact)
    assert abs(energy) <= found["projectors"]["error_estimate"]
    assert forces < 1e-5
    assert stress < 1e-7


def test_spin_and_kpoints_on_two_ranks(tmp_path: Path) -> None:
    exact = run(MAGNETIC, tmp_path, 'projectors = "reciprocal"')
    found = run(MAGNETIC, tmp_path, 'projectors = "real"', ranks=2)
    assert abs(found["energy"]["free"] - exact["energy"]["free"]) < found["projectors"]["error_estimate"]
    assert found["magnetisation"]["total"] == pytest.approx(exact["magnetisation"]["total"], abs=1e-4)


def test_the_bits_of_one_rank(tmp_path: Path) -> None:
    """Deterministic runs agree in all bits, k-point groups to rounding."""
    alone, divided = (
        run(METAL + "[parallel]\ndeterministic = true\n", tmp_path / str(n), 'projectors = "real"', n, x=0.01)
        for n in (1, 2)
    )
    assert alone["energy"]["free"] == divided["energy"]["free"]
    assert alone["forces"]["total"] == divided["forces"]["total"]
    one, groups = (
        run(MAGNETIC + f"[parallel]\nkpoint_groups = {n}\n", tmp_path / f"k{n}", 'projectors = "real"', n)
        for n in (1, 2)
    )
    assert groups["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=1e-9)


def test_an_accuracy_that_the_grid_cannot_give_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    basis = 'grid = [15,15,15]\nprojectors = "real"\nprojector_accuracy = "1e-9 Ha"'
    path.write_text(METAL.format(basis=basis, x=0, zero=0, half=0.5))
    answer = program("check", path)
    assert answer.returncode == 2
    assert "projectors of Al in real space are not possible on this grid with an error of 1e-09 Ha" in answer.stderr
