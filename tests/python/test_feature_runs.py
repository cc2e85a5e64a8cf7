"""Small calculations of capabilities together that no other test has (tests/features.toml)."""

import tomllib
from pathlib import Path

import combined_inputs
import numpy as np
import pytest
from ase import Atoms
from conftest import program, read_result
from feature_inputs import POTENTIALS

import wavegrid
from wavegrid.api.parameters import TABLES
from wavegrid.ase import WaveGrid
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

BOUNDARIES = {
    "mesh": '"periodic"',
    "mesh, partly free": '["periodic", "periodic", "free"]',
    "mesh, free": '"free"',
}
HYDROGEN = """\
[structure]
cell = [[6, 0, 0], [0, 6, 0], [0, 0, 8]]
unit = "bohr"
atoms = [["H", 2.9, 3, 3.2], ["H", 3, 3.1, 4.8]]
coordinates = "cartesian"
[basis]
method = "realspace"
spacing = "0.5 bohr"
order = 8
boundary = {boundary}
[electrons]
{electrons}
[scf]
energy_tolerance = "1e-10 Ha"
{scf}
[output]
forces = true
[parallel]
{parallel}
"""
LDA = 'xc = "LDA-PZ"\npseudopotentials = "gth-lda"\n'
PBE = 'xc = "PBE"\npseudopotentials = "gth-pbe"\n'
KPOINTS = "kpoints = { mesh = [2, 1, 1] }\n"


def text(kind: str, electrons: str = LDA, scf: str = "", parallel: str = "", end: str = "") -> str:
    """Return the input of a hydrogen molecule on a kind of mesh."""
    return HYDROGEN.format(boundary=BOUNDARIES[kind], electrons=electrons, scf=scf, parallel=parallel) + end


def run(folder: Path, content: str, *options: object, ranks: int = 1) -> dict:
    """Run an input in a new folder and return its result.json."""
    folder.mkdir()
    (folder / "in.toml").write_text(content)
    answer = program("run", folder / "in.toml", "--ranks", ranks, "--output", folder / "out", "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def check_same(found: dict, expected: dict) -> None:
    """Compare energies, and forces, whose error is the root of the energy's."""
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=1e-8)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]["total"]), abs=2e-5)


@pytest.fixture(scope="module", params=BOUNDARIES)
def solved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Path, dict]:
    """Return the kind of mesh, its electrons, and folder and result of a run with the default settings."""
    electrons = LDA + ("" if request.param == "mesh, free" else KPOINTS)
    folder = tmp_path_factory.mktemp("solved") / "run"
    return request.param, electrons, folder, run(folder, text(request.param, electrons))


@pytest.mark.parametrize(
    "scf", ['method = "direct"', *(f'eigensolver = "{name}"' for name in ("lobpcg", "rmm-diis", "davidson"))]
)
def test_every_solver_gives_the_same(solved: tuple[str, str, Path, dict], scf: str, tmp_path: Path) -> None:
    kind, electrons, _, expected = solved
    bands = "" if "direct" in scf else "bands = 3\n"
    check_same(run(tmp_path / "run", text(kind, electrons + bands, scf=scf)), expected)


@pytest.mark.parametrize("parallel", ["band_groups = 2", 'overlap = "polling"', 'partition = "block"'])
def test_every_layout_gives_the_same(solved: tuple[str, str, Path, dict], parallel: str, tmp_path: Path) -> None:
    kind, electrons, _, expected = solved
    check_same(run(tmp_path / "run", text(kind, electrons + "bands = 2\n", parallel=parallel), ranks=2), expected)


def test_a_checkpoint_continues_on_other_ranks(solved: tuple[str, str, Path, dict], tmp_path: Path) -> None:
    kind, electrons, folder, expected = solved
    again = run(tmp_path / "run", text(kind, electrons), "--restart", folder / "out/checkpoint.h5", ranks=3)
    assert again["scf_steps"] <= 3
    check_same(again, expected)


def smearing(kind: str) -> str:
    """Return the key of a distribution."""
    return f'smearing = {{ kind = "{kind}", width = "0.05 Ha" }}\n'


SPIN = 'spin = "collinear"\ninitial_magnetic_moments = { H = 0.6 }\n'
H_FILE = f'pseudopotentials = {{ H = "{POTENTIALS / "pseudopotentials/H.psp8"}" }}\n'
DERIVATIVES = {
    "periodic-cold-psp8": ("mesh", 'xc = "LDA-PZ"\n' + H_FILE + KPOINTS + smearing("cold")),
    "periodic-charge": ("mesh", PBE + SPIN + "charge = 1\n" + smearing("gaussian")),
    "periodic-methfessel-paxton": ("mesh", PBE + KPOINTS + smearing("methfessel-paxton")),
    "layer-spin": ("mesh, partly free", PBE + KPOINTS + SPIN + smearing("fermi-dirac")),
    "layer-meta-psp8": ("mesh, partly free", 'xc = "R2SCAN"\n' + H_FILE + KPOINTS),
    "layer-moment": ("mesh, partly free", PBE + SPIN + "total_magnetisation = 2\n"),
    "free-meta-psp8": ("mesh, free", 'xc = "R2SCAN"\n' + H_FILE),
    "free-moment": ("mesh, free", PBE + SPIN + "total_magnetisation = 2\n"),
    "free-cold": ("mesh, free", PBE + smearing("cold")),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_forces_are_derivatives(name: str, tmp_path: Path) -> None:
    """Of both atoms, moved against each other."""
    kind, electrons = DERIVATIVES[name]
    at = text(kind, electrons).replace("0.5 bohr", "0.4 bohr")
    force = run(tmp_path / "at", at)["forces"]["total"][1][2]
    step = 0.02
    free = []
    near = at.replace("forces = true", "checkpoint = false")
    start = ("--restart", tmp_path / "at/out/checkpoint.h5")
    for side in (-1, 1):
        moved = near.replace("3.2]", f"{3.2 - side * step / 2:.3f}]").replace("4.8]", f"{4.8 + side * step / 2:.3f}]")
        free.append(run(tmp_path / str(side), moved, *start)["energy"]["free"])
    assert force == pytest.approx(-(free[1] - free[0]) / (2 * step), abs=5e-4)


HERE = "tests/python/test_feature_runs.py"
LISTED = tomllib.loads((Path(__file__).parents[1] / "features.toml").read_text())
PROGRAMS = LISTED[f"{HERE}::test_programs_get_the_same"]
COMBINED = LISTED[f"{HERE}::test_what_must_change_nothing_changes_nothing"]


def run_combined(folder: Path, content: str, ranks: int, *options: object) -> dict:
    """Run an input with the potential of a file. A relaxation may end before its end: it has few steps."""
    folder.mkdir()
    combined_inputs.write_cube(folder)
    (folder / "in.toml").write_text(content)
    answer = program("run", folder / "in.toml", "--ranks", ranks, "--output", folder / "out", "--quiet", *options)
    assert answer.returncode == 0 or answer.stderr.startswith("not relaxed in "), answer.stderr
    return read_result(folder / "out")


@pytest.mark.parametrize("names", COMBINED, ids=lambda names: f"{names[0]}, {names[1]}, {names[3]}")
def test_what_must_change_nothing_changes_nothing(names: list[str], tmp_path: Path) -> None:
    """Solver, arithmetic, layout and restart at once, against a run on one rank without them.

    Energies of different solvers agree to the error of their densities, forces and stress to its root.
    """
    plain = [name for name in names if not combined_inputs.changes_nothing(name)]
    expected = run_combined(tmp_path / "plain", combined_inputs.text(plain), 1)
    restart: list[object] = []
    if set(combined_inputs.RESTARTS) & set(names):
        run_combined(tmp_path / "first", combined_inputs.first_text(names), 1)
        restart = ["--restart", tmp_path / "first/out/checkpoint.h5"]
    ranks = combined_inputs.num_ranks(names)
    found = run_combined(tmp_path / "run", combined_inputs.text(names), ranks, *restart)
    assert found["parallel"]["ranks"] == ranks
    assert not restart or "restart" in found or "relaxation" in found  # of whose last geometry the result is
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=1e-6)
    for name, within in (("forces", 1e-4), ("stress", 2e-6)):
        if name in names:
            assert np.array(found[name]["total"]) == pytest.approx(np.array(expected[name]["total"]), abs=within), name
    if "bands" in names:
        pairs = zip(found["bands"]["eigenvalues"], expected["bands"]["eigenvalues"], strict=True)
        assert all(np.array(ours)[:, 0] == pytest.approx(np.array(theirs)[:, 0], abs=1e-4) for ours, theirs in pairs)
    if "relaxation" in expected:
        ours, theirs = (len(result["relaxation"]["geometries"]) for result in (found, expected))
        assert ours == theirs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("names", PROGRAMS, ids=lambda names: f"{names[0]}, {names[-1]}")
def test_programs_get_the_same(names: list[str], tmp_path: Path) -> None:
    """A session and ASE's calculator, with another solver and layout, against a run on one rank."""
    plain = [name for name in names if not combined_inputs.changes_nothing(name)]
    expected = run_combined(tmp_path / "plain", combined_inputs.text(plain), 1)
    data = tomllib.loads(combined_inputs.text(names))
    given = data["structure"]["atoms"]
    atoms = Atoms(
        [name for name, *_ in given],
        positions=np.array([place for _, *place in given]) * BOHR_IN_ANGSTROM,
        cell=np.array(data["structure"]["cell"]) * BOHR_IN_ANGSTROM,
        pbc=True,
    )
    tables = {name: table for name, table in data.items() if name in TABLES}
    tables |= {"ranks": combined_inputs.num_ranks(names), "folder": tmp_path / "plain"}
    if "Python session" in names:
        with wavegrid.Session(**tables) as session:
            result = session.solve(atoms)
        energy, forces = result.energy.free, np.array(result.forces.total)
    else:
        with WaveGrid(**tables) as atoms.calc:
            energy = atoms.get_potential_energy(force_consistent=True) / HARTREE_IN_EV
            forces = atoms.get_forces() * BOHR_IN_ANGSTROM / HARTREE_IN_EV
    assert energy == pytest.approx(expected["energy"]["free"], abs=1e-6)
    assert forces == pytest.approx(np.array(expected["forces"]["total"]), abs=1e-4)
