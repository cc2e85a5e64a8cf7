"""Checkpoints of real calculations: from any layout onto any other, other k-points, another cutoff; after a signal."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import pytest
from cases import REFERENCE, reference
from conftest import clean_environment, program, read_result

CRYSTALS = REFERENCE / "crystals"
TIGHT = 1e-10  # Ha: the tolerance of every run here


def text_of(case: str, checkpoint: str = "true", **changes: str) -> str:
    """Return a case's input with a tight tolerance, checkpoints as given, and the values of some keys changed."""
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
    return read_result(folder)


def split(kpoint_groups: int, band_groups: int) -> str:
    """Return [parallel] of an input."""
    return f"[parallel]\nkpoint_groups = {kpoint_groups}\nband_groups = {band_groups}\n"


@pytest.fixture(scope="module", params=["al4_444", "lih_molecule"])
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, dict]:
    """Return a case, and the folder and result of a run that left a checkpoint after every step."""
    folder = tmp_path_factory.mktemp(request.param) / "run"
    result = run(folder, text_of(request.param, '{ every = "1 steps", keep = 50 }'), "--ranks", 2)
    return request.param, folder, result


@pytest.mark.parametrize(("ranks", "kpoint_groups", "band_groups"), [(1, 1, 1), (3, 1, 3), (5, 1, 1)])
def test_last_checkpoint_on_another_layout(
    started: tuple[str, Path, dict], ranks: int, kpoint_groups: int, band_groups: int, tmp_path: Path
) -> None:
    case, folder, first = started
    text = text_of(case) + split(kpoint_groups, band_groups)
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
    for number, file in enumerate(older[::6]):
        again = run(tmp_path / str(number), text_of(case), "--ranks", 1 + number % 3, "--restart", file)
        assert again["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-9)
        # The very first ones know little more than the start; a mixer without history may take a step to learn again.
        assert again["scf_steps"] <= first["scf_steps"]


@pytest.fixture(scope="module")
def silicon(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """Return folder and result of silicon on two ranks."""
    folder = tmp_path_factory.mktemp("si2_444") / "run"
    return folder, run(folder, text_of("si2_444"), "--ranks", 2)


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


def test_another_cutoff(silicon: tuple[Path, dict], tmp_path: Path) -> None:
    low = text_of("si2_444", ecut='"8 Ha"')
    run(tmp_path / "low", low, "--ranks", 2)
    scratch = silicon[1]
    again = run(tmp_path / "high", text_of("si2_444"), "--ranks", 2, "--restart", tmp_path / "low" / "checkpoint.h5")
    assert again["energy"]["free"] == pytest.approx(scratch["energy"]["free"], abs=1e-9)
    assert again["restart"]["min_norm_retained"] == pytest.approx(1.0, abs=1e-6)  # in single precision
    assert again["scf_steps"] < scratch["scf_steps"]


def test_electrons_are_those_of_the_input(tmp_path: Path) -> None:
    """A file of another charge, or of a charged cell with another place of an atom, leaves no trace."""
    case = text_of("h3o_plus").replace('"20.0 Ha"', '"10.0 Ha"').replace("[45, 45, 45]", "[32, 32, 32]")
    scratch = run(tmp_path / "scratch", case, "--ranks", 2)
    changes = {"taken": ("charge = 1", "charge = -1"), "carried over": ("0.677, 0.5, 0.55", "0.69, 0.5, 0.53")}
    for density, change in changes.items():
        assert change[0] in case
        other = tmp_path / density
        run(other, case.replace(*change), "--ranks", 1)
        again = run(tmp_path / f"after {density}", case, "--ranks", 2, "--restart", other / "checkpoint.h5")
        assert again["restart"]["density"] == density
        assert again["energy"]["free"] == pytest.approx(scratch["energy"]["free"], abs=1e-9)


def test_spin_from_a_file_without(tmp_path: Path) -> None:
    with_spin = text_of("o2_lda").replace('"20.0 Ha"', '"12.0 Ha"')
    without = re.sub(r"^(spin|initial_magnetic_moments|total_magnetisation) = .*\n", "", with_spin, flags=re.MULTILINE)
    (tmp_path / "in.toml").write_text(without.replace("[scf]", "[scf]\nmax_steps = 6"))
    answer = program("run", tmp_path / "in.toml", "--output", tmp_path / "without", "--quiet")
    assert answer.returncode == 1  # half-filled levels do not converge; a checkpoint is there
    scratch = run(tmp_path / "scratch", with_spin)
    again = run(tmp_path / "again", with_spin, "--restart", tmp_path / "without" / "checkpoint.h5")
    assert again["energy"]["free"] == pytest.approx(scratch["energy"]["free"], abs=2e-9)


def test_bands_in_the_same_folder(silicon: tuple[Path, dict], tmp_path: Path) -> None:
    """The checkpoint that a run begins with may be the one that it replaces."""
    folder, first = silicon
    shutil.copytree(folder, tmp_path / "si")
    mesh = '{ mesh = [4, 4, 4], path = "GX", points = 4 }'
    path = text_of("si2_444", energy_tolerance='"1e-8 Ha"', bands="8", kpoints=mesh) + '[task]\nkind = "bands"\n'
    (tmp_path / "si" / "bands.toml").write_text(path)
    options = ("--output", tmp_path / "si", "--restart", tmp_path / "si" / "checkpoint.h5", "--quiet", "--ranks", 2)
    answer = program("run", tmp_path / "si" / "bands.toml", *options)
    assert answer.returncode == 0, answer.stderr
    again = read_result(tmp_path / "si")
    assert again["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=1e-7)


def test_damage_on_one_kpoint_group_ends_all(silicon: tuple[Path, dict], tmp_path: Path) -> None:
    """The launcher does not read wave functions; the group that finds the damage reports it for all."""
    file = Path(shutil.copy(silicon[0] / "checkpoint.h5", tmp_path))
    with h5py.File(file) as opened:
        coeffs = opened["wfns/coeffs"]
        place = coeffs.id.get_offset() + (coeffs.shape[2] - 5) * 16  # of the last k-point
    content = bytearray(file.read_bytes())
    content[place] ^= 16
    file.write_bytes(content)
    (tmp_path / "in.toml").write_text(text_of("si2_444") + split(2, 1))
    answer = program("run", tmp_path / "in.toml", "--ranks", 2, "--output", tmp_path / "out", "--restart", file)
    assert answer.returncode == 2
    assert "damaged" in answer.stderr and answer.stderr.count("error:") == 1


def test_a_signal_leaves_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "in.toml").write_text(text_of("al4_444"))
    command = [sys.executable, "-m", "wavegrid", "run", tmp_path / "in.toml", "--ranks", "2", "--output", tmp_path]
    child = subprocess.Popen(
        list(map(str, command)), env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for line in child.stdout:  # the first step has been made
        if re.match(r"\s+1\s+\w+\s+-\d", line):
            break
    os.kill(child.pid, signal.SIGTERM)
    _, errors = child.communicate(timeout=120)
    assert child.returncode == 128 + signal.SIGTERM, errors
    assert (tmp_path / "checkpoint.h5").exists()
    again = run(tmp_path / "again", text_of("al4_444"), "--ranks", 1, "--restart", tmp_path / "checkpoint.h5")
    expected = reference("crystals/al4_444")["energies_Ha"]["free"]
    assert again["energy"]["free"] == pytest.approx(expected, abs=4e-9)


SLAB = """[structure]
cell = [[5.318, 0, 0], [2.659, 4.6053, 0], [0, 0, {height}]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["Al", 0, 0, {lower}], ["Al", 2.659, 1.535, {upper}]]
[basis]
{basis}
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = [2, 2, 1] }}
smearing = {{ kind = "cold", width = "0.2 eV" }}
[scf]
energy_tolerance = "1e-5 Ha"
"""


def test_a_mesh_takes_the_density_of_a_slab_from_a_cell_of_another_height(tmp_path: Path) -> None:
    mesh = 'method = "realspace"\nspacing = "0.6 bohr"\nboundary = ["periodic", "periodic", "free"]'
    run(tmp_path / "waves", SLAB.format(height=34, lower=14.83, upper=19.17, basis='ecut = "6 Ha"'))
    text = SLAB.format(height=24, lower=9.83, upper=14.17, basis=mesh)
    first = run(tmp_path / "first", text, "--ranks", 1)
    again = run(tmp_path / "again", text, "--ranks", 1, "--restart", tmp_path / "waves/checkpoint.h5")
    assert again["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=2e-5)
    start, best = again["scf_history"][0]["free_energy"], first["energy"]["free"]
    assert abs(start - best) < 0.5  # stretched with the cell, the density of the atoms was some Ha off
