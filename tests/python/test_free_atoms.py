"""Free atoms with spin and nothing else given: they end in the moment of Hund's rules."""

from pathlib import Path

import pytest
from conftest import program, read_result

from wavegrid.comparison import ours

# Valence; moment and free energy (Ha) of runs with 8 bands, a fixed moment or a smearing that is given.
ATOMS = {
    "Cr": (6, 6, -8.980108),
    "Mn": (7, 5, -12.785965),
    "Cl": (7, 1, -14.900426),
}


@pytest.mark.parametrize("symbol", ATOMS)
def test_free_atom(tmp_path: Path, symbol: str) -> None:
    valence, moment, energy = ATOMS[symbol]
    path = tmp_path / "in.toml"
    path.write_text(
        "[structure]\ncell = [[12,0,0],[0,12.2,0],[0,0,12.4]]\nunit = 'bohr'\ncoordinates = 'fractional'\n"
        f"atoms = [['{symbol}',0.5,0.5,0.5]]\n[basis]\necut = '18 Ha'\n[electrons]\nxc = 'LDA-PZ'\n"
        f"pseudopotentials = {{ {symbol} = 'gth-lda-q{valence}' }}\nspin = 'collinear'\n"
        "[output]\ncheckpoint = false\n"
    )
    answer = program("run", path, "--quiet", "--ranks", 1, "--output", tmp_path / "out")
    assert answer.returncode == 0, answer.stderr
    result = read_result(tmp_path / "out")
    assert result["magnetisation"]["total"] == pytest.approx(moment, abs=1e-3)
    assert result["energy"]["free"] == pytest.approx(energy, abs=1e-6)
    read = ours.read(tmp_path / "out")
    assert read.input is not None and read.input["electrons"]["total_magnetisation"] == moment
    assert (result["fixed_magnetisation"], read.settings["smearing"]) == (
        moment,
        "fermi-dirac" if symbol == "Cl" else "none",
    )


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_loop_that_ends_before_it_adds_bands_is_not_limited_by_them(ranks: int, tmp_path: Path) -> None:
    """Two nitrogen atoms far apart, bands left out: the default of 7 holds a moment of 4 of 6."""
    text = (
        "[structure]\ncell = [[14,0,0],[0,8,0],[0,0,8.2]]\nunit = 'bohr'\natoms = [['N',3,4,4],['N',10,4,4]]\n"
        "coordinates = 'cartesian'\n[basis]\necut = '10 Ha'\n[electrons]\nxc = 'LDA-PZ'\npseudopotentials = 'gth-lda'\n"
        "spin = 'collinear'\ninitial_magnetic_moments = { N = 0.3 }\n[output]\ncheckpoint = false\n[scf]\nmax_steps = "
    )
    found = {}
    for steps in (6, 30):
        path = tmp_path / f"{steps}.toml"
        path.write_text(f"{text}{steps}\n")
        answer = program("run", path, "--quiet", "--ranks", ranks, "--output", tmp_path / str(steps))
        assert answer.returncode == (1 if steps == 6 else 0), answer.stderr
        found[steps] = read_result(tmp_path / str(steps))
        assert "moment_limited_by_bands" not in [warning["name"] for warning in found[steps]["warnings"]]
    assert found[6]["num_bands"] == 7 and "max_steps" in found[6]["advice"]
    assert found[30]["magnetisation"]["total"] == pytest.approx(6, abs=1e-6)


def test_bands_that_limit_a_moment_bring_a_warning(tmp_path: Path) -> None:
    """A hydrogen molecule with its atoms far apart: the one band of each spin holds no triplet."""
    path = tmp_path / "in.toml"
    path.write_text(
        "[structure]\ncell = [[12,0,0],[0,8,0],[0,0,8]]\nunit = 'bohr'\natoms = [['H',3,4,4],['H',9,4,4]]\n"
        "coordinates = 'cartesian'\n[basis]\necut = '6 Ha'\n[electrons]\nxc = 'LDA-PZ'\npseudopotentials = 'gth-lda'\n"
        "spin = 'collinear'\nbands = 1\n[output]\ncheckpoint = false\n"
    )
    answer = program("run", path, "--quiet", "--ranks", 1, "--output", tmp_path / "out")
    result = read_result(tmp_path / "out")
    assert "moment_limited_by_bands" in [warning["name"] for warning in result["warnings"]]
    assert result["magnetisation"]["total"] == pytest.approx(0, abs=1e-6)
    assert answer.returncode == 0, answer.stderr
