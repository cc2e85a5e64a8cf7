"""Checkpoints of real calculations: from any layout onto any other, other k-points, another cutoff; after a signal."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import REFERENCE, reference
from conftest import clean_environment, program

CRYSTALS = REFERENCE / "crystals"
TIGHT = 1e-10  # Ha: the tolerance of every run here


def text_of(case: str, checkpoint: str = "true", **changes: str) -> str:
    """Return a case's input with a tight tolerance, checkpoints as told, and the values of some keys changed."""
    text = (CRYSTALS / case / "case.toml").read_text()
    for key, value in {"energy_tolerance": f'"{TIGHT} Ha"', **changes}.items():
        text, found = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
        assert found == 1, key
    return text + f"[output]\ncheckpoint = {checkpoint}\n"


def run(folder: Path, text: str, *options: object) -> dict:
    """Run an input in a folder of its own and return its result.json."""
    folder.mkdir(parents=True)
    (folder / "in.toml").write_text(text)
    answer = program("run", folder / "in.toml", "--output", folder, "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return json.loads((folder / "result.json").read_text())


def split(kgroups: int, bandgroups: int) -> str:
    """Return [parallel] of an input."""
    return f"[parallel]\nkgroups = {kgroups}\nbandgroups = {bandgroups}\n"


@pytest.fixture(scope="module", params=["al4_444", "lih_molecule"])
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, dict]:
    """Return a case, and the folder and result of a run that left a checkpoint after every step."""
    folder = tmp_path_factory.mktemp(request.param) / "run"
    result = run(folder, text_of(request.param, '{ every = "1 steps", keep = 50 }'), "--ranks", 2)
    return request.param, folder, result


@pytest.mark.parametrize(("ranks", "kgroups", "bandgroups"), [(1, 1, 1), (3, 1, 3), (4, 1, 2), (5, 1, 1)])
def test_last_checkpoint_on_another_split(
    started: tuple[str, Path, dict], ranks: int, kgroups: int, bandgroups: int, tmp_path: Path
) -> None:
    case, folder, first = started
    text = text_of(case) + split(kgroups, bandgroups)
    again = run(tmp_path / "again", text, "--ranks", ranks, "--restart", folder / "checkpoint.h5")
    assert again["restart"]["kpoints_missing"] == again["restart"]["kpoints_rotated"] == 0
    assert again["restart"]["density"] == "taken"
    assert again["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-9)
    assert again["energy"]["free"] == pytest.approx(reference(f"crystals/{case}")["energies_Ha"]["free"], abs=4e-9)
    assert again["scf_steps"] <= 2


def test_earlier_checkpoints(started: tuple[str, Path, dict], tmp_path: Path) -> None:
    case, folder, first = started
    older = sorted(folder.glob("checkpoint.*.h5"), key=lambda path: int(path.name.split(".")[1]))
    assert len(older) == first["checkpoint"]["writes"] - 1 >= 3
    for number, file in enumerate(older[::4]):
        again = run(tmp_path / str(number), text_of(case), "--ranks", 1 + number % 3, "--restart", file)
        assert again["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-9)
        # The very first ones know little more than the start; a mixer without history may take a step to learn again.
        assert again["scf_steps"] <= first["scf_steps"]


@pytest.mark.parametrize("case", ["al4_444", "si2_444", "si2_displaced_444"])
def test_irreducible_points_unfolded(case: str, tmp_path: Path) -> None:
    """Bands of equivalent k-points are rotated into place: the full mesh is converged at once."""
    irreducible = run(tmp_path / "irreducible", text_of(case), "--ranks", 2)
    file = tmp_path / "irreducible" / "checkpoint.h5"
    whole_mesh = text_of(case) + "[symmetry]\nuse = false\n"
    full = run(tmp_path / "full", whole_mesh, "--ranks", 3, "--restart", file)
    assert len(full["kpoints"]) > len(irreducible["kpoints"])
    assert full["restart"]["kpoints_rotated"] == len(full["kpoints"]) - full["restart"]["kpoints_found"] > 0
    assert full["energy"]["free"] == pytest.approx(irreducible["energy"]["free"], abs=1e-9)
    assert full["scf_steps"] <= 2


def test_another_cutoff(tmp_path: Path) -> None:
    low = text_of("si2_444", ecut='"8 Ha"')
    run(tmp_path / "low", low, "--ranks", 2)
    scratch = run(tmp_path / "scratch", text_of("si2_444"), "--ranks", 2)
    again = run(tmp_path / "high", text_of("si2_444"), "--ranks", 2, "--restart", tmp_path / "low" / "checkpoint.h5")
    assert again["energy"]["free"] == pytest.approx(scratch["energy"]["free"], abs=1e-9)
    assert again["restart"]["norm_kept_min"] == pytest.approx(1.0, abs=1e-6)  # in single precision
    assert again["scf_steps"] < scratch["scf_steps"]


def test_a_signal_leaves_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "in.toml").write_text(text_of("al4_444"))
    command = [sys.executable, "-m", "wavegrid", "run", tmp_path / "in.toml", "--ranks", "2", "--output", tmp_path]
    child = subprocess.Popen(
        list(map(str, command)), env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for line in child.stdout:  # the first step has been made
        if re.match(r"\s+1\s+-\d", line):
            break
    os.kill(child.pid, signal.SIGTERM)
    _, errors = child.communicate(timeout=120)
    assert child.returncode == 128 + signal.SIGTERM, errors
    assert (tmp_path / "checkpoint.h5").exists()
    again = run(tmp_path / "again", text_of("al4_444"), "--ranks", 1, "--restart", tmp_path / "checkpoint.h5")
    expected = reference("crystals/al4_444")["energies_Ha"]["free"]
    assert again["energy"]["free"] == pytest.approx(expected, abs=4e-9)
