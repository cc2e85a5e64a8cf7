"""DFT+U on meshes: against plane waves, derivatives, layouts, symmetry, restarts."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result
from feature_inputs import POTENTIALS

SI = POTENTIALS / "projections/Si.UPF"
SPIN = 'spin = "collinear"\ninitial_magnetic_moments = { Si = 1 }\nsmearing = { kind = "gaussian", width = "0.02 Ha" }'
MESH = 'method = "realspace"\nspacing = "0.5 bohr"\norder = 8'
CELL = ((0.1, 5.1, 5.2), (5.0, 0.2, 5.1), (5.3, 5.1, 0.0))
PLACE = (0.26, 0.23, 0.27)


def run(
    folder: Path,
    *options: object,
    basis: str = MESH,
    xc: str = "LDA-PW",
    projectors: str = "ortho-atomic",
    u: str = "3 eV",
    j: str = "",
    cell: object = CELL,
    places: object = ((0, 0, 0), PLACE),
    coordinates: str = "fractional",
    kpoints: str = "kpoints = { mesh = [2, 1, 1] }",
    electrons: str = "",
    bands: int = 10,
    tolerance: str = "1e-11 Ha",
    scf: str = "",
    end: str = "stress = true",
) -> dict:
    """Run two atoms of silicon with U on 3p; return result.json."""
    folder.mkdir()
    (folder / "in.toml").write_text(
        f"""[structure]
cell = {json.dumps(cell)}
unit = "bohr"
coordinates = "{coordinates}"
atoms = {json.dumps([["Si", *map(float, place)] for place in places])}
[basis]
{basis}
[electrons]
xc = "{xc}"
pseudopotentials = {{ Si = "{SI}" }}
bands = {bands}
{kpoints}
{electrons}
[electrons.hubbard]
projectors = "{projectors}"
Si = {{ shell = "3p", u = "{u}"{j} }}
[scf]
energy_tolerance = "{tolerance}"
{scf}
[output]
forces = true
checkpoint = true
{end}
"""
    )
    answer = program("run", folder / "in.toml", "--output", folder, "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder)


def matrices(result: dict) -> np.ndarray:
    """Return the occupation matrices (shells, spins, rows, columns)."""
    return np.array([shell["matrices"] for shell in result["hubbard"]])


def forces(result: dict) -> np.ndarray:
    """Return the forces (atoms, 3), Ha/bohr."""
    return np.array(result["forces"]["total"])


def same(found: dict, expected: dict, energy: float = 1e-9) -> None:
    """Energies to 1e-9 Ha; the rest to the root of the error of the density."""
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=energy)
    assert matrices(found) == pytest.approx(matrices(expected), abs=2e-5)
    assert forces(found) == pytest.approx(forces(expected), abs=1e-5)
    if "stress" in expected:
        assert np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]["total"]), abs=2e-7)


@pytest.mark.parametrize("projectors", ["ortho-atomic", "atomic"])
@pytest.mark.parametrize(("spacing", "ecut", "error"), [(0.5, 12, 20), (0.33, 20, 1)])
def test_plane_waves(spacing: float, ecut: float, error: float, projectors: str, tmp_path: Path) -> None:
    basis = MESH.replace("0.5", repr(spacing))
    mesh = run(tmp_path / "mesh", "--ranks", 1, projectors=projectors, basis=basis)
    waves = run(tmp_path / "waves", "--ranks", 1, projectors=projectors, basis=f'ecut = "{ecut} Ha"')
    assert mesh["energy"]["free"] == pytest.approx(
        waves["energy"]["free"], abs=2e-3 if error > 1 else 2e-4
    )  # of the cutoff
    assert mesh["energy"]["hubbard"] == pytest.approx(waves["energy"]["hubbard"], abs=2e-6 * error)
    assert matrices(mesh) == pytest.approx(matrices(waves), abs=3e-5 * error)
    assert forces(mesh) == pytest.approx(forces(waves), abs=2e-5 * error)
    assert np.array(mesh["stress"]["total"]) == pytest.approx(np.array(waves["stress"]["total"]), abs=2e-6 * error)


def test_exact_exchange_and_u_are_those_of_plane_waves(tmp_path: Path) -> None:
    at = {"xc": "PBE0", "kpoints": "", "tolerance": "1e-9 Ha", "end": "", "bands": 8}
    mesh = run(tmp_path / "mesh", "--ranks", 2, basis=MESH.replace("0.5", "0.33"), **at)
    waves = run(tmp_path / "waves", "--ranks", 2, basis='ecut = "20 Ha"', **at)
    assert mesh["energy"]["free"] == pytest.approx(waves["energy"]["free"], abs=2e-4)
    assert mesh["energy"]["exchange"] == pytest.approx(waves["energy"]["exchange"], abs=2e-5)
    assert mesh["energy"]["hubbard"] == pytest.approx(waves["energy"]["hubbard"], abs=2e-6)
    assert forces(mesh) == pytest.approx(forces(waves), abs=3e-5)


@pytest.mark.parametrize("projectors", ["atomic", "ortho-atomic"])
def test_forces_and_stress_are_derivatives(projectors: str, tmp_path: Path) -> None:
    """Of the energy with U and J, less those without them, in which the mesh has its own error.

    It moves with the cell, and what it does not resolve is in the differences.
    """
    arguments = {"projectors": projectors, "basis": MESH.replace("0.5", "0.4")}
    cell, step = np.array(CELL), 0.02 * np.array([1.0, -0.5, 0.7])
    size = np.linalg.norm(step)

    def shifted(n: int) -> dict:
        half = n * step @ np.linalg.inv(cell) / 2
        return {"places": ((-half).tolist(), (np.array(PLACE) + half).tolist())}

    def scaled(n: int) -> dict:  # with as many points
        scale = 1 + 2e-3 * n
        return {"cell": (scale * cell).tolist(), "basis": MESH.replace("0.5", repr(0.4 * scale))}

    def errors(u: str, j: str) -> tuple[float, float]:
        """Return those of a force and of the trace of the stress."""
        folder = tmp_path / ("zero" if u == "0 eV" else "u")
        folder.mkdir()
        at = run(folder / "at", "--ranks", 1, u=u, j=j, **arguments)

        def slope(name: str, changes: Callable[[int], dict]) -> float:
            """Return a derivative of fourth order."""

            def energy(n: int) -> float:
                return run(folder / f"{name}{n}", "--ranks", 1, u=u, j=j, **arguments | changes(n))["energy"]["free"]

            once, twice = (energy(n) - energy(-n) for n in (1, 2))
            return (8 * once - twice) / 12

        along = (forces(at)[0] - forces(at)[1]) @ step / 2
        pressure = slope("scaled", scaled) / 2e-3 / abs(np.linalg.det(cell))
        return (along - slope("shift", shifted)) / size, np.trace(at["stress"]["total"]) - pressure

    with_u, without = errors("3 eV", ', j = "0.5 eV"'), errors("0 eV", "")
    assert with_u[0] == pytest.approx(without[0], abs=1e-6)
    assert with_u[1] == pytest.approx(without[1], abs=1e-7)
    assert abs(without[0]) < 3e-5


IRON = """[structure]
cell = [[5.4, 0, 0], [0, 5.4, 0], [0, 0, 5.4]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Fe", 0, 0, 0], ["Fe", 0.52, 0.49, 0.5]]
[basis]
{basis}
[electrons]
xc = "LDA-PW"
pseudopotentials = {{ Fe = "Fe.pz-nc.UPF" }}
bands = 24
kpoints = {{ mesh = [2, 1, 1] }}
spin = "collinear"
initial_magnetic_moments = {{ Fe = 3 }}
smearing = {{ kind = "gaussian", width = "0.03 Ha" }}
[electrons.hubbard]
projectors = "{projectors}"
Fe = {{ shell = "3d", u = "4 eV" }}
[scf]
energy_tolerance = "1e-7 Ha"
[output]
forces = true
"""


@pytest.mark.parametrize("projectors", ["ortho-atomic", "atomic"])
def test_a_shell_of_d_electrons(projectors: str, tmp_path: Path) -> None:
    """A soft potential of iron; at 0.3 bohr the mesh is 5e-4 Ha away."""
    packed = (POTENTIALS / "hubbard/Fe.pz-nc.UPF.gz").read_bytes()
    (tmp_path / "Fe.pz-nc.UPF").write_bytes(gzip.decompress(packed))
    found = []
    for name, basis in (("mesh", MESH.replace("0.5", "0.3")), ("waves", 'ecut = "45 Ha"')):
        (tmp_path / f"{name}.toml").write_text(IRON.format(basis=basis, projectors=projectors))
        answer = program("run", tmp_path / f"{name}.toml", "--ranks", 2, "--output", tmp_path / name, "--quiet")
        assert answer.returncode == 0, answer.stderr
        found.append(read_result(tmp_path / name))
    mesh, waves = found
    assert mesh["energy"]["free"] == pytest.approx(waves["energy"]["free"], abs=1.5e-3)
    assert mesh["energy"]["hubbard"] == pytest.approx(waves["energy"]["hubbard"], abs=1e-4)  # of the loops' ends
    electrons = [np.array(one["hubbard"][0]["eigenvalues"]).sum(axis=1) for one in found]
    assert electrons[0] == pytest.approx(electrons[1], abs=2e-3)
    assert forces(mesh) == pytest.approx(forces(waves), abs=1e-3)


MOLECULE = {
    "cell": [[14, 0, 0], [0, 13, 0], [0, 0, 16]],
    "coordinates": "cartesian",
    "kpoints": "",
    "places": ((7, 6.5, 5.9), (7.2, 6.5, 10.1)),
    "basis": f'{MESH}\nboundary = "free"',
    "end": "",
}


@pytest.mark.parametrize("boundary", ["free", "periodic"])
def test_layouts_and_restarts(boundary: str, tmp_path: Path) -> None:
    """A molecule, and a crystal with k-points; with spin."""
    arguments: dict = {"electrons": SPIN}
    groups = ["band_groups = 2"] if boundary == "free" else ["kpoint_groups = 2", "band_groups = 2"]
    if boundary == "free":
        arguments |= MOLECULE
    one = run(tmp_path / "one", "--ranks", 1, **arguments)
    for group in groups:
        end = f"{arguments.get('end', 'stress = true')}\n[parallel]\n{group}"
        same(run(tmp_path / group.split()[0], "--ranks", 2, **arguments | {"end": end}), one)
    again = run(tmp_path / "again", "--ranks", 3, "--restart", tmp_path / "one/checkpoint.h5", **arguments)
    assert again["scf_steps"] <= 3
    assert again["restart"]["matrices"] == "taken"
    same(again, one)


def test_symmetry_changes_nothing(tmp_path: Path) -> None:
    cell = [[0, 5.2, 5.2], [5.2, 0, 5.2], [5.2, 5.2, 0]]
    arguments = {"cell": cell, "places": ((0, 0, 0), (0.23, 0.23, 0.23)), "kpoints": "kpoints = { mesh = [2, 2, 2] }"}
    found, expected = (
        run(tmp_path / use, "--ranks", 2, **arguments, end=f"stress = true\n[symmetry]\nuse = {use}")
        for use in ("true", "false")
    )
    same(found, expected)


def test_spinors_are_collinear_spin_along_any_axis(tmp_path: Path) -> None:
    """A mode of the molecule is slow: energies are those of its loop's tolerance, occupations of their root."""
    arguments = {"electrons": SPIN.replace("0.02 Ha", "0.04 Ha"), "tolerance": "1e-9 Ha", "scf": "max_steps = 150"}
    collinear = run(tmp_path / "collinear", "--ranks", 1, **MOLECULE | arguments)
    arguments["electrons"] = arguments["electrons"].replace("collinear", "noncollinear")
    arguments["electrons"] = arguments["electrons"].replace("Si = 1", "Si = [0.48, -0.6, 0.64]")
    along = run(tmp_path / "along", "--ranks", 1, bands=20, **MOLECULE | arguments)
    assert collinear["magnetisation"]["total"] > 1
    same({**along, "hubbard": collinear["hubbard"]}, collinear, 1e-8)
    both = sorted(sum(collinear["hubbard"][0]["eigenvalues"], []))
    assert along["hubbard"][0]["eigenvalues"][0] == pytest.approx(both, abs=2e-3)
