"""Projectors in real space against those on the plane waves, by whole calculations."""

from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result

METAL = """\
[structure]
cell = [[7.6533909,0,0],[0,7.6533909,0],[0,0,7.6533909]]
atoms = [["Al",{x},0.02,0],["Al",0,0.5,0.5],["Al",0.5,0,0.5],["Al",0.5,0.5,0]]
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


def run(text: str, folder: Path, basis: str = "", ranks: int = 1, **values: object) -> dict:
    """Run and return result.json."""
    folder.mkdir(exist_ok=True)
    path = folder / "in.toml"
    path.write_text(text.format(basis=basis, **values))
    answer = program("run", path, "--ranks", ranks, "--output", folder / "out", "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def test_energy_forces_and_stress(tmp_path: Path) -> None:
    """Those of plane waves, within the accuracy, and forces those of the run's own energy."""
    exact = run(METAL, tmp_path, 'projectors = "reciprocal"', x=0.01)
    found = run(METAL, tmp_path, 'projectors = "real"', x=0.01)
    tight = run(METAL, tmp_path, 'projectors = "real"\nprojector_accuracy = "1e-7 Ha"', x=0.01)
    assert exact["projectors"]["kind"] == "reciprocal"
    for result, accuracy in ((found, 1e-5), (tight, 1e-7)):
        used = result["projectors"]
        assert (used["kind"], used["reason"]) == ("real", "set in the input")
        error = abs(result["energy"]["free"] - exact["energy"]["free"]) / 4
        assert error <= used["error_estimate"] <= accuracy
    for kind, accuracy in (("forces", 1e-5), ("stress", 5e-7)):
        assert np.abs(np.subtract(found[kind]["total"], exact[kind]["total"])).max() < accuracy
    assert np.abs(np.subtract(tight["stress"]["total"], exact["stress"]["total"])).max() < 1e-8
    step = 1e-4  # small: second derivatives of a filtered function jump at its radius
    ends = [run(METAL, tmp_path, 'projectors = "real"', x=0.01 + side * step)["energy"]["free"] for side in (-1, 1)]
    slope = (ends[1] - ends[0]) / (2 * step * 7.6533909)
    forces = found["forces"]
    raw = forces["total"][0][0] + forces["net"][0] / 4  # the net force was taken off in equal parts
    assert raw == pytest.approx(-slope, abs=1e-6)


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
    path.write_text(METAL.format(basis='grid = [15,15,15]\nprojectors = "real"\nprojector_accuracy = "1e-9 Ha"', x=0))
    answer = program("check", path)
    assert answer.returncode == 2
    assert "projectors of Al in real space are not possible on this grid with an error of 1e-09 Ha" in answer.stderr
