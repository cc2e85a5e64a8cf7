"""Restarts with PAW datasets: rho_ij of the checkpoint on other ranks, cutoffs, positions and spins."""

import json
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import invoke, program, read_result
from feature_inputs import POTENTIALS

ULTRASOFT = POTENTIALS / "ultrasoft/Si.UPF"
FILES = [POTENTIALS / "ultrasoft" / name for name in ("Si-paw.UPF", "Si-paw.xml")]
CELL = [[0, 5.13, 5.13], [5.13, 0, 5.13], [5.13, 5.13, 0]]  # bohr
SPIN = 'spin = "collinear"\ninitial_magnetic_moments = { Si = 0.5 }'


def run(
    folder: Path,
    file: Path,
    *options: object,
    ecut: float = 5.0,
    place: float = 0.26,
    electrons: str = "",
) -> dict:
    """Run two silicon atoms on a 2 x 2 x 2 mesh; return result.json."""
    folder.mkdir()
    (folder / "in.toml").write_text(
        f"""[structure]
cell = {json.dumps(CELL)}
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", {place}, {place}, {place}]]
[basis]
ecut = "{ecut!r} Ha"
density_ecut = "{6 * ecut!r} Ha"
[electrons]
xc = "PBE"
pseudopotentials = {{ Si = "{file}" }}
bands = 8
kpoints = {{ mesh = [2, 2, 2] }}
smearing = {{ kind = "gaussian", width = "0.01 Ha" }}
{electrons}
[output]
checkpoint = true
[scf]
energy_tolerance = "1e-11 Ha"
"""
    )
    answer = program("run", folder / "in.toml", "--output", folder, "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder)


@pytest.fixture(scope="module", params=FILES, ids=lambda file: file.suffix[1:])
def solved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict]:
    """Return a dataset, and the checkpoint and result of a run on two ranks."""
    folder = tmp_path_factory.mktemp("paw") / "first"
    result = run(folder, request.param, "--ranks", 2)
    return request.param, folder / "checkpoint.h5", result


def test_the_file_holds_symmetric_matrices_and_verifies(solved: tuple[Path, Path, dict]) -> None:
    _, checkpoint, _ = solved
    with h5py.File(checkpoint) as file:
        assert file["wavegrid"].attrs["version"] == 3
        sizes, matrices = file["wavegrid/matrix_sizes"][()], file["wavegrid/matrices"][()]
    assert sizes[0] == sizes[1] > 0
    assert matrices.shape == (1, 2 * sizes[0] ** 2)
    for matrix in matrices.reshape(2, sizes[0], sizes[0]):
        assert matrix == pytest.approx(matrix.T, abs=1e-12)
    assert np.abs(matrices).max() > 0.1
    answer = invoke("checkpoint", "verify", checkpoint)
    assert answer.exit_code == 0, answer.stderr


@pytest.mark.parametrize("ranks", [1, 3])
def test_other_ranks_are_converged_at_once(solved: tuple[Path, Path, dict], ranks: int, tmp_path: Path) -> None:
    file, checkpoint, first = solved
    again = run(tmp_path / "again", file, "--ranks", ranks, "--restart", checkpoint)
    assert (again["restart"]["density"], again["restart"]["matrices"]) == ("taken", "taken")
    assert again["scf_steps"] <= 2
    assert again["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-10)


@pytest.mark.parametrize("other", [{"ecut": 4.0}, {"place": 0.255}], ids=["cutoff", "positions"])
def test_other_cutoffs_and_positions(solved: tuple[Path, Path, dict], other: dict, tmp_path: Path) -> None:
    file, _, first = solved
    run(tmp_path / "other", file, "--ranks", 1, **other)
    back = run(tmp_path / "back", file, "--ranks", 1, "--restart", tmp_path / "other/checkpoint.h5")
    assert back["restart"]["matrices"] == "taken"
    assert back["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-9)


def test_with_and_without_spin(solved: tuple[Path, Path, dict], tmp_path: Path) -> None:
    file, checkpoint, first = solved
    spin = run(tmp_path / "spin", file, "--ranks", 1, "--restart", checkpoint, electrons=SPIN)
    back = run(tmp_path / "back", file, "--ranks", 1, "--restart", tmp_path / "spin/checkpoint.h5")
    anew = run(tmp_path / "anew", file, "--ranks", 1, electrons=SPIN)
    assert spin["energy"]["free"] == pytest.approx(anew["energy"]["free"], abs=1e-9)
    assert back["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-9)
    assert (spin["restart"]["matrices"], back["restart"]["matrices"]) == ("taken", "taken")


def test_the_checkpoint_of_another_dataset(solved: tuple[Path, Path, dict], tmp_path: Path) -> None:
    """Without rho_ij, and with that of projectors that differ by 1e-4."""
    file, _, first = solved
    other = tmp_path / f"other{file.suffix}"
    other.write_text(_scaled(file.read_text(), 1.0001))
    for name, dataset in (("ultrasoft", ULTRASOFT), ("scaled", other)):
        run(tmp_path / name, dataset, "--ranks", 1)
        again = run(tmp_path / f"after_{name}", file, "--ranks", 1, "--restart", tmp_path / name / "checkpoint.h5")
        assert (again["restart"]["density"], again["restart"]["matrices"]) == ("taken", "atoms")
        assert any("different from this input: pseudopotentials" in note for note in again["notes"])
        assert again["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-9)


def _scaled(text: str, factor: float) -> str:
    """Return a dataset whose first projector is multiplied by a factor."""
    begin = text.index(">", re.search("<PP_BETA.1|<projector_function", text).start()) + 1
    numbers = text[begin : text.index("<", begin)]
    return text.replace(numbers, "\n".join(f"{factor * float(number):.15e}" for number in numbers.split()) + "\n")
