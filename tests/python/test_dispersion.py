"""Dispersion corrections: against pw.x 6.7, against differences of their energy, with free directions, in results, and
what is refused."""

import importlib
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from conftest import invoke, program, read_result
from pydantic import TypeAdapter, ValidationError

from wavegrid.crystal import dispersion
from wavegrid.input import fields

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
# A zigzag chain of CH2, and a layer of BN; both without a dipole
CHAIN = {
    "cell": [[4.8, 0, 0], [0, 9, 0], [0, 1, 9]],
    "species": ["C", "H"],
    "atoms": [[0, 0, 0.05, 0], [0, 0.5, -0.05, 0], [1, 0, 0.2, 0.2], [1, 0, 0.2, -0.2], [1, 0.5, -0.2, 0.2],
              [1, 0.5, -0.2, -0.2]],
}  # fmt: skip
LAYER = {
    "cell": [[4.75, 0, 0], [-2.375, 4.1136, 0], [0, 0, 10]],
    "species": ["B", "N"],
    "atoms": [[0, 0, 0, 0.1], [1, 1 / 3, 2 / 3, 0.1]],
}
FREE = [(CHAIN, [True, False, False]), (LAYER, [True, True, False])]
MOLECULE = """
[structure]
cell = [[10, 0, 0], [0, 10, 0], [0, 0, 10]]
unit = "bohr"
atoms = [["H", 5, 5, 4.3], ["H", 5, 5, 5.7]]
coordinates = "cartesian"
[basis]
method = "realspace"
spacing = "0.5 bohr"
region = { kind = "spheres", radius = "4 bohr" }
boundary = "free"
[electrons]
xc = "PBE"
pseudopotentials = "gth-pbe"
dispersion = "d3-bj"
[relax]
"""


def correction(model: str, **changes: object) -> tuple[float, np.ndarray, np.ndarray]:
    return dispersion.correction({**GRAPHITE, "dispersion": {"model": model, "functional": "pbe"}, **changes})


def listed(atoms: np.ndarray) -> list[list]:
    """Return the atoms as a problem has them."""
    return [[int(species), *place] for species, *place in atoms.tolist()]


def test_d3_is_that_of_pwx() -> None:
    """With vdw_corr = 'grimme-d3', dftd3_version = 4, dftd3_threebody = .false."""
    energy, forces, _ = correction("d3-bj")
    assert energy == pytest.approx(-0.04677572 / 2, abs=6e-9)
    expected = np.array([-0.00004611, -0.00004612, -0.00000595, 0.00009818]) / 2
    assert forces[:, 2] == pytest.approx(expected, abs=6e-9)


def test_d2_is_that_of_pwx() -> None:
    """With vdw_corr = 'grimme-d2', whose C6 and radius of carbon are rounded to 60.710 Ry bohr^6 and 2.744 bohr."""
    energy, _, _ = correction("d2")
    assert energy == pytest.approx(-0.03744405 / 2, rel=2e-4)


@pytest.mark.parametrize(
    ("model", "height"), [("d2", 12.5), ("d3-bj", 12.5), ("d4", 30.0)]
)  # D4 in a dense crystal takes seconds
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


def larger(of: dict, copies: list[int], vacuum: float, periodic: list[bool]) -> dict:
    """Return copies of the atoms along periodic directions, in a cell with more vacuum along the others."""
    cell = np.array(of["cell"], dtype=float)
    wide = vacuum * np.eye(3)
    wide[periodic] = np.array(copies)[periodic, None] * cell[periodic]
    atoms = []
    for shift in np.ndindex(*copies):
        places = (np.array(of["atoms"])[:, 1:] + shift) @ cell @ np.linalg.inv(wide)
        atoms += [[atom[0], *place] for atom, place in zip(of["atoms"], places.tolist(), strict=True)]
    return {**of, "cell": wide.tolist(), "atoms": atoms}


@pytest.mark.parametrize(("of", "periodic"), FREE)
def test_d3_of_chains_and_layers_is_that_in_a_large_cell(of: dict, periodic: list[bool]) -> None:
    energy, forces, _ = correction("d3-bj", **of, realspace={"periodic": periodic})
    expected = correction("d3-bj", **larger(of, [1, 1, 1], 150, periodic))
    assert energy == pytest.approx(expected[0], abs=1e-14)
    assert forces == pytest.approx(expected[1], abs=1e-14)


@pytest.mark.parametrize(("of", "periodic"), FREE)
def test_d4_of_chains_and_layers_is_that_in_a_large_cell(of: dict, periodic: list[bool]) -> None:
    """Copies, as sums for the charges are inaccurate in long cells."""
    copies = [6 if one else 1 for one in periodic]
    energy, forces, _ = correction("d4", **of, realspace={"periodic": periodic})
    expected = correction("d4", **larger(of, copies, 90, periodic))
    assert energy == pytest.approx(expected[0] / np.prod(copies), abs=2e-7)
    assert forces == pytest.approx(expected[1][: len(forces)], abs=2e-7)


@pytest.mark.parametrize(("model", "charge"), [("d3-bj", 0.0), ("d4", 0.0), ("d4", 1.0)])
def test_free_molecules_have_no_images(model: str, charge: float) -> None:
    """Two atoms farther apart than the cell is long."""
    numbers, places = np.array([6, 6]), np.array([[0.0, 0, 0], [0, 0, 5]])
    atoms = [[0, 0, 0, 0], [0, 0, 0, 1.25]]
    changes = {"atoms": atoms, "cell": np.diag([4.0, 4.0, 4.0]).tolist(), "charge": charge}
    energy, forces, _ = correction(model, **changes, realspace={"periodic": [False] * 3})
    of = importlib.import_module(f"{dispersion.PACKAGES[model]}.interface")
    if model == "d4":
        expected = of.DispersionModel(numbers, places, charge).get_dispersion(of.DampingParam(method="pbe"), grad=True)
    else:
        damping = of.RationalDampingParam(method="pbe", atm=False)
        expected = of.DispersionModel(numbers, places).get_dispersion(damping, grad=True)
    assert energy == pytest.approx(expected["energy"], abs=1e-14)
    assert forces == pytest.approx(-expected["gradient"], abs=1e-14)


@pytest.mark.parametrize("model", ["d2", "d3-bj", "d4"])
def test_forces_with_free_directions_are_derivatives(model: str) -> None:
    step = 1e-3
    atoms, boundary = np.array(CHAIN["atoms"]), {"periodic": [True, False, False]}

    def energy(moved: float) -> float:
        places = atoms.copy()
        places[2, 2] += moved / 9
        return correction(model, **{**CHAIN, "atoms": listed(places)}, realspace=boundary)[0]

    _, forces, _ = correction(model, **CHAIN, realspace=boundary)
    assert -(energy(step) - energy(-step)) / (2 * step) == pytest.approx(forces[2, 1], rel=1e-3)


def test_a_free_molecule_relaxes_with_it(tmp_path: Path) -> None:
    path = tmp_path / "h2.toml"
    path.write_text(MOLECULE)
    answer = program("run", path, "-q", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    result = read_result(tmp_path / "h2")
    structure = result["structure"]
    geometry = {"cell": structure["cell"], "atoms": listed(np.array([[0, *p] for p in structure["fractional"]]))}
    energy, forces, _ = correction("d3-bj", species=["H"], realspace={"periodic": [False] * 3}, **geometry)
    assert result["energy"]["dispersion"] == pytest.approx(energy, abs=1e-12)
    assert np.array(result["forces"]["terms"]["dispersion"]) == pytest.approx(forces, abs=1e-12)
    assert len(result["relaxation"]["geometries"]) > 1


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
    names = ("kinetic", "hartree", "xc", "ion_ion", "local", "local_g0", "nonlocal", "entropy", "dispersion")
    assert terms["free"] == pytest.approx(sum(terms[name] for name in names), abs=1e-9)
    assert terms["free"] == pytest.approx(result["relaxation"]["geometries"][1]["free_energy"], rel=1e-14)
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
        ("PBE", "d1", 'dispersion = "d1" is unknown; valid: "d2", "d3-bj" or "d4"'),
        ("PBESOL", "d2", "for which it has no parameters; valid with"),
        ("PBE", "TS", 'dispersion = "TS": the models of Tkatchenko and Scheffler and of many bodies need libmbd'),
        ("PBE", "mbd", 'libmbd, which is in neither Debian nor PyPI; valid: "d2", "d3-bj" or "d4"'),
    ],
)
def test_what_is_refused(xc: str, model: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "si.toml"
    path.write_text(INPUT.format(xc=xc, model=model))
    answer = invoke("check", path)
    assert answer.exit_code == 2
    assert words in answer.stderr


def test_names_of_models() -> None:
    for text, model in (
        ("D2", "d2"),
        ("D3", "d3-bj"),
        ("D3(BJ)", "d3-bj"),
        ("d3bj", "d3-bj"),
        ("d3-bj", "d3-bj"),
        ("D4", "d4"),
    ):
        assert TypeAdapter(fields.Dispersion).validate_python(text) == model
        jsonschema.validate(text, TypeAdapter(fields.Dispersion).json_schema())
    for text in ("d1", "D3(0)", 3):
        with pytest.raises(ValidationError):
            TypeAdapter(fields.Dispersion).validate_python(text)


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dispersion.PACKAGES, "d4", "no_such_package")
    path = tmp_path / "si.toml"
    path.write_text(INPUT.format(xc="PBE", model="d4"))
    answer = invoke("check", path)
    assert (answer.exit_code, answer.stderr.count("\n")) == (3, 1)
    assert "needs no_such_package, which is not installed; install it: pip install no_such_package" in answer.stderr
