"""The task "eos": its curve, its volumes in one run, and how it continues."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import program
from series_runs import HALF, continued, refused, run_text, text

from wavegrid.job.prepare import prepare
from wavegrid.model.core_result import CoreResult
from wavegrid.model.motion import EquationOfState, VolumeEnergy
from wavegrid.process import core_loader
from wavegrid.results import equation_of_state, result_warnings
from wavegrid.results.equation_of_state import Curve
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR3_IN_GPA

PUBLISHED = json.loads((Path(__file__).parents[1] / "reference/acwf_pbe.json").read_text())["crystals"]
RATIOS = [0.9, 0.95, 1.0, 1.05, 1.1]


def run(folder: Path, end: str, *options: object, ranks: int = 1, **changes: object) -> dict:
    """Run silicon with these sections in a folder; return its result.json."""
    grid = "grid = [18, 18, 18]\n"  # of the largest volume
    return run_text(folder, text(end, basis=grid, **changes), *options, ranks=ranks)


EOS = f"[eos]\nvolumes = {RATIOS}\n"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("eos")
    return folder, run(folder, EOS)


def test_the_fit_finds_the_curve_that_it_was_given() -> None:
    curve = Curve(270.0, -7.9, 0.0033, 4.2)
    volumes = np.linspace(250, 290, 7)
    found = equation_of_state.fit(volumes, curve.energies(volumes))
    assert found is not None and found.minimum_in_range and found.largest_deviation < 1e-12
    assert (found.volume, found.energy) == pytest.approx((270.0, -7.9), rel=1e-9)
    assert (found.bulk_modulus, found.derivative) == pytest.approx((0.0033, 4.2), rel=1e-5)
    beyond = equation_of_state.fit(volumes - 40, curve.energies(volumes - 40))
    assert beyond is not None and not beyond.minimum_in_range
    assert equation_of_state.fit(volumes, -volumes) is None


def test_the_curve_of_vinet_is_found_with_the_errors_of_noise() -> None:
    """The standard errors are those that many samples of noise show."""
    curve = Curve(270.0, -7.9, 0.0033, 4.2, form="vinet")
    volumes = np.linspace(240, 300, 9)
    start = equation_of_state.fit(volumes, curve.energies(volumes))
    exact = equation_of_state.fit_vinet(start, volumes, curve.energies(volumes))
    assert (exact.volume, exact.bulk_modulus, exact.derivative) == pytest.approx((270.0, 0.0033, 4.2), rel=1e-6)
    assert exact.errors[0] < 1e-6
    noise = np.random.default_rng(1).normal(scale=1e-5, size=(300, len(volumes)))
    found = [equation_of_state.fit_vinet(start, volumes, curve.energies(volumes) + one) for one in noise]
    for at, name in enumerate(("volume", "energy", "bulk_modulus", "derivative")):
        scatter = np.std([getattr(one, name) for one in found])
        stated = np.sqrt(np.mean([one.errors[at] ** 2 for one in found]))
        assert stated == pytest.approx(scatter, rel=0.15), name
    assert equation_of_state.fit(volumes[:4], curve.energies(volumes[:4])).errors is None


@pytest.mark.parametrize("crystal", PUBLISHED)
def test_the_fit_is_that_of_the_verification_study(crystal: str) -> None:
    for code, points in PUBLISHED[crystal]["points"].items():
        volumes, energies = np.array(points).T
        found = equation_of_state.fit(volumes / BOHR_IN_ANGSTROM**3, energies / HARTREE_IN_EV)
        fit = PUBLISHED[crystal]["fits"][code]
        assert found is not None
        ours = (found.volume * BOHR_IN_ANGSTROM**3, found.bulk_modulus * HARTREE_PER_BOHR3_IN_GPA, found.derivative)
        assert ours == pytest.approx((fit["V0_A3"], fit["B0_GPa"], fit["B1"]), rel=1e-5)


def test_the_volumes_have_the_energies_of_separate_runs(solved: tuple[Path, dict]) -> None:
    folder, result = solved
    volumes = result["equation_of_state"]["volumes"]
    cell = 2 * HALF**3
    assert [one["volume"] for one in volumes] == pytest.approx([ratio * cell for ratio in RATIOS], rel=1e-10)
    for at in (0, 2):  # the last one that was computed, and one between
        alone = run(folder / f"alone{at}", "", half=HALF * RATIOS[at] ** (1 / 3))
        assert volumes[at]["free_energy"] == pytest.approx(alone["energy"]["free"], abs=2e-9)
        assert volumes[at]["scf_steps"] < alone["scf_steps"]
        assert result["grid"] == alone["grid"]
    assert result["energy"]["free"] == pytest.approx(volumes[0]["free_energy"], abs=1e-12)
    assert np.linalg.det(result["structure"]["cell"]) == pytest.approx(volumes[0]["volume"])


def test_screen_plot_and_report(solved: tuple[Path, dict]) -> None:
    folder, result = solved
    fit = result["equation_of_state"]["fit"]
    assert fit["minimum_in_range"] and fit["bulk_modulus_GPa"] > 0
    last = result["screen"].splitlines()[-1]
    assert f"V0 {fit['volume'] * BOHR_IN_ANGSTROM**3:.4f} A^3, B0 {fit['bulk_modulus_GPa']:.2f} GPa" in last
    assert "left, about" in result["screen"]
    vinet = result["equation_of_state"]["vinet"]
    assert vinet["volume"] == pytest.approx(fit["volume"], rel=1e-3) and 0 < fit["volume_error"] < fit["volume"]
    table = np.genfromtxt(folder / "out/eos.csv", delimiter=",", names=True, skip_header=1)
    assert len(table) == len(RATIOS) and np.abs(table["vinet_eV"] - table["free_energy_eV"]).max() < 0.03
    assert (folder / "out/eos.png").read_bytes().startswith(b"\x89PNG")
    assert program("report", folder / "out").returncode == 0
    assert "bulk modulus (GPa)" in (folder / "out/report.html").read_text()


def test_a_run_that_was_cut_ends_where_the_whole_one_does(solved: tuple[Path, dict]) -> None:
    folder, whole = solved
    found = continued(folder, folder / "cut", 2, ranks=2)
    assert [one["scf_steps"] == 0 for one in found["equation_of_state"]["volumes"]] == [False] * 3 + [True] * 2
    for name in ("volume", "energy", "bulk_modulus_GPa"):
        ours, expected = found["equation_of_state"]["fit"][name], whole["equation_of_state"]["fit"][name]
        assert ours == pytest.approx(expected, rel=1e-6)


def test_a_trajectory_of_a_relaxation_is_refused(solved: tuple[Path, dict]) -> None:
    folder, _ = solved
    (folder / "relax.toml").write_text((folder / "si.toml").read_text().replace(EOS, "[relax]\n"))
    answer = program("run", folder / "relax.toml", "--restart", folder / "out/trajectory.extxyz")
    assert answer.returncode == 2 and "it is of an equation of state, the input of a relaxation" in answer.stderr


def test_volumes_by_range_and_number(tmp_path: Path) -> None:
    given = "volumes = [0.9, 0.95, 1.0, 1.05, 1.1]\nnumber = 7\n"
    assert "'number' and 'volumes'; valid: one of them" in refused(tmp_path, text(f"[eos]\n{given}"))
    (tmp_path / "si.toml").write_text(text("[eos]\nrange = [0.9, 1.1]\nnumber = 5\n"))
    assert prepare(core_loader.load(), tmp_path / "si.toml").task["volumes"] == RATIOS


def test_more_ranks_and_spin(solved: tuple[Path, dict]) -> None:
    folder, one = solved
    expected = one["equation_of_state"]["fit"]["energy"]
    found = run(folder / "two", EOS, ranks=2)["equation_of_state"]
    assert found["fit"]["energy"] == pytest.approx(expected, abs=1e-9)
    spin = 'spin = "collinear"\nsmearing = { kind = "cold", width = "0.1 eV" }\n'
    found = run(folder / "spin", EOS, ranks=2, electrons=spin)["equation_of_state"]
    assert all(abs(volume["magnetisation"]) < 1e-3 for volume in found["volumes"])
    assert found["fit"]["energy"] == pytest.approx(expected, abs=1e-3)


def test_what_a_curve_brings_warnings_of() -> None:
    problem = {"smearing": {}}
    curve = Curve(1.0, 0.0, 1.0, 4.0, minimum_in_range=False)
    part = EquationOfState(volumes=[VolumeEnergy(largest_force=0.001)], fit=curve.as_part())
    names = [one.name for one in result_warnings.remarks(problem, CoreResult(equation_of_state=part))]
    assert names == ["equation_of_state_without_minimum", "equation_of_state_with_forces"]
    assert not list(result_warnings.remarks(problem, CoreResult(equation_of_state=EquationOfState(volumes=[]))))
