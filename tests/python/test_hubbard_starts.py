"""Several initial occupations of a shell: the lowest minimum is the result, and all are reported."""

import json
import re
from pathlib import Path

import pytest
from conftest import program, read_result
from feature_inputs import POTENTIALS

ATOM = f"""\
[structure]
cell = [[7, 0, 0], [0, 7, 0], [0, 0, 7]]
unit = "bohr"
coordinates = "fractional"
atoms = [["C", 0.5, 0.5, 0.5]]
[basis]
ecut = "6 Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = {{{{ C = "{POTENTIALS / "projections/C.UPF"}" }}}}
bands = 6
spin = "collinear"
initial_magnetic_moments = {{{{ C = 2 }}}}
total_magnetisation = 0
[electrons.hubbard]
projectors = "atomic"
C = {{{{ shell = "2p", u = "6 eV"{{starts}} }}}}
[symmetry]
use = false
[output]
checkpoint = true
"""
PAIR, OPEN = [[1, 0, 0], [1, 0, 0]], [[1, 0, 0], [0, 1, 0]]


def run(folder: Path, starts: object, *options: object) -> dict:
    """Run an atom of carbon whose 2p is occupied in the given ways at first."""
    folder.mkdir()
    text = ATOM.format(starts=f", initial_occupations = {json.dumps(starts)}")
    (folder / "in.toml").write_text(text)
    answer = program("run", folder / "in.toml", "--output", folder, "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder)


def test_the_lowest_is_the_result(tmp_path: Path) -> None:
    """Starts one by one, and together on other ranks; the checkpoint is that of the lowest."""
    alone = [run(tmp_path / str(number), start, "--ranks", 1) for number, start in enumerate((PAIR, OPEN))]
    both = run(tmp_path / "both", [PAIR, OPEN, PAIR], "--ranks", 2)
    energies = [one["energy"]["free"] for one in alone]
    assert energies[1] < energies[0] - 0.04
    found = both["hubbard_starts"]
    assert [one["free_energy"] for one in found] == pytest.approx([*energies, energies[0]], abs=1e-7)
    assert both["energy"]["free"] == found[1]["free_energy"]
    assert [one.get("is_result", False) for one in found] == [False, True, False]
    assert [file.name for file in (tmp_path / "both").glob("*.h5")] == ["checkpoint.h5"]
    again = run(tmp_path / "again", PAIR, "--ranks", 1, "--restart", tmp_path / "both/checkpoint.h5")
    assert again["energy"]["free"] == pytest.approx(energies[1], abs=1e-7)


@pytest.mark.parametrize(
    ("starts", "options", "message"),
    [
        ([PAIR, [[1, 0, 0]]], [], "neither a list nor two lists"),
        ([PAIR, OPEN], ["--restart", "file.h5"], "2 initial occupations with --restart, whose matrices are the start"),
    ],
)
def test_bad_input(starts: object, options: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=re.escape(message)):
        run(tmp_path / "run", starts, "--ranks", 1, *options)
