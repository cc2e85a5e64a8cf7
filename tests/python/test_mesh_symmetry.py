"""Symmetry, and the stress along periodic directions, of layers on a mesh with a free direction."""

from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result

LAYER = """\
[structure]
cell = [[{a}, 0, 0], [{half}, {height}, 0], [0, 0, 16]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Li", 0, 0, 0.4], ["H", 0.333333333333, 0.333333333333, 0.55]]
[basis]
method = "realspace"
{basis}
boundary = ["periodic", "periodic", "free"]
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = [3, 3, 1] }}
smearing = {{ kind = "gaussian", width = "0.02 Ha" }}
[symmetry]
use = {use}
[scf]
energy_tolerance = "1e-9 Ha"
[output]
forces = true
stress = true
"""


def run(folder: Path, use: bool, strain: float = 0.0, ranks: int = 1) -> dict:
    """Run a hexagonal layer of two atoms; return its result.json."""
    folder.mkdir()
    a = 6 * (1 + strain)
    text = LAYER.format(
        a=a,
        half=a / 2,
        height=a * 0.75**0.5,
        basis=f'spacing = ["{a / 12 + 1e-6} bohr", "{a / 12 + 1e-6} bohr", "0.50001 bohr"]\norder = 8',
        use=str(use).lower(),
    )
    (folder / "in.toml").write_text(text)
    answer = program("run", folder / "in.toml", "--ranks", ranks, "--output", folder / "out", "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def test_symmetry_leaves_a_layer_as_it_is(tmp_path: Path) -> None:
    """Six operations leave the free direction as it is: fewer k-points, the same energy, forces and stress."""
    whole, reduced = run(tmp_path / "whole", False), run(tmp_path / "reduced", True, ranks=2)
    assert len(reduced["kpoints"]) < len(whole["kpoints"])
    assert reduced["energy"]["free"] == pytest.approx(whole["energy"]["free"], abs=3e-8)
    assert np.allclose(reduced["forces"]["total"], whole["forces"]["total"], atol=1e-5)
    assert np.allclose(reduced["stress"]["total"], whole["stress"]["total"], atol=1e-7)


def test_the_stress_of_a_layer_is_the_derivative_of_its_energy(tmp_path: Path) -> None:
    h = 2e-3
    middle = run(tmp_path / "0", True)
    above, below = (run(tmp_path / f"{sign}", True, sign * h)["energy"]["free"] for sign in (1, -1))
    stress = np.array(middle["stress"]["total"])
    volume = 36 * 0.75**0.5 * 16
    assert (stress[0, 0] + stress[1, 1]) * volume == pytest.approx(
        (above - below) / (2 * h), abs=1e-3
    )  # with periodic boundaries they differ by 3.5e-4
    assert np.all(stress[2] == 0)
