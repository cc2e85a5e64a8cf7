"""Local orbitals that are optimised: against plane waves, other layouts, restarts."""

from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result
from test_local_orbitals import LOCAL, MESH, SILICON, free, run

OPTIMISED = f"{LOCAL}orbitals = {{ optimise = true }}"
SMALL = f'{LOCAL}orbitals = {{ functions = "minimal", optimise = true }}'
METAL = 'kpoints = { mesh = [2,2,1] }\nsmearing = { kind = "fermi-dirac", width = "0.02 Ha" }'
SPIN = 'spin = "collinear"\ntotal_magnetisation = 2'


@pytest.mark.parametrize("electrons", [MESH, "", METAL, SPIN])
def test_energies_are_those_of_plane_waves(electrons: str, tmp_path: Path) -> None:
    """In boxes of the whole cell; levels with hardly any electrons are not optimised."""
    local = run(tmp_path, basis=OPTIMISED, electrons=electrons)
    waves = run(tmp_path, basis="", electrons=electrons)
    assert free(local) == pytest.approx(free(waves), abs=2e-8 if electrons != METAL else 1e-7)
    assert 0 < local["h_applications"] < waves["h_applications"]


@pytest.mark.parametrize("more", ["", "[parallel]\nkpoint_groups = 2", "[parallel]\nband_groups = 2"])
def test_every_layout_gives_the_same(more: str, tmp_path: Path) -> None:
    one = run(tmp_path, basis=SMALL)
    for ranks in (2, 3):
        assert free(run(tmp_path, ranks=ranks, basis=SMALL, more=more)) == pytest.approx(free(one), abs=1e-9)


def test_deterministic_results_are_the_same_bits(tmp_path: Path) -> None:
    more = "[parallel]\ndeterministic = true"
    found = [free(run(tmp_path, ranks=ranks, basis=SMALL, more=more)) for ranks in (1, 2, 3)]
    assert len(set(found)) == 1


def test_a_geometry_continues_from_the_bands_of_another(tmp_path: Path) -> None:
    """The functions contain the bands of a checkpoint: little is left to optimise."""
    first = run(tmp_path, basis=OPTIMISED, more="[output.checkpoint]\nkeep = 1")
    (tmp_path / "out").rename(tmp_path / "first")
    path = tmp_path / "in.toml"
    again = program(
        "run", path, "--quiet", "--output", tmp_path / "again", "--restart", tmp_path / "first/checkpoint.h5"
    )
    assert again.returncode == 0, again.stderr
    second = read_result(tmp_path / "again")
    assert free(second) == pytest.approx(free(first), abs=1e-8)
    assert second["h_applications"] < 0.6 * first["h_applications"]


def test_forces_are_those_of_plane_waves(tmp_path: Path) -> None:
    forces = run(tmp_path, x=0.27, basis=OPTIMISED, more="[output]\nforces = true")["forces"]
    assert np.abs(forces["terms"]["orbitals"]).max() < 2e-4
    waves = run(tmp_path, x=0.27, basis="", more="[output]\nforces = true")["forces"]
    assert np.array(forces["total"]) == pytest.approx(np.array(waves["total"]), abs=5e-5)


@pytest.mark.parametrize(
    ("basis", "electrons", "message"),
    [
        (OPTIMISED, "occupations = [2, 2, 2, 0, 2]\nbands = 5", "optimised with given occupations"),
    ],
)
def test_what_is_refused(basis: str, electrons: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(SILICON.format(x=0.25, basis=basis, electrons=electrons, more=""))
    answer = program("run", path, "--ranks", 1)
    assert answer.returncode == 2
    assert message in answer.stderr
