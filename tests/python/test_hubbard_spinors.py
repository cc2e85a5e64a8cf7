"""DFT+U of spinors: collinear spin, derivatives, magnetic groups, restarts, what is refused."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result
from feature_inputs import POTENTIALS
from test_hubbard import SMEARING, SPIN, run

IRON_CELL = np.array([[5.4, 0, 0], [0, 5.4, 0], [0, 0, 7.6]])  # bohr


def noncollinear(moment: tuple[float, float, float]) -> str:
    return f'spin = "noncollinear"\ninitial_magnetic_moments = {{ C = {list(moment)} }}\n{SMEARING}'


def iron(folder: Path) -> Path:
    """Return the fully relativistic file of iron."""
    file = folder / "Fe.rel-pz-nc.UPF"
    if not file.exists():
        file.write_bytes(gzip.decompress((POTENTIALS / "spinors/Fe.rel-pz-nc.UPF.gz").read_bytes()))
    return file


def run_iron(
    folder: Path, name: str, *options: object, moments: str = "", width: float = 0.02, **changes: object
) -> dict:
    """Run two atoms of iron with spin-orbit coupling."""
    electrons = f'smearing = {{ kind = "gaussian", width = "{width} Ha" }}\nspin_orbit = true\n' + moments
    arguments = {
        "potentials": {"Fe": iron(folder)},
        "hubbard": 'Fe = { shell = "3d", u = "4 eV" }',
        "ecut": 8.0,
        "basis": "grid = [16, 16, 24]",
        "mesh": "mesh = [1, 1, 1]",
        "bands": 36,
        "electrons": electrons,
        "cell": IRON_CELL,
        "place": np.array([0.52, 0.49, 0.5]),
    }
    return run(folder / name, *options, **arguments | changes)


MOMENTS = 'spin = "noncollinear"\ninitial_magnetic_moments = { Fe = [1.8, 1.0392304845, 1.2] }'


def test_collinear_spin_along_any_axis(tmp_path: Path) -> None:
    """Dudarev's form; the matrices are those of both spins, turned."""
    expected = run(tmp_path / "collinear", "--ranks", 1, electrons=SPIN)
    found = run(tmp_path / "along", "--ranks", 2, electrons=noncollinear((0.48, -0.6, 0.64)), bands=16)
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=1e-9)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]["total"]), abs=1e-6)
    assert np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]["total"]), abs=1e-8)
    both = sorted(sum(expected["hubbard"][0]["eigenvalues"], []))
    assert found["hubbard"][0]["eigenvalues"][0] == pytest.approx(both, abs=1e-6)


@pytest.mark.parametrize("moment", [(0, 0, 1), (1, 0, 0), (0.48, -0.6, 0.64)])
@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
def test_liechtenstein_along_any_axis(projectors: str, moment: tuple[float, float, float], tmp_path: Path) -> None:
    arguments = {"projectors": projectors, "hubbard": 'C = { shell = "2p", u = "4 eV", j = "0.7 eV" }'}
    expected = run(tmp_path / "collinear", "--ranks", 1, electrons=SPIN, **arguments)
    found = run(tmp_path / "along", "--ranks", 1, electrons=noncollinear(moment), bands=16, **arguments)
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=1e-9)
    assert found["energy"]["hubbard"] == pytest.approx(expected["energy"]["hubbard"], abs=1e-7)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]["total"]), abs=1e-6)
    assert np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]["total"]), abs=1e-8)


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
def test_pwx(projectors: str, tmp_path: Path) -> None:
    """Which integrates orbitals to 10 bohr: 3d has 7e-4 electrons more (tests/reference/hubbard)."""
    expected = json.loads((POTENTIALS / "hubbard" / "reference.json").read_text())[f"iron_{projectors}"]
    text = (POTENTIALS / "hubbard" / "iron_nc.toml").read_text()
    text = text.replace('"Fe.rel-pz-nc.UPF"', f'"{iron(tmp_path)}"').replace('"atomic"', f'"{projectors}"')
    (tmp_path / "in.toml").write_text(text)
    answer = program("run", tmp_path / "in.toml", "--ranks", 1, "--output", tmp_path, "--quiet")
    assert answer.returncode == 0, answer.stderr
    found = read_result(tmp_path)
    assert found["energy"]["free"] == pytest.approx(expected["energy"], abs=2e-5)
    assert found["energy"]["hubbard"] == pytest.approx(expected["hubbard"], abs=3e-5)
    assert sum(found["hubbard"][0]["eigenvalues"][0]) == pytest.approx(expected["electrons"], abs=2e-3)


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
def test_forces_and_stress_are_derivatives(projectors: str, tmp_path: Path) -> None:
    """With spin-orbit coupling, U and J, and a smearing with which it converges to all digits."""
    arguments = {"projectors": projectors, "hubbard": 'Fe = { shell = "3d", u = "4 eV", j = "0.8 eV" }'}
    arguments |= {"xc": "LDA-PW", "width": 0.06, "scf": "mixing = { beta = 0.3 }\nmax_steps = 200"}
    at = run_iron(tmp_path, "at", "--ranks", 1, moments=MOMENTS, **arguments)
    step = 0.004 * np.array([1.0, -0.5, 0.7])

    def slope(name: str, changes: Callable[[float], dict]) -> float:
        """Return a derivative of fourth order."""

        def energy(n: int) -> float:
            restart = ("--ranks", 1, "--restart", tmp_path / "at/checkpoint.h5")
            return run_iron(tmp_path, f"{name}{n}", *restart, moments=MOMENTS, **arguments | changes(n))["energy"][
                "free"
            ]

        once, twice = (energy(n) - energy(-n) for n in (1, 2))
        return (8 * once - twice) / 12

    forces, size = np.array(at["forces"]["total"]), np.linalg.norm(step)
    along = (forces[0] - forces[1]) @ step / 2
    error = at["forces"]["error_estimate"]  # of a density that is converged to the root of the energy's error
    assert error < 3e-6
    assert along / size == pytest.approx(slope("shift", lambda n: {"shift": n * step}) / size, abs=error)

    def scaled(n: float) -> dict:  # at fixed plane waves
        scale = 1 + 1e-3 * n
        return {"cell": scale * IRON_CELL, "ecut": 8.0 * (1 + 1e-12) / scale**2}

    pressure = slope("scaled", scaled) / 1e-3 / np.linalg.det(IRON_CELL)
    assert np.trace(at["stress"]["total"]) == pytest.approx(pressure, abs=1e-7)


def alike(found: dict, expected: dict) -> None:
    """Densities of metals on few k-points converge slowly, and energies to the square of their errors."""
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=5e-9)
    matrices = (np.array(of["hubbard"][0]["matrices"]) for of in (found, expected))
    assert next(matrices) == pytest.approx(next(matrices), abs=5e-4)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]["total"]), abs=1e-5)
    assert np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]["total"]), abs=2e-7)


@pytest.mark.parametrize("moments", ["{ Fe = [2, 0, 0] }", "{ Fe = [0, 0, 2] }", "[[0, 0, 2.4], [0, 0, -2.4]]"])
def test_magnetic_groups_and_restarts_change_nothing(moments: str, tmp_path: Path) -> None:
    arguments = {"moments": f'spin = "noncollinear"\ninitial_magnetic_moments = {moments}'}
    arguments |= {"mesh": "mesh = [2, 2, 1]", "place": np.array([0.5, 0.5, 0.5])}
    arguments |= {"scf": "mixing = { beta = 0.3 }\nmax_steps = 200"}
    found, expected = (
        run_iron(tmp_path, use, "--ranks", 2, **arguments, end=f"[symmetry]\nuse = {use}") for use in ("true", "false")
    )
    alike(found, expected)
    assert np.abs(found["hubbard"][0]["matrices"][1]).max() > 1e-3  # of spin-orbit coupling
    restart = ("--ranks", 1, "--restart", tmp_path / "true/checkpoint.h5")
    again = run_iron(tmp_path, "again", *restart, **arguments, end="[symmetry]\nuse = true")
    assert again["scf_steps"] <= 3
    assert again["restart"]["matrices"] == "taken"
    alike(again, found)


def test_without_moments_they_are_bands_of_one_component(tmp_path: Path) -> None:
    """Of symmetry with time reversal; an operation is there with and without it."""
    at = {"place": np.array([0.23, 0.23, 0.23]), "projectors": "ortho-atomic", "ecut": 6.0}
    expected = run(tmp_path / "one", "--ranks", 1, **at)
    found = run(
        tmp_path / "two",
        "--ranks",
        2,
        electrons='spin = "noncollinear"\ninitial_magnetic_moments = { C = 0 }',
        **at | {"bands": 16},
    )
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=1e-9)
    assert len(found["kpoints"]) == len(expected["kpoints"])
    assert np.abs(found["hubbard"][0]["matrices"][1:]).max() < 1e-9
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]["total"]), abs=1e-6)
    assert np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]["total"]), abs=1e-8)


def run_platinum(folder: Path, *options: object, **changes: object) -> dict:
    """Run one atom of platinum with spin-orbit coupling and U on 5d, without moments."""
    file = folder.parent / "Pt.rel-pz-nc.UPF"
    file.write_bytes(gzip.decompress((POTENTIALS / "spinors/Pt.rel-pz-nc.UPF.gz").read_bytes()))
    at = {"potentials": {"Pt": file}, "hubbard": 'Pt = { shell = "5d", u = "3 eV" }', "mesh": "mesh = [2, 2, 2]"}
    at |= {"cell": np.array([[0, 3.7, 3.7], [3.7, 0, 3.7], [3.7, 3.7, 0]]), "place": None, "bands": 20, "ecut": 15.0}
    at |= {"basis": "grid = [24, 24, 24]", "electrons": f"spin_orbit = true\n{SMEARING}"}
    return run(folder, *options, **at | changes)


def test_without_moments_symmetry_changes_nothing(tmp_path: Path) -> None:
    at = {"projectors": "ortho-atomic", "ecut": 10.0, "basis": "grid = [20, 20, 20]"}
    found, expected = (
        run_platinum(tmp_path / use, "--ranks", 2, **at, end=f"[symmetry]\nuse = {use}") for use in ("true", "false")
    )
    alike(found, expected)
    assert np.abs(found["hubbard"][0]["matrices"][1]).max() > 1e-2  # of spin-orbit coupling
    assert found["magnetisation"]["absolute"] < 1e-9


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
def test_pwx_without_moments(projectors: str, tmp_path: Path) -> None:
    """Which has another radial mesh, and ends orbitals at 10 bohr."""
    expected = json.loads((POTENTIALS / "hubbard" / "reference.json").read_text())["pt"][projectors]
    found = run_platinum(tmp_path / "run", "--ranks", 1, projectors=projectors)
    near = {"ortho-atomic": (4e-5, 2e-3), "atomic": (5e-4, 1e-2)}[projectors]
    assert found["energy"]["free"] == pytest.approx(expected["energy"], abs=near[0])
    assert found["energy"]["hubbard"] == pytest.approx(expected["hubbard"], abs=near[0])
    assert sum(found["hubbard"][0]["eigenvalues"][0]) == pytest.approx(expected["electrons"], abs=near[1])
