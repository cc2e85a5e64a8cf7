"""Occupations of bands from the input: against pw.x, derivatives of the energy, layouts, refusals."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result
from series_runs import refused

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "occupations" / "reference.json").read_text())
SILICON = """\
[structure]
cell = [[0, 5.13, 5.13], [5.13, 0.1, 5.13], [5.13, 5.13, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", {place}, 0.23, 0.28]]
[basis]
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = {{ Si = "{potential}" }}
kpoints = {{ mesh = [2, 1, 2] }}
bands = 6
{electrons}
[scf]
energy_tolerance = "1e-11 Ha"
{scf}
[output]
forces = true
stress = {stress}
"""
WAVES = 'ecut = "10 Ha"\ngrid = [27, 27, 27]'
MESH = 'method = "realspace"\nspacing = "0.4 bohr"'
FILE = Path(__file__).parents[1] / "reference/projections/Si.UPF"
LIFTED = "occupations = [2, 2, 2, 1.5, 0.5]"
CORE_HOLE = "occupations = [1, 2, 2, 2, 1]"
SPINS = 'spin = "collinear"\noccupations = [[1, 1, 1, 1], [1, 1, 0.5, 1, 0.5]]'


def text(electrons: str, *, place: float = 0.26, basis: str = WAVES, scf: str = "") -> str:
    """Return the input of two silicon atoms."""
    stress, potential = ("true", FILE) if basis == WAVES else ("false", "gth-lda")
    return SILICON.format(electrons=electrons, place=place, basis=basis, scf=scf, stress=stress, potential=potential)


def run(folder: Path, content: str, ranks: int = 1, *options: object) -> dict:
    """Run an input in a new folder; return its result.json."""
    folder.mkdir()
    (folder / "in.toml").write_text(content)
    answer = program("run", folder / "in.toml", "--ranks", ranks, "--output", folder / "out", "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def check_same(found: dict, expected: dict) -> None:
    """Compare energies, forces and stress."""
    assert found["energy"]["free"] == pytest.approx(expected["energy"]["free"], abs=1e-9)
    for part in ("forces", "stress"):
        if part in expected:
            assert np.array(found[part]["total"]) == pytest.approx(np.array(expected[part]["total"]), abs=3e-6)


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """Return folder and result of a state with an electron lifted."""
    folder = tmp_path_factory.mktemp("lifted") / "run"
    return folder, run(folder, text(LIFTED))


@pytest.mark.parametrize("name", ["lifted", "core_hole", "spins"])
def test_energies_forces_and_stress_are_those_of_pwx(name: str, lifted: tuple[Path, dict], tmp_path: Path) -> None:
    """Its energies have a constant of the file's local potential, 2.6e-6 Ha."""
    electrons = {"core_hole": CORE_HOLE, "spins": SPINS}
    found = lifted[1] if name == "lifted" else run(tmp_path / "run", text(electrons[name]))
    expected, other = REFERENCE[name], REFERENCE["lifted"]
    difference = found["energy"]["free"] - lifted[1]["energy"]["free"]
    assert difference == pytest.approx(expected["energy"] - other["energy"], abs=3e-8)
    assert found["energy"]["free"] == pytest.approx(expected["energy"], abs=3e-6)
    assert np.array(found["forces"]["total"]) == pytest.approx(np.array(expected["forces"]), abs=2e-6)
    assert np.array(found["stress"]["total"]) == pytest.approx(np.array(expected["stress"]), abs=5e-8)


def test_the_bands_hold_what_the_input_says(lifted: tuple[Path, dict]) -> None:
    _, found = lifted
    weights = [point[3] for point in found["kpoints"]]
    shares = np.array(found["occupations"][0]) / np.array(weights)[:, None]
    assert shares == pytest.approx(np.array([[2, 2, 2, 1.5, 0.5, 0]] * len(weights)))
    assert found["fermi_level"] == pytest.approx(max(levels[4] for levels in found["eigenvalues"][0]))
    names = [one["name"] for one in found.get("warnings", [])]
    assert "band_gap" not in found and "gap_closed_with_fixed_occupations" not in names


@pytest.mark.parametrize(("basis", "tolerance"), [(WAVES, 3e-6), (MESH, 5e-4)], ids=["waves", "mesh"])
def test_forces_are_derivatives(basis: str, tolerance: float, tmp_path: Path) -> None:
    step, electrons = 0.002, CORE_HOLE
    middle = run(tmp_path / "at", text(electrons, basis=basis))
    sides = [run(tmp_path / str(s), text(electrons, basis=basis, place=0.26 + s * step)) for s in (-1, 1)]
    slope = (sides[1]["energy"]["free"] - sides[0]["energy"]["free"]) / (2 * step)
    along = np.array([0, 5.13, 5.13])
    assert -slope == pytest.approx(float(np.array(middle["forces"]["total"][1]) @ along), abs=10 * tolerance)


@pytest.mark.parametrize(
    ("ranks", "scf"),
    [(2, ""), (3, 'eigensolver = "davidson"'), (1, 'eigensolver = "rmm-diis"'), (1, 'precision = "mixed"')],
)
def test_every_layout_and_solver_gives_the_same(
    ranks: int, scf: str, lifted: tuple[Path, dict], tmp_path: Path
) -> None:
    check_same(run(tmp_path / "run", text(LIFTED, scf=scf), ranks), lifted[1])


def test_a_checkpoint_continues_on_other_ranks(lifted: tuple[Path, dict], tmp_path: Path) -> None:
    folder, expected = lifted
    again = run(tmp_path / "run", text(LIFTED), 2, "--restart", folder / "out/checkpoint.h5")
    assert again["scf_steps"] <= 3
    check_same(again, expected)


@pytest.mark.parametrize(
    ("electrons", "words"),
    [
        ("occupations = [2, 2, 2, 1]", "add up to 7; valid: 8, the electrons of the cell"),
        ("occupations = [2, 2, 3, 1]", "from 0 to 2"),
        ("occupations = [[1, 1, 1, 1], [1, 1, 1, 1]]", 'has 2 lists; valid: one, or spin = "collinear"'),
        ('spin = "collinear"\noccupations = [2, 2, 2, 2]', "has 1 list; valid: one for each spin"),
        ('spin = "collinear"\noccupations = [[2, 2], [2, 2]]', "a band with 2 electrons; valid: from 0 to 1"),
        ("occupations = [2, 2, 1, 1, 1, 0.5, 0.5]", "bands = 6 with occupations of 7 bands; valid: at least 7"),
        (f'{LIFTED}\nsmearing = {{ kind = "cold", width = "0.1 eV" }}', "occupations with smearing; valid: one"),
        ('spin = "collinear"\ntotal_magnetisation = 0\n' + SPINS.splitlines()[1], "with total_magnetisation"),
    ],
)
def test_what_does_not_fit_is_refused(electrons: str, words: str, tmp_path: Path) -> None:
    assert words in refused(tmp_path, text(electrons))


def test_direct_minimisation_is_refused(tmp_path: Path) -> None:
    assert 'with method = "direct"' in refused(tmp_path, text(LIFTED, scf='method = "direct"'))
