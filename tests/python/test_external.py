"""Potentials and fields from outside: forces against differences of the energy, dipole correction, refused input."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from ase import Atoms
from ase.io import write
from conftest import program, read_result

import wavegrid
from wavegrid.units import BOHR_IN_ANGSTROM

BASES = {
    "planewaves": 'ecut = "12 Ha"\ngrid = [{across}, {across}, {along}]',
    "realspace": 'method = "realspace"\nspacing = "0.5 bohr"',
}
SPIN = """\
spin = "collinear"
initial_magnetic_moments = { Al = 0.5 }
kpoints = { mesh = [2, 1, 1] }
smearing = { kind = "gaussian", width = "0.01 Ha" }
"""


def inputs(external: str, *, h: float = 10.0, length: float = 21.0, basis: str = "planewaves", more: str = "") -> str:
    """Return the input of an AlH molecule along z, with H at a height (bohr)."""
    return f"""
[structure]
cell = [[8, 0, 0], [0, 8, 0], [0, 0, {length}]]
unit = "bohr"
atoms = [["Al", 4, 4, 6.9], ["H", 4, 4, {h}]]
coordinates = "cartesian"
[basis]
{BASES[basis].format(across=27, along=round(length / 8 * 27) + 1)}
[external]
{external}
[scf]
energy_tolerance = "1e-10 Ha"
[output]
forces = true
checkpoint = false
[electrons]
xc = "PBE"
pseudopotentials = "gth-pbe"
{more}"""


def run(folder: Path, text: str, *options: object) -> dict:
    """Run an input and return its result."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "in.toml").write_text(text)
    outcome = program("run", folder / "in.toml", "--output", folder / "out", "--ranks", 1, *options)
    assert outcome.returncode == 0, outcome.stderr
    return read_result(folder / "out")


FIELD = 'axis = 3\nfield = "0.01 Ha/bohr"\ndipole_correction = true'


@pytest.mark.parametrize(
    ("basis", "more", "within"), [("planewaves", "", 2e-5), ("planewaves", SPIN, 2e-5), ("realspace", "", 4e-4)]
)
def test_forces_are_derivatives(basis: str, more: str, within: float, tmp_path: Path) -> None:
    """Of both atoms together: the sum of the differences is the net force, which is taken off."""
    kept = inputs(FIELD, basis=basis, more=more).replace("checkpoint = false", "checkpoint = true")
    found = run(tmp_path / "at", kept)
    step, start = 0.02, ("--restart", tmp_path / "at/out/checkpoint.h5")
    free = [
        run(tmp_path / name, inputs(FIELD, h=10 + move, basis=basis, more=more), *start)["energy"]["free"]
        for name, move in (("up", step), ("down", -step))
    ]
    slope = -(free[0] - free[1]) / (2 * step)
    assert found["forces"]["total"][1][2] + found["forces"]["net"][2] / 2 == pytest.approx(slope, abs=within)
    assert found["energy"]["external"] < -1e-3
    valences = np.array(found["forces"]["terms"]["external"])[:, 2]
    assert valences[0] / valences[1] == pytest.approx(3)


def test_the_energy_does_not_depend_on_the_vacuum(tmp_path: Path) -> None:
    """With the dipole correction; without it the images add to the field."""
    gains = []
    for length in (24.0, 32.0):
        on, off = (
            run(tmp_path / f"{length}{name}", inputs(text, length=length))["energy"]["free"]
            for name, text in (("on", FIELD), ("off", FIELD.replace("0.01", "0")))
        )
        gains.append(on - off)
    assert gains[0] == pytest.approx(gains[1], rel=0.01)


def cube(path: Path, shape: tuple[int, int, int], length: float = 21.0) -> np.ndarray:
    """Write a potential along z."""
    places = np.arange(shape[2]) / shape[2]
    values = np.broadcast_to(0.01 * np.cos(2 * np.pi * (places - 0.3)), shape).copy()
    cell = np.array([8, 8, length]) * BOHR_IN_ANGSTROM
    write(path, Atoms("AlH", positions=[[1, 1, 1], [1, 1, 2]], cell=cell, pbc=True), data=values)
    return values


def test_a_potential_of_a_file(tmp_path: Path) -> None:
    """Forces are derivatives: the potential acts on the electrons alone."""
    cube(tmp_path / "v.cube", (27, 27, 72))
    given = f'potential = "{tmp_path}/v.cube"'
    found = run(tmp_path / "at", inputs(given))
    free = [
        run(tmp_path / name, inputs(given, h=10 + move))["energy"]["free"]
        for name, move in (("up", 0.02), ("down", -0.02))
    ]
    slope = -(free[0] - free[1]) / 0.04
    assert found["forces"]["total"][1][2] == pytest.approx(slope, abs=2e-5)
    assert found["energy"]["external"] > 1e-3
    assert "external" not in found["forces"]["terms"]


@pytest.mark.parametrize(("basis", "shape"), [("planewaves", (27, 27, 72)), ("realspace", (16, 16, 42))])
def test_a_potential_of_a_file_moves_all_atoms(basis: str, shape: tuple[int, int, int], tmp_path: Path) -> None:
    """The net force is that of the potential: the energy changes where all atoms move together.

    They move by one spacing of the mesh, so that their places between its points do not matter.
    """
    cube(tmp_path / "v.cube", shape)
    given = inputs(f'potential = "{tmp_path}/v.cube"', basis=basis)
    found = run(tmp_path / "at", given)
    places = [given.replace("6.9", f"{6.9 + move}").replace("10.0", f"{10.0 + move}") for move in (0.25, -0.25)]
    free = [run(tmp_path / f"at{i}", text)["energy"]["free"] for i, text in enumerate(places)]
    together = sum(force[2] for force in found["forces"]["total"])
    assert together == pytest.approx(-(free[0] - free[1]) / 0.5, abs=1e-4)
    assert abs(together) > 1e-3
    error = np.linalg.norm(found["forces"]["net"])
    assert error < 1e-4 if basis == "planewaves" else error > 5e-4


def test_a_restart_in_another_field(tmp_path: Path) -> None:
    """Is noted, and gives the result of that field; the same field is not noted."""
    text = inputs(FIELD, more=SPIN).replace("checkpoint = false", "checkpoint = true")
    other = text.replace("0.01 Ha/bohr", "0.012 Ha/bohr").replace("forces = true", "forces = false")
    run(tmp_path / "at", text)
    restart = ("--restart", tmp_path / "at" / "out" / "checkpoint.h5")
    same, found = (run(tmp_path / name, each, *restart) for name, each in (("same", text), ("other", other)))
    assert not any("the external field" in note for note in same["notes"])
    assert any(note.endswith("the external field") for note in found["notes"])
    assert found["energy"]["free"] == pytest.approx(run(tmp_path / "fresh", other)["energy"]["free"], abs=1e-8)


def test_a_potential_lies_with_the_input(tmp_path: Path) -> None:
    """A relative path is that from the input file, as for all files of an input."""
    (tmp_path / "below").mkdir()
    cube(tmp_path / "below/v.cube", (27, 27, 72))
    (tmp_path / "below/in.toml").write_text(inputs('potential = "v.cube"'))
    outcome = program("check", "below/in.toml", cwd=tmp_path)
    assert outcome.returncode == 0, outcome.stderr


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_session_has_the_field(tmp_path: Path) -> None:
    """Energy and forces are those of a run, also of a second geometry; there is no stress."""
    tables = tomllib.loads(inputs(FIELD))
    with wavegrid.Session(**{name: tables[name] for name in ("basis", "electrons", "external", "scf")}) as session:
        for h in (10.1, 10.0):
            places = np.array([[4, 4, 6.9], [4, 4, h]]) * BOHR_IN_ANGSTROM
            atoms = Atoms("AlH", places, cell=np.array([8, 8, 21]) * BOHR_IN_ANGSTROM, pbc=True)
            found = session.solve(atoms)
    expected = run(tmp_path / "run", inputs(FIELD))
    assert found.energy.external == pytest.approx(expected["energy"]["external"], abs=1e-6)
    assert found.energy.free == pytest.approx(expected["energy"]["free"], abs=1e-8)
    assert np.array(found.forces.total) == pytest.approx(np.array(expected["forces"]["total"]), abs=1e-5)
    assert found.stress is None


def test_no_field_over_a_socket(tmp_path: Path) -> None:
    """Instead of forces without it."""
    (tmp_path / "in.toml").write_text(inputs(FIELD).replace("[output]\nforces = true\ncheckpoint = false\n", ""))
    outcome = program("run", tmp_path / "in.toml", "--socket", "nobody")
    assert outcome.returncode == 2
    assert "[external] with --socket" in outcome.stderr


@pytest.mark.parametrize(
    ("external", "change", "message"),
    [
        ('field = "0.01 Ha/bohr"', {}, "field without axis"),
        (FIELD, {"length": 12.0}, "widest gap between atoms has 8.9 bohr"),
        (FIELD, {"more": "charge = 2"}, "a cell with the charge 2"),
        (FIELD, {"more": "[symmetry]\nuse = true"}, "use = true with [external]"),
        ('potential = "none.cube"', {}, "no such file"),
        ('axis = 3\nfield = "1 eV"', {}, "unknown unit"),
    ],
)
def test_refuses_by_name(external: str, change: dict, message: str, tmp_path: Path) -> None:
    """With the line of the section or key."""
    (tmp_path / "in.toml").write_text(inputs(external, **change))
    outcome = program("check", tmp_path / "in.toml")
    assert outcome.returncode == 2
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[8, 0, 0]", "[[8, 0, 1]", "not orthogonal to vector 1"),
        ("forces = true", "forces = true\nstress = true", "stress of a cell in a field"),
        ('ecut = "12 Ha"', BASES["realspace"] + '\nboundary = "free"\nregion = { kind = "spheres", radius = "5 bohr" }',
         "external"),
    ],
)  # fmt: skip
def test_refuses_what_does_not_fit(old: str, new: str, message: str, tmp_path: Path) -> None:
    """Of the cell, the results and the boundary."""
    text = inputs(FIELD).replace(old, new)
    if "free" in new:
        text = text.replace("grid = [27, 27, 72]\n", "")
    (tmp_path / "in.toml").write_text(text)
    outcome = program("check", tmp_path / "in.toml")
    assert outcome.returncode == 2
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("shape", "length", "message"), [((27, 27, 70), 21.0, "27 x 27 x 70 points"), ((27, 27, 72), 22.0, "another cell")]
)
def test_refuses_a_cube_of_another_grid(shape: tuple, length: float, message: str, tmp_path: Path) -> None:
    """Or of another cell."""
    cube(tmp_path / "v.cube", shape, length)
    (tmp_path / "in.toml").write_text(inputs(f'potential = "{tmp_path}/v.cube"'))
    outcome = program("check", tmp_path / "in.toml")
    assert outcome.returncode == 2
    assert message in outcome.stderr
