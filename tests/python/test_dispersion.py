"""Dispersion corrections: against pw.x 6.7, against differences of their energy, in results, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from conftest import invoke, program, read_result

from wavegrid import dispersion

INPUT = """
[structure]
cell = [[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]]
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.26, 0.25, 0.25]]
coordinates = "fractional"
[basis]
ecut = "5 Ha"
[electrons]
xc = "{xc}"
pseudopotentials = "gth-pbe"
dispersion = "{model}"
[relax]
max_steps = 2
cell = "free"
"""
GRAPHITE = {
    "cell": [[4.65, 0, 0], [-2.325, 4.02702, 0], [0, 0, 12.5]],
    "species": ["C"],
    "atoms": [[0, 0, 0, 0.25], [0, 1 / 3, 2 / 3, 0.25], [0, 0, 0, 0.75], [0, 2 / 3, 1 / 3, 0.76]],
    "charge": 0.0,
}


def correction(model: str, **changes: object) -> tuple[float, np.ndarray, np.ndarray]:
    return dispersion.correction({**GRAPHITE, "dispersion": {"model": model, "functional": "pbe"}, **changes})


def listed(atoms: np.ndarray) -> list[list]:
    """Return the atoms as a problem has them."""
    return [[0, *place[1:]] for place in atoms.tolist()]


def test_d3_is_that_of_pwx() -> None:
    """With vdw_corr = 'grimme-d3', dftd3_version = 4, dftd3_threebody = .false."""
    energy, forces, _ = correction("d3-bj")
    assert energy == pytest.approx(-0.04677572 / 2, abs=6e-9)
    expected = np.array([-0.00004611, -0.00004612, -0.00000595, 0.00009818]) / 2
    assert forces[:, 2] == pytest.approx(expected, abs=6e-9)


@pytest.mark.parametrize(("model", "height"), [("d3-bj", 12.5), ("d4", 30.0)])  # D4 in a dense crystal takes seconds
def test_forces_and_stress_are_derivatives(model: str, height: float) -> None:
    step = 1e-3
    cell = np.diag([height, height, height])
    atoms = np.array([[0, 0, 0, 0], [0, 0.1, 0.02, 0], [0, 0, 0.03, 0.2]])

    def energy(moved: float = 0.0, strain: float = 0.0) -> float:
        places = atoms + [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, moved / height]]
        return correction(model, atoms=listed(places), cell=(cell @ np.diag([1, 1, 1 + strain])).tolist())[0]

    _, forces, stress = correction(model, atoms=listed(atoms), cell=cell.tolist())
    assert -(energy(step) - energy(-step)) / (2 * step) == pytest.approx(forces[2, 2], rel=1e-3)
    slope = (energy(strain=step) - energy(strain=-step)) / (2 * step)
    assert slope / height**3 == pytest.approx(stress[2, 2], rel=1e-3)


def test_in_a_relaxation(tmp_path: Path) -> None:
    """Two geometries; the parts of the result belong to the second."""
    path = tmp_path / "si.toml"
    path.write_text(INPUT.format(xc="PBE", model="d3-bj"))
    answer = program("run", path, "--ranks", 2, "-q", cwd=tmp_path)
    assert answer.returncode == 1, answer.stderr
    result = read_result(tmp_path / "si")
    structure = result["structure"]
    places = [[0, *place] for place in structure["fractional"]]
    energy, forces, stress = correction("d3-bj", cell=structure["cell"], atoms=places, species=["Si"])
    terms = result["energy"]
    assert terms["dispersion"] == pytest.approx(energy, abs=1e-12)
    names = ("kinetic", "hartree", "xc", "ewald", "local", "local_g0", "nonlocal", "smearing", "dispersion")
    assert terms["free"] == pytest.approx(sum(terms[name] for name in names), abs=1e-9)
    assert terms["free"] == result["relaxation"]["geometries"][1]["free_energy"]
    for part, expected in (("forces", forces), ("stress", stress)):
        of = result[part]
        assert np.array(of["terms"]["dispersion"]) == pytest.approx(expected, abs=1e-12)
        total = sum(np.array(term) for term in of["terms"].values())
        if part == "forces":
            total = total - np.array(of["net"]) / len(places)
        assert np.array(of["total"]) == pytest.approx(total, abs=1e-12)
    assert result["stress"]["pressure"] == pytest.approx(-np.trace(result["stress"]["total"]) / 3, abs=1e-15)


@pytest.mark.parametrize(
    ("xc", "model", "words"),
    [
        (
            "LDA-PZ",
            "d4",
            'dispersion = "d4" with LDA_X+LDA_C_PZ, for which it has no parameters; valid with GGA_X',
        ),
        ("PBE", "d3", 'dispersion = "d3" is unknown; valid: "d3-bj" or "d4"'),
    ],
)
def test_what_is_refused(xc: str, model: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "si.toml"
    path.write_text(INPUT.format(xc=xc, model=model))
    answer = invoke("check", path)
    assert answer.exit_code == 2
    assert words in answer.stderr


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dispersion.PACKAGES, "d4", "no_such_package")
    path = tmp_path / "si.toml"
    path.write_text(INPUT.format(xc="PBE", model="d4"))
    answer = invoke("check", path)
    assert (answer.exit_code, answer.stderr.count("\n")) == (3, 1)
    assert "needs no_such_package, which is not installed; install it: pip install no_such_package" in answer.stderr
