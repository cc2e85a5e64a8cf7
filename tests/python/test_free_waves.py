"""Plane waves with free boundaries: molecules and layers without images."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result

REFERENCE = Path(__file__).parents[1] / "reference" / "free_boundaries"
INPUT = """\
[structure]
cell = {cell}
unit = "bohr"
coordinates = "cartesian"
atoms = {atoms}
[basis]
ecut = "8 Ha"
boundary = {boundary}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
{electrons}
[scf]
energy_tolerance = "1e-9 Ha"
[output]
forces = true
"""
MOLECULE = (("Li", 0.0, 0.0, 0.0), ("H", 0.3, 0.5, 2.9))
LAYER = ["periodic", "periodic", "free"]
LONG = """\
[structure]
cell = [[14, 0, 0], [0, 14, 0], [0, 0, 7.6]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["H", 0, 0, 0], ["Li", 0, 0, 1.9], ["Li", 0, 0, 3.8], ["H", 0, 0, 5.7]]
[basis]
ecut = "8 Ha"
boundary = {boundary}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
"""
ION = 'charge = 1\nspin = "collinear"\ninitial_magnetic_moments = { Li = 0, H = 1 }'


def solve(folder: Path, text: str, ranks: int = 1) -> dict:
    """Run an input and return its result.json."""
    folder.mkdir()
    (folder / "in.toml").write_text(text)
    answer = program("run", folder / "in.toml", "--ranks", ranks, "--output", folder / "out", "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def text_of(
    cell: list[float], boundary: object = "free", electrons: str = "", place: tuple[float, float, float] = (0, 0, 0)
) -> str:
    """Return the input of LiH in a cell with these edges."""
    atoms = [[name, *(np.array(r) + place).round(9).tolist()] for name, *r in MOLECULE]
    return INPUT.format(
        cell=json.dumps(np.diag(cell).tolist()),
        atoms=json.dumps(atoms),
        boundary=json.dumps(boundary),
        electrons=electrons,
    )


@pytest.mark.parametrize("electrons", ["", ION], ids=["molecule", "ion"])
def test_a_molecule_is_alone_in_any_cell(electrons: str, tmp_path: Path) -> None:
    """An ion has no background, and a molecule may lie across the ends of the cell."""
    one = solve(tmp_path / "one", text_of([18, 18, 20], electrons=electrons))
    other = solve(tmp_path / "two", text_of([20, 19, 22], electrons=electrons, place=(4, 9, 17)), ranks=2)
    assert other["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=2e-4)
    assert np.allclose(other["forces"]["total"], one["forces"]["total"], atol=5e-4)
    assert np.linalg.norm(one["forces"]["torque"]) < 1e-3
    arms = np.array([r for _, *r in MOLECULE]) - np.mean([r for _, *r in MOLECULE], axis=0)
    assert np.cross(arms, one["forces"]["total"]).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("name", ["molecule", "layer"])
def test_energies_forces_and_stress_are_those_of_pw(name: str, tmp_path: Path) -> None:
    found = solve(tmp_path / "run", (REFERENCE / f"{name}.toml").read_text(), ranks=2)
    expected = json.loads((REFERENCE / "reference.json").read_text())[name]
    assert found["energy"]["free"] == pytest.approx(expected["free"], abs=2e-5)
    assert np.allclose(found["forces"]["total"], expected["forces"], atol=3e-5)
    if name != "layer":
        return
    stress = np.array(found["stress"]["total"])
    assert np.allclose(stress[:2, :2], expected["stress"], atol=2e-8)
    assert np.all(stress[2] == 0)


def test_symmetry_leaves_a_layer_as_it_is(tmp_path: Path) -> None:
    """Of the operations of the cell those that map the layer onto itself."""
    text = (REFERENCE / "layer.toml").read_text().replace("15 Ha", "6 Ha").replace("0.3, 0.5, 2.9", "0, 0, 2.9")
    whole = solve(tmp_path / "whole", text)
    reduced = solve(tmp_path / "reduced", text.replace("use = false", "use = true"), ranks=2)
    assert len(reduced["kpoints"]) == 3 < len(whole["kpoints"])
    assert reduced["energy"]["free"] == pytest.approx(whole["energy"]["free"], abs=1e-8)
    assert np.allclose(reduced["stress"]["total"], whole["stress"]["total"], atol=2e-8)


def test_a_polar_layer_has_two_vacuum_levels(tmp_path: Path) -> None:
    """Apart by its dipole moment; without one both are zero."""
    few = 'kpoints = { mesh = [2, 2, 1] }\nsmearing = { kind = "gaussian", width = "0.02 Ha" }'
    found = solve(tmp_path / "run", text_of([6, 6, 40], LAYER, few))
    lower, upper = found["vacuum"]["levels"]
    assert upper - lower == pytest.approx(-4 * np.pi * found["multipoles"]["dipole"][2] / 36, abs=1e-3)
    assert upper == pytest.approx(-lower, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (text_of([14, 14, 18], LAYER, "charge = 1"), "the charge is 1 and the boundary is periodic in some directions"),
        (
            LONG.format(boundary='"free"'),
            "atoms extend over 5.7 bohr along lattice vector 3",
        ),
        (LONG.format(boundary='["free", "periodic", "free"]'), "atoms extend over 5.7 bohr along lattice vector 3"),
        (text_of([14, 14, 18], LAYER, "kpoints = { mesh = [1, 1, 2] }"), "where the boundary is free; valid: 0"),
        (text_of([14, 14, 18]) + "stress = true\n", "stress without a periodic direction"),
    ],
)
def test_what_has_no_free_boundary_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "in.toml").write_text(text)
    answer = program("check", tmp_path / "in.toml")
    assert answer.returncode == 2
    assert message in " ".join(answer.stderr.split())
