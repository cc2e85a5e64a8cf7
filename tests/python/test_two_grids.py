"""[basis] density_ecut: a grid of the density apart from that of the wave functions."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import GOOD, program, read_result
from feature_inputs import POTENTIALS

from wavegrid.job.prepare import prepare
from wavegrid.process import core_loader

CELL = np.array([[0.1, 4.8, 4.9], [5.0, 0.2, 4.7], [4.9, 5.1, 0]])  # bohr; no operation but the identity
PLACE = np.array([0.26, 0.23, 0.28])
FINE = 'density_ecut = "42.11 Ha"'  # no |G|^2/2 is within 0.04 Ha, nor one of k + G near the cutoff
PBE = f'xc = "PBE"\npseudopotentials = {{ Al = "{POTENTIALS / "pseudopotentials/Al.psp8"}" }}'  # has a core density
METAL = 'bands = 8\nsmearing = { kind = "gaussian", width = "0.02 Ha" }'
META = 'xc = "R2SCAN"\npseudopotentials = "gth-pbe"'


def _row(place: np.ndarray) -> str:
    return ", ".join(map(repr, place.tolist()))


def run(
    folder: Path,
    *options: object,
    ecut: float = 5.18,
    basis: str = FINE,
    electrons: str = PBE,
    element: str = "Al",
    occupations: str = METAL,
    cell: np.ndarray = CELL,
    place: np.ndarray = PLACE,
    scf: str = "",
    output: str = "forces = true\nstress = true\ncheckpoint = true",
    end: str = "",
) -> dict:
    """Run two atoms with two k-points, and forces and stress unless `output` says less; return result.json."""
    folder.mkdir()
    (folder / "in.toml").write_text(
        f"""[structure]
cell = {cell.tolist()}
unit = "bohr"
coordinates = "fractional"
atoms = [["{element}", {_row(PLACE - place)}], ["{element}", {_row(place)}]]
[basis]
ecut = "{ecut} Ha"
{basis}
[electrons]
{electrons}
{occupations}
kpoints = {{ mesh = [2, 1, 2], shift = [0.5, 0, 0.5] }}
[output]
{output}
[scf]
energy_tolerance = "1e-11 Ha"
{scf}
{end}
"""
    )
    answer = program("run", folder / "in.toml", "--output", folder, "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder)


def check_same(ours: dict, theirs: dict, energy: float = 1e-9) -> None:
    """Compare energy (Ha), forces and stress."""
    assert ours["energy"]["free"] == pytest.approx(theirs["energy"]["free"], abs=energy)
    assert np.array(ours["forces"]["total"]) == pytest.approx(np.array(theirs["forces"]["total"]), abs=2e-6)
    assert np.array(ours["stress"]["total"]) == pytest.approx(np.array(theirs["stress"]["total"]), abs=2e-8)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """Return the folder and the result on one rank."""
    folder = tmp_path_factory.mktemp("two_grids") / "alone"
    return folder, run(folder, "--ranks", 1)


@pytest.mark.parametrize(("ranks", "kpoint_groups", "band_groups"), [(2, 2, 1), (3, 1, 3), (5, 1, 1), (4, 2, 2)])
def test_every_layout_gives_the_same(
    alone: tuple[Path, dict], tmp_path: Path, ranks: int, kpoint_groups: int, band_groups: int
) -> None:
    split = f"[parallel]\nkpoint_groups = {kpoint_groups}\nband_groups = {band_groups}\n"
    result = run(tmp_path / "run", "--ranks", ranks, end=split)
    assert result["density_grid"] == alone[1]["density_grid"]
    check_same(result, alone[1])


@pytest.mark.parametrize("scf", ['eigensolver = "davidson"', 'precision = "mixed"'])
def test_other_ways_to_the_same_state(alone: tuple[Path, dict], tmp_path: Path, scf: str) -> None:
    check_same(run(tmp_path / "run", "--ranks", 1, scf=scf), alone[1])


def test_direct_minimisation_has_the_energy_of_mixing(tmp_path: Path) -> None:
    silicon = {"element": "Si", "electrons": 'xc = "PBE"\npseudopotentials = "gth-pbe"', "occupations": ""}
    mixing = run(tmp_path / "mixing", "--ranks", 2, **silicon)
    check_same(run(tmp_path / "direct", "--ranks", 2, scf='method = "direct"', **silicon), mixing)


def test_deterministic_runs_agree_to_the_last_bit(tmp_path: Path) -> None:
    groups = "[parallel]\ndeterministic = true\nkpoint_groups = 1\nband_groups = 1\n"
    layouts = {1: "", 2: "", 3: 'partition = "balanced"\n', 5: 'partition = "optimized"\n'}
    first, *others = (run(tmp_path / str(n), "--ranks", n, end=groups + layouts[n]) for n in layouts)
    for other in others:
        for key in ("energy", "eigenvalues", "forces", "stress"):
            assert first[key] == other[key], key


def derivative(energies: list[float], step: float) -> float:
    """Return the derivative from energies at -2, -1, 1 and 2 steps."""
    return (energies[0] - 8 * energies[1] + 8 * energies[2] - energies[3]) / (12 * step)


@pytest.mark.parametrize(("element", "electrons"), [("Al", PBE), ("Si", META)])
@pytest.mark.parametrize("basis", [FINE, 'density_ecut = "15.27 Ha"'])  # the second cuts products of bands
def test_forces_and_stress_are_derivatives(tmp_path: Path, element: str, electrons: str, basis: str) -> None:
    at = {"element": element, "electrons": electrons, "basis": basis}
    result = run(tmp_path / "middle", "--ranks", 2, **at)
    start = ("--ranks", 1, "--restart", tmp_path / "middle/checkpoint.h5")  # of energies next to it
    at["output"] = "checkpoint = false"
    step, direction = 5e-4, np.array([0.3, -0.5, 0.8])  # fractional
    energies = [
        run(tmp_path / f"moved{n}", *start, place=PLACE + n * step * direction, **at)["energy"]["free"]
        for n in (-2, -1, 1, 2)
    ]
    force, along = np.subtract(*result["forces"]["total"][::-1]), direction @ CELL  # both atoms move
    assert force @ along == pytest.approx(-derivative(energies, step), abs=1e-6 * np.linalg.norm(along))
    strain = np.array([[0.5, 0.3, -0.2], [0.3, -0.4, 0.6], [-0.2, 0.6, 0.7]])
    step, energies, sizes = 2e-5, [], {result["plane_waves"]}
    for n in (-2, -1, 1, 2):
        cell = CELL @ (np.eye(3) + n * step * strain)
        strained = run(tmp_path / f"strained{n}", *start, cell=cell, **at)
        energies.append(strained["energy"]["free"])
        sizes.add(strained["plane_waves"])
    assert len(sizes) == 1
    expected = derivative(energies, step) / abs(np.linalg.det(CELL))
    assert np.sum(np.array(result["stress"]["total"]) * strain) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("ecut", [5.18, 6.0])
@pytest.mark.parametrize("basis", [FINE, 'density_ecut = "60 Ha"', ""])
def test_a_checkpoint_continues_on_other_grids(
    alone: tuple[Path, dict], tmp_path: Path, ecut: float, basis: str
) -> None:
    with h5py.File(alone[0] / "checkpoint.h5") as file:
        assert list(file["wavegrid/grid"]) == alone[1]["density_grid"]
        density = file["wavegrid/density"][0]
    assert density.shape == tuple(alone[1]["density_grid"])
    assert density.mean() * abs(np.linalg.det(CELL)) == pytest.approx(6, abs=1e-9)
    fresh = run(tmp_path / "fresh", "--ranks", 2, ecut=ecut, basis=basis)
    again = run(tmp_path / "again", "--ranks", 3, "--restart", alone[0] / "checkpoint.h5", ecut=ecut, basis=basis)
    assert again["scf_steps"] < fresh["scf_steps"]
    check_same(again, fresh)
    assert program("checkpoint", "verify", tmp_path / "again/checkpoint.h5").returncode == 0


def test_four_times_the_cutoff_needs_one_grid(tmp_path: Path) -> None:
    one = run(tmp_path / "one", "--ranks", 1, basis="grid = [24, 24, 24]", ecut=5.0)
    both = run(
        tmp_path / "both", "--ranks", 1, ecut=5.0, basis='density_ecut = "20 Ha"\ngrid = [24, 24, 24]\n'
        "density_grid = [24, 24, 24]"
    )  # fmt: skip
    assert both["ffts"] == one["ffts"]
    assert both["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=1e-4)  # the core density is cut


SYMMETRIC = """\
[structure]
cell = [[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
[basis]
ecut = "6 Ha"
density_ecut = "40 Ha"
[electrons]
xc = "PBE"
pseudopotentials = "gth-pbe"
kpoints = {{ mesh = [3, 3, 3] }}
[symmetry]
use = {use}
[output]
stress = true
[scf]
energy_tolerance = "1e-11 Ha"
"""


def test_symmetry_changes_nothing(tmp_path: Path) -> None:
    found: list[dict] = []
    for use in ("true", "false"):
        text = SYMMETRIC.format(use=use)
        if found:  # on the same grids, which symmetry has chosen
            grids = f"grid = {found[0]['grid']}\ndensity_grid = {found[0]['density_grid']}\n"
            text = text.replace("[electrons]", grids + "[electrons]")
        (tmp_path / f"{use}.toml").write_text(text)
        answer = program("run", tmp_path / f"{use}.toml", "--ranks", 2, "--output", tmp_path / use, "--quiet")
        assert answer.returncode == 0, answer.stderr
        found.append(read_result(tmp_path / use))
    assert len(found[0]["kpoints"]) < len(found[1]["kpoints"])
    assert found[0]["energy"]["free"] == pytest.approx(found[1]["energy"]["free"], abs=1e-9)
    assert np.array(found[0]["stress"]["total"]) == pytest.approx(np.array(found[1]["stress"]["total"]), abs=1e-8)


def test_an_equation_of_state_keeps_both_grids(tmp_path: Path) -> None:
    """Those of the largest volume: the energy would jump between others."""
    text = SYMMETRIC.format(use="true").replace("[3, 3, 3]", "[2, 2, 2]").replace("stress = true", "")
    (tmp_path / "eos.toml").write_text(text + '[task]\nkind = "eos"\n[eos]\nvolumes = [1.0, 1.1, 1.15, 1.2, 1.3]\n')
    answer = program("run", tmp_path / "eos.toml", "--output", tmp_path / "eos", "--quiet")
    assert answer.returncode == 0, answer.stderr
    found = read_result(tmp_path / "eos")
    grids = f"grid = {found['grid']}\ndensity_grid = {found['density_grid']}\n"
    (tmp_path / "one.toml").write_text(text.replace("[electrons]", grids + "[electrons]"))
    assert program("run", tmp_path / "one.toml", "--output", tmp_path / "one", "--quiet").returncode == 0
    alone = read_result(tmp_path / "one")["energy"]["free"]
    assert found["equation_of_state"]["volumes"][0]["free_energy"] == pytest.approx(alone, abs=1e-8)


def check(tmp_path: Path, basis: str) -> tuple[int, str, dict]:
    """Return exit code, errors, and figures of `wavegrid check` on Al4 with further keys of [basis]."""
    path = tmp_path / "in.toml"
    path.write_text(GOOD.replace("grid = [16,16,16]", basis))
    answer = program("check", path, "--json")
    return answer.returncode, answer.stderr, json.loads(answer.stdout) if answer.returncode == 0 else {}


def test_check_knows_both_grids(tmp_path: Path) -> None:
    _, _, one = check(tmp_path, "")
    code, errors, both = check(tmp_path, 'density_ecut = "80 Ha"')
    assert code == 0, errors
    assert one["density_grid"] is None
    assert one["grid"] <= both["grid"] < both["density_grid"]
    assert one["memory_parts"]["grid"] < both["memory_parts"]["grid"]
    assert both["memory_parts"]["bands_grid"] > 0
    shown = program("check", tmp_path / "in.toml").stdout
    assert f"of the density {' x '.join(map(str, both['density_grid']))}" in shown


@pytest.mark.parametrize(
    ("basis", "words"),
    [
        ('density_ecut = "5 Ha"', "density_ecut = 5 Ha is below ecut = 8.81984 Ha; valid: at least ecut"),
        ('density_ecut = "high"', "density_ecut"),
        ("density_ecut = 80", "density_ecut"),
        ("density_grid = [48, 48, 48]", "density_grid without density_ecut"),
        ('density_ecut = "80 Ha"\ndensity_grid = [24, 24, 24]', "density_grid = [24, 24, 24] is too small"),
        ('density_ecut = "12 Ha"\ngrid = [24, 24, 24]\ndensity_grid = [20, 24, 24]', "coarser than the grid"),
    ],
)
def test_bad_input(tmp_path: Path, basis: str, words: str) -> None:
    code, errors, _ = check(tmp_path, basis)
    assert code == 2
    assert words in errors


def test_products_that_are_cut_off_are_noted(tmp_path: Path) -> None:
    code, errors, figures = check(tmp_path, 'density_ecut = "20 Ha"')
    assert code == 0, errors
    assert any("products of wave functions are cut off" in note for note in figures["notes"])


@pytest.mark.parametrize(
    ("ecut", "grid", "words"),
    [
        (float("nan"), [48, 48, 48], "the density's cutoff is nan"),
        (5.0, [48, 48, 48], "the density's cutoff is 5 Ha, that of the wave functions 8.8"),
        (80.0, [24, 48, 48], "the density's grid 24 x 48 x 48 is too small for its cutoff of 80 Ha"),
        (12.0, [5000, 5000, 5000], "the FFT grid is 5000 x 5000 x 5000"),
    ],
)
def test_the_core_refuses_a_density_that_does_not_fit(ecut: float, grid: list[int], words: str, tmp_path: Path) -> None:
    (tmp_path / "in.toml").write_text(GOOD)
    core = core_loader.load()
    problem = prepare(core, tmp_path / "in.toml").problem
    with pytest.raises(core.BadInput, match=words):
        core.describe(problem | {"density_ecut": ecut, "density_grid": grid})


def test_the_input_of_pw_x_has_both_grids(tmp_path: Path) -> None:
    """ABINIT has a second grid with PAW alone."""
    path = tmp_path / "in.toml"
    text = GOOD.replace("grid = [16,16,16]", 'grid = [24, 24, 24]\ndensity_ecut = "80 Ha"')
    path.write_text(text.replace("LDA_XC_TETER93", "LDA-PZ"))
    assert program("compare", path, "--input-for", "qe", "--output", tmp_path / "qe").returncode == 0
    text = (tmp_path / "qe/pw.in").read_text()
    dense = prepare(core_loader.load(), path).problem["density_grid"]
    assert "ecutrho=160.0" in text
    assert f"nr1={dense[0]}, nr1s=24" in text
    refused = program("compare", path, "--input-for", "abinit", "--output", tmp_path / "abinit")
    assert refused.returncode == 2
    assert "valid: without density_ecut" in refused.stderr
