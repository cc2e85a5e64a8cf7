"""Calculations on a mesh in real space by the command: a result, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from conftest import invoke, program, read_result

INPUT = """
[structure]
cell = [[10, 0, 0], [0, 10, 0], [0, 0, 10]]
unit = "bohr"
atoms = [["H", 5, 5, 4.3], ["H", 5, 5, 5.7]]
coordinates = "cartesian"
[basis]
method = "realspace"
spacing = "0.5 bohr"
region = { kind = "spheres", radius = "4.5 bohr" }
boundary = "free"
[electrons]
xc = "PBE"
pseudopotentials = "gth-pbe"
[output]
forces = true
directory = "out"
"""


def test_a_molecule_in_free_space(tmp_path: Path) -> None:
    (tmp_path / "h2.toml").write_text(INPUT)
    checked = program("check", "h2.toml", cwd=tmp_path)
    assert "mesh of 3733 points, spacing 0.500 x 0.500 x 0.500 bohr" in checked.stdout, checked.stderr
    ended = program("run", "h2.toml", "--ranks", 2, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    result = read_result(tmp_path / "out")
    assert result["energy"]["free"] == pytest.approx(-1.165, abs=0.02)  # coarse; converged it is -1.162
    assert result["energy"]["local_g0"] == 0
    assert result["mesh"]["max_points"] < 0.52 * result["mesh"]["points"]
    assert result["eigensolver"] == "chebyshev"
    assert "checkpoint" not in result
    forces = np.array(result["forces"]["total"])
    assert np.abs(forces[:, :2]).max() < 1e-3
    assert forces[0, 2] == pytest.approx(-forces[1, 2])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('spacing = "0.5 bohr"\n', "", "[basis] lacks 'spacing'"),
        ('spacing = "0.5 bohr"', 'spacing = "0.5 bohr"\necut = "10 Ha"', 'ecut with method = "realspace"'),
        ('method = "realspace"', 'ecut = "10 Ha"', 'spacing with method = "planewaves"'),
        (', radius = "4.5 bohr"', "", "without a radius"),
        ('boundary = "free"', "", "with a region of spheres"),
        ("forces = true", "stress = true", 'stress is not available with [basis] method = "realspace"'),
        ("forces = true", "checkpoint = true", "a checkpoint is not available"),
        ('forces = true\ndirectory = "out"', "[relax]", 'the task "relax" is not available'),
        ('forces = true\ndirectory = "out"', "[parallel]\nband_groups = 1", "band_groups is not available"),
        ('xc = "PBE"', 'xc = "PBE"\ndispersion = "d4"', "dispersion of a free molecule is not available"),
        ('xc = "PBE"', 'xc = "PBE"\nkpoints = { mesh = [2, 1, 1] }', "valid: Gamma alone"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in INPUT
    (tmp_path / "h2.toml").write_text(INPUT.replace(old, new))
    answer = invoke("check", tmp_path / "h2.toml")
    assert answer.exit_code == 2
    assert answer.stderr.count("\n") == 1 and message in answer.stderr
