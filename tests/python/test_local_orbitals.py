"""Local orbitals: against plane waves on the same grid, larger cells, other layouts and derivatives of the energy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import program, read_result

SILICON = """
[structure]
cell = [[0,5.13,5.13],[5.13,0,5.13],[5.13,5.13,0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si",0,0,0],["Si",{x},0.25,0.25]]
[basis]
ecut = "8 Ha"
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
{electrons}
[scf]
energy_tolerance = "1e-9 Ha"
{more}
"""
LOCAL = 'method = "local-orbitals"\n'
MESH = "kpoints = { mesh = [2,2,2] }"


def run(
    folder: Path, *, ranks: int = 1, x: float = 0.25, basis: str = LOCAL, electrons: str = MESH, more: str = ""
) -> Any:
    """Return result.json of two atoms of silicon."""
    path = folder / "in.toml"
    path.write_text(SILICON.format(x=x, basis=basis, electrons=electrons, more=more))
    answer = program("run", path, "--quiet", "--ranks", ranks, "--output", folder / "out")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def free(result: dict[str, Any]) -> float:
    """Return the free energy, Ha."""
    return result["energy"]["free"]


def test_more_functions_come_closer_to_plane_waves(tmp_path: Path) -> None:
    """From above: all matrices are those of plane waves."""
    sets = [
        f'{LOCAL}orbitals = {{ functions = "{name}" }}' for name in ("minimal", "double-zeta", "double-zeta-polarised")
    ]
    minimal, double, polarised = (free(run(tmp_path, basis=basis)) for basis in sets)
    waves = free(run(tmp_path, basis=""))
    assert waves < polarised < double < minimal
    assert polarised - waves < 2 * 1e-2
    assert minimal - waves < 2 * 4e-2


@pytest.mark.parametrize("more", ["", "[parallel]\nkpoint_groups = 2", "[parallel]\nband_groups = 2"])
def test_every_layout_gives_the_same(more: str, tmp_path: Path) -> None:
    one = run(tmp_path)
    for ranks in (2, 3):
        assert free(run(tmp_path, ranks=ranks, more=more)) == pytest.approx(free(one), abs=1e-9)


def test_deterministic_results_are_the_same_bits(tmp_path: Path) -> None:
    found = [run(tmp_path, ranks=ranks, more="[parallel]\ndeterministic = true") for ranks in (1, 2, 3)]
    assert len({free(one) for one in found}) == 1
    assert found[0]["eigenvalues"] == found[2]["eigenvalues"]


def test_kpoints_are_those_of_a_larger_cell(tmp_path: Path) -> None:
    """A mesh of 2 x 1 x 1 points, and twice the cell at Gamma, with real orbitals."""
    points = free(run(tmp_path, basis=LOCAL + "grid = [18,18,18]", electrons="kpoints = { mesh = [2,1,1] }"))
    text = SILICON.replace("[[0,5.13,5.13]", "[[0,10.26,10.26]").replace(
        '["Si",0,0,0],["Si",{x},0.25,0.25]',
        '["Si",0,0,0],["Si",0.125,0.25,0.25],["Si",0.5,0,0],["Si",0.625,0.25,0.25]',
    )
    path = tmp_path / "large.toml"
    path.write_text(text.format(basis=LOCAL + "grid = [36,18,18]", electrons="", more=""))
    answer = program("run", path, "--quiet", "--ranks", 1, "--output", tmp_path / "large")
    assert answer.returncode == 0, answer.stderr
    assert free(read_result(tmp_path / "large")) == pytest.approx(2 * points, abs=2e-8)


def test_forces_are_derivatives(tmp_path: Path) -> None:
    step = 0.01
    forces = run(tmp_path, x=0.27, more="[output]\nforces = true")["forces"]
    energies = [free(run(tmp_path, x=0.27 + sign * step)) for sign in (1, -1)]
    along = np.dot(forces["total"][1], [0, 5.13, 5.13])
    assert (energies[1] - energies[0]) / (2 * step) == pytest.approx(along, abs=1e-4)
    assert np.abs(forces["terms"]["orbitals"]).max() > 1e-3


def test_too_many_bands_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    basis = f'{LOCAL}orbitals = {{ functions = "minimal" }}'
    path.write_text(SILICON.format(x=0.25, basis=basis, electrons="bands = 9", more=""))
    answer = program("run", path, "--ranks", 1)
    assert answer.returncode == 2
    assert "local orbitals: 9 bands of 8 orbitals; valid: at most as many bands as orbitals" in answer.stderr


def test_small_boxes_cut_little_off(tmp_path: Path) -> None:
    """In a long cell; the electrons are those of the whole cell."""
    found = []
    for reach in ("7 bohr", "20 bohr"):
        text = SILICON.replace("[[0,5.13,5.13],[5.13,0,5.13],[5.13,5.13,0]]", "[[8,0,0],[0,8,0],[0,0,24]]").replace(
            'coordinates = "fractional"', 'coordinates = "cartesian"'
        )
        text = text.replace('["Si",{x},0.25,0.25]', '["Si",0,0,4.4]')
        path = tmp_path / "in.toml"
        orbitals = f'orbitals = {{ radius = "4 bohr", box_radius = "{reach}", functions = "double-zeta" }}'
        smearing = 'smearing = { kind = "fermi-dirac", width = "0.02 Ha" }'
        path.write_text(text.format(basis=LOCAL + orbitals, electrons=smearing, more=""))
        answer = program("run", path, "--quiet", "--ranks", 2, "--output", tmp_path / "out")
        assert answer.returncode == 0, answer.stderr
        found.append(read_result(tmp_path / "out"))
    small, whole = found
    assert whole["local_orbitals"]["whole_cell"]
    assert not small["local_orbitals"]["whole_cell"]
    assert 0 < small["local_orbitals"]["lost_norm"] < 2e-3
    assert free(small) == pytest.approx(free(whole), abs=1e-3)
    assert free(small) != free(whole)


def test_plane_waves_begin_from_their_bands(tmp_path: Path) -> None:
    """From a checkpoint, with spin."""
    spin = 'spin = "collinear"\ntotal_magnetisation = 0\n' + MESH
    local = run(tmp_path, electrons=spin, more="[output.checkpoint]\nkeep = 1")
    (tmp_path / "out").rename(tmp_path / "first")
    path = tmp_path / "in.toml"
    path.write_text(SILICON.format(x=0.25, basis="", electrons=spin, more=""))
    begin = ["--restart", tmp_path / "first/checkpoint.h5"]
    answer = program("run", path, "--quiet", "--ranks", 2, "--output", tmp_path / "waves", *begin)
    assert answer.returncode == 0, answer.stderr
    waves = read_result(tmp_path / "waves")
    assert free(waves) < free(local)
    assert free(waves) == pytest.approx(free(run(tmp_path, basis="")), abs=1e-8)
