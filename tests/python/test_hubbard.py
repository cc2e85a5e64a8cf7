"""DFT+U: pw.x, derivatives, layouts, symmetry, restarts, what is refused; tests/reference/hubbard."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result
from feature_inputs import POTENTIALS

CELL = np.array([[0, 4.1, 4.1], [4.1, 0, 4.1], [4.1, 4.1, 0]])  # bohr
PLACE = np.array([0.26, 0.25, 0.24])
REFERENCE = json.loads((POTENTIALS / "hubbard" / "reference.json").read_text())
SIC = {"Si": POTENTIALS / "projections/Si.UPF", "C": POTENTIALS / "projections/C.UPF"}
SMEARING = 'smearing = { kind = "gaussian", width = "0.02 Ha" }'
SPIN = f'spin = "collinear"\ninitial_magnetic_moments = {{ C = 1 }}\n{SMEARING}'


def run(
    folder: Path,
    *options: object,
    potentials: dict[str, Path] = SIC,
    xc: str = "LDA-PZ",
    hubbard: str = 'C = { shell = "2p", u = "4 eV" }',
    projectors: str = "atomic",
    ecut: float = 8.0,
    basis: str = "grid = [18, 18, 18]",
    mesh: str = "mesh = [2, 1, 1]",
    bands: int = 8,
    electrons: str = "",
    cell: np.ndarray = CELL,
    place: np.ndarray | None = PLACE,
    shift: np.ndarray | float = 0.0,
    scf: str = "",
    end: str = "",
) -> dict:
    """Run two atoms, or one without a place for the other, with forces and stress; return result.json.

    `shift` (bohr): by half of it the first atom is moved back and the second forward.
    """
    folder.mkdir()
    half = shift @ np.linalg.inv(cell) / 2 if isinstance(shift, np.ndarray) else np.zeros(3)
    names = [*potentials, *potentials][:2]
    atoms = (
        [[names[0], *(-half).tolist()], [names[1], *(place + half).tolist()]]
        if place is not None
        else [[names[0], 0, 0, 0]]
    )
    (folder / "in.toml").write_text(
        f"""[structure]
cell = {cell.tolist()}
unit = "bohr"
coordinates = "fractional"
atoms = {json.dumps(atoms)}
[basis]
ecut = "{ecut!r} Ha"
{basis}
[electrons]
xc = "{xc}"
pseudopotentials = {{ {", ".join(f'{name} = "{file}"' for name, file in potentials.items())} }}
bands = {bands}
kpoints = {{ {mesh} }}
{electrons}
[electrons.hubbard]
projectors = "{projectors}"
{hubbard}
[output]
forces = true
stress = true
checkpoint = true
[scf]
energy_tolerance = "1e-11 Ha"
{scf}
{end}
"""
    )
    answer = program("run", folder / "in.toml", "--output", folder, "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder)


def same(found: dict, expected: dict, energy: float = 1e-9) -> None:
    """Energies to 1e-9 Ha; occupations, forces and stress to the root of the error of the density."""
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=energy)
    for one, other in zip(found["hubbard"], expected["hubbard"], strict=True):
        assert np.array(one["matrices"]) == pytest.approx(np.array(other["matrices"]), abs=2e-5)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]["total"]), abs=1e-5)
    assert np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]["total"]), abs=2e-7)


def with_orbitals(name: str, folder: Path) -> Path:
    """Return an ultrasoft potential or PAW dataset of the tests with two orbitals, 3s and 3p."""
    text = (POTENTIALS / "ultrasoft" / name).read_text()
    radii = [float(word) for word in re.search(r"<PP_R>(.*?)</PP_R>", text, re.DOTALL)[1].split()]
    chis = ""
    for number, (l, exponent) in enumerate(((0, 0.16), (1, 0.12)), 1):
        values = " ".join(f"{r ** (l + 1) * math.exp(-exponent * r * r):.12e}" for r in radii)
        chis += f'<PP_CHI.{number} label="3{"SP"[l]}" l="{l}" occupation="2.0">\n{values}\n</PP_CHI.{number}>\n'
    text = text.replace('number_of_wfc="0"', 'number_of_wfc="2"')
    text = text.replace("<PP_RHOATOM", f"<PP_PSWFC>\n{chis}</PP_PSWFC>\n<PP_RHOATOM", 1)
    (folder / name).write_text(text)
    return folder / name


def silicon(name: str, folder: Path) -> dict:
    """Return the arguments of `run` for silicon with an ultrasoft potential or a PAW dataset."""
    cell = np.array([[0.1, 5.1, 5.2], [5.0, 0.2, 5.1], [5.3, 5.1, 0]])
    return {
        "potentials": {"Si": with_orbitals(name, folder)},
        "xc": "PBE",
        "hubbard": 'Si = { shell = "3p", u = "3 eV" }',
        "ecut": 5.0,
        "basis": 'density_ecut = "30 Ha"',
        "cell": cell,
        "place": np.array([0.26, 0.23, 0.27]),
    }


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
def test_pwx(projectors: str, tmp_path: Path) -> None:
    expected = REFERENCE[f"sic_{projectors}"]
    found = run(
        tmp_path / "run",
        "--ranks",
        1,
        projectors=projectors,
        ecut=20.0,
        basis="grid = [24, 24, 24]",
        mesh="mesh = [2, 2, 2]",
    )
    assert found["energy"]["free"] == pytest.approx(expected["energy"], abs=2e-5)
    assert found["energy"]["hubbard"] == pytest.approx(expected["hubbard"], abs=1e-5)
    assert 2 * sum(found["hubbard"][0]["eigenvalues"][0]) == pytest.approx(expected["electrons"], abs=1e-4)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]), abs=5e-5)
    assert -np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]), abs=2e-6)


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
@pytest.mark.parametrize("dataset", ["", "Si.UPF", "Si-paw.UPF"])
def test_forces_and_stress_are_derivatives(dataset: str, projectors: str, tmp_path: Path) -> None:
    arguments = {"projectors": projectors, "xc": "LDA-PW"}  # that of Perdew and Zunger jumps at r_s = 1
    arguments |= silicon(dataset, tmp_path) if dataset else {}
    cell = arguments.get("cell", CELL)
    at = run(tmp_path / "at", "--ranks", 1, **arguments)
    step = 0.004 * np.array([1.0, -0.5, 0.7])

    def energy(name: str, **changes: object) -> float:
        return run(tmp_path / name, "--ranks", 1, **arguments | changes)["energy"]["free"]

    def slope(name: str, changes: Callable[[float], dict]) -> float:
        """Return a derivative of fourth order."""
        once, twice = (energy(f"{name}{n}", **changes(n)) - energy(f"{name}{-n}", **changes(-n)) for n in (1, 2))
        return (8 * once - twice) / 12

    forces, size = np.array(at["forces"]["total"]), np.linalg.norm(step)
    along = (forces[0] - forces[1]) @ step / 2
    assert along / size == pytest.approx(slope("shift", lambda n: {"shift": n * step}) / size, abs=1e-6)

    def scaled(n: float) -> dict:  # at fixed plane waves
        scale = 1 + 1e-3 * n
        cutoff = (1 + 1e-12) / scale**2
        basis = re.sub("30 Ha", f"{30 * cutoff!r} Ha", arguments.get("basis", "grid = [18, 18, 18]"))
        return {"cell": scale * cell, "ecut": arguments.get("ecut", 8.0) * cutoff, "basis": basis}

    pressure = slope("scaled", scaled) / 1e-3 / abs(np.linalg.det(cell))
    assert np.trace(at["stress"]["total"]) == pytest.approx(pressure, abs=1e-7)


@pytest.mark.parametrize(
    ("ranks", "parallel"), [(2, "kpoint_groups = 2"), (2, "band_groups = 2"), (3, "rows = 1\ncolumns = 3")]
)
def test_every_layout_gives_the_same(ranks: int, parallel: str, tmp_path: Path) -> None:
    arguments = silicon("Si.UPF", tmp_path) | {"projectors": "ortho-atomic"}
    arguments["electrons"] = SPIN.replace("{ C", "{ Si")
    one = run(tmp_path / "one", "--ranks", 1, **arguments)
    same(run(tmp_path / "more", "--ranks", ranks, **arguments, end=f"[parallel]\n{parallel}"), one)


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
@pytest.mark.parametrize("dataset", ["", "Si-paw.UPF"])
def test_symmetry_changes_nothing(dataset: str, projectors: str, tmp_path: Path) -> None:
    arguments = silicon(dataset, tmp_path) if dataset else {}
    arguments |= {"cell": 5.1 / 4.1 * CELL if dataset else CELL, "place": np.array([0.23, 0.23, 0.23])}
    arguments |= {"projectors": projectors, "mesh": "mesh = [2, 2, 2]", "electrons": SMEARING}
    found, expected = (
        run(tmp_path / str(use), "--ranks", 1, **arguments, end=f"[symmetry]\nuse = {use}") for use in ("true", "false")
    )
    same(found, expected)


def test_a_checkpoint_continues(tmp_path: Path) -> None:
    arguments = {"electrons": SPIN, "projectors": "ortho-atomic"}
    first = run(tmp_path / "first", "--ranks", 1, **arguments)
    again = run(tmp_path / "again", "--ranks", 2, "--restart", tmp_path / "first/checkpoint.h5", **arguments)
    assert again["scf_steps"] <= 2
    assert again["restart"]["matrices"] == "taken"
    same(again, first)


@pytest.mark.parametrize("scf", ['eigensolver = "davidson"', 'precision = "mixed"', 'method = "direct"'])
def test_every_solver_gives_the_same(scf: str, tmp_path: Path) -> None:
    found, expected = (
        run(tmp_path / name, "--ranks", 1, projectors="ortho-atomic", scf=one) for name, one in (("a", scf), ("b", ""))
    )
    same(found, expected)


def test_real_bands_have_the_energy_of_complex_ones(tmp_path: Path) -> None:
    """Real bands at Gamma, and complex ones at one k-point there."""
    real = run(tmp_path / "real", "--ranks", 1, projectors="ortho-atomic", mesh="mesh = [1, 1, 1]")
    listed = run(
        tmp_path / "complex", "--ranks", 1, projectors="ortho-atomic", mesh='mesh = [1, 1, 1], path = "GX", points = 2'
    )
    same(real, listed)


@pytest.mark.parametrize(
    ("hubbard", "message"),
    [
        ('C = { shell = "3d", u = "4 eV" }', "holds no shell '3d'; valid: 2s, 2p"),
        ('Ni = { shell = "3d", u = "4 eV" }', "the structure has no such element; valid: Si, C"),
        ('C = { u = "4 eV" }', "[electrons.hubbard.C] lacks 'shell'"),
        ('C = { shell = "2p", u = "4" }', "hubbard.C.u"),
        ('C = { shell = "2p", u = "4 eV", v = 1 }', "unknown key 'v' in [electrons.hubbard.C]; valid: shell, u, j"),
        ('C = { shell = "2p", u = "4 eV", initial_occupations = [1, 1] }', "valid: 3 of each spin"),
        ("C = 5", "not a table"),
        ("C = []", "hubbard.C = []: not a table"),
        ('C = [{ shell = "2p", u = "1 eV" }, { shell = "2p", u = "4" }]', "hubbard.C[1].u"),
        (
            'C = [{ shell = "2p", u = "1 eV" }, { shell = "2p", u = "4 eV" }]',
            "shell 2p of C is there twice; valid: once",
        ),
        ("", "has no element"),
    ],
)
def test_bad_input(hubbard: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=re.escape(message)):
        run(tmp_path / "run", "--ranks", 1, hubbard=hubbard)


def test_a_potential_without_orbitals(tmp_path: Path) -> None:
    gth = {"potentials": {"Si": "gth-pbe"}, "hubbard": 'Si = { shell = "3p", u = "1 eV" }'}
    with pytest.raises(AssertionError, match="holds no orbitals with names; valid: a UPF file"):
        run(tmp_path / "run", "--ranks", 1, **gth)
