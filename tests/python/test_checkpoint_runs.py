"""Checkpoints of a run: when they are written, what a run begins with, signals that end it. With a stand-in core."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import checkpoint_file
import fake_core
import h5py
import numpy as np
import pytest
from conftest import clean_environment, invoke, program

from wavegrid.errors import InputError
from wavegrid.job import prepare as jobs
from wavegrid.job import resume
from wavegrid.job.prepare import prepare
from wavegrid.model.result import Result
from wavegrid.results import report
from wavegrid.units import Interval, parse_interval

OF_FILE = (
    ("cell = [[4.05,0,0],[0,4.05,0],[0,0,4.05]]", f"cell = {checkpoint_file.CELL.tolist()}"),
    ('unit = "angstrom"', 'unit = "bohr"'),
    ('["Al",0,0,0],["Al",0,0.5,0.5],\n', '["Al",0,0,0],["Al",0.25,0.5,0.5],["Li",0.6,0.1,0.7]]\n'),
    ('         ["Al",0.5,0,0.5],["Al",0.5,0.5,0]]\n', ""),
    ('ecut = "240 eV"', 'ecut = "3 Ha"'),
    ("grid = [16,16,16]", "grid = [9,10,12]"),
    ("bands = 10", "bands = 3\ncharge = 3"),
    ('smearing = { kind = "fermi-dirac", width = "0.2 eV" }\n', ""),
)  # the crystal, basis and electrons of checkpoint_file, at Gamma


def prepared(path: Path, **options) -> dict:
    """Return the problem that the core gets."""
    return prepare(fake_core, path, **options).problem


def output(write: Callable[..., Path], line: str) -> Path:
    return write(('directory = "out"', f'directory = "out"\n{line}'))


@pytest.mark.parametrize(
    ("line", "every_seconds", "every_steps", "keep"),
    [
        ("", 600.0, None, 2),
        ("checkpoint = true", 600.0, None, 2),
        ("checkpoint = {}", 600.0, None, 2),
        ('checkpoint = { every = "30 s", keep = 1 }', 30.0, None, 1),
        ('checkpoint = { every = "1.5 h" }', 5400.0, None, 2),
        ('checkpoint = { every = "5 steps", keep = 9 }', None, 5, 9),
        ('checkpoint = { every = "1 step" }', None, 1, 2),
    ],
)
def test_when_checkpoints_are_written(
    line: str, every_seconds: float | None, every_steps: int | None, keep: int, write: Callable[..., Path]
) -> None:
    found = prepared(output(write, line))["checkpoint"]
    assert (found["every_seconds"], found["every_steps"], found["keep"]) == (every_seconds, every_steps, keep)
    assert found["file"] == "out/checkpoint.h5"
    assert json.loads(found["input"])["basis"]["ecut"] == "240 eV"
    assert {"wavegrid", "mpi"} <= json.loads(found["versions"]).keys()
    assert found["program"].startswith("wavegrid ")


def test_directories_and_no_checkpoints(write: Callable[..., Path]) -> None:
    assert prepared(write(), directory="else/where")["checkpoint"]["file"] == "else/where/checkpoint.h5"
    assert prepared(output(write, "checkpoint = false"))["checkpoint"] is None
    assert prepared(write())["restart"] is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("checkpoint = 3", ["checkpoint = 3: neither true, false nor a table", 'every = "10 min", keep = 2']),
        ('checkpoint = "10 min"', ["neither true, false nor a table"]),
        ('checkpoint = { evry = "1 h" }', ["unknown key 'evry' in [output.checkpoint]", "did you mean 'every'?"]),
        ("checkpoint = { every = 600 }", ["checkpoint.every = 600: missing unit", '"10 min" or "5 steps"']),
        ('checkpoint = { every = "600" }', ["missing unit"]),
        ('checkpoint = { every = "10 mins" }', ["unknown unit 'mins'; did you mean 'min'?"]),
        ('checkpoint = { every = "10 sec" }', ["unknown unit 'sec'; did you mean 's'?"]),
        ('checkpoint = { every = "3 itertions" }', ["did you mean 'steps'?"]),
        ('checkpoint = { every = "3 kJ" }', ["unknown unit 'kJ'; valid: a time in s, min or h"]),
        ('checkpoint = { every = "0 s" }', ["not above zero"]),
        ('checkpoint = { every = "-5 steps" }', ["not above zero"]),
        ('checkpoint = { every = "2.5 steps" }', ["not a whole number of steps"]),
        ('checkpoint = { every = "often" }', ["not a number with a unit"]),
        ("checkpoint = { every = true }", ["not a number with a unit"]),
        ("checkpoint = { keep = 0 }", ["checkpoint.keep = 0: not above zero"]),
        ("checkpoint = { keep = 1.5 }", ["not a whole number"]),
        ("chekpoint = true", ["unknown key 'chekpoint'", "did you mean 'checkpoint'?"]),
    ],
)
@pytest.mark.usefixtures("fake")
def test_bad_checkpoint_keys(line: str, words: list[str], write: Callable[..., Path]) -> None:
    answer = invoke("check", output(write, line))
    assert answer.exit_code == 2
    assert ":24: " in answer.stderr
    for word in words:
        assert word in answer.stderr


def test_intervals() -> None:
    assert parse_interval(" 2 MIN ") == Interval(seconds=120.0)
    assert parse_interval(Interval(steps=3)) == Interval(steps=3)
    with pytest.raises(ValueError, match="not above zero"):
        parse_interval("1e999 s")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return an intact checkpoint of three atoms at Gamma."""
    file = tmp_path / "old.h5"
    checkpoint_file.write(file)
    return file


def notes(path: Path, restart: Path) -> str:
    job = prepare(fake_core, path, restart=str(restart))
    assert job.problem["restart"] == str(restart)
    return next(note for note in job.notes if note.startswith("restart"))


def test_a_checkpoint_of_the_same_calculation(saved: Path, write: Callable[..., Path]) -> None:
    assert notes(write(*OF_FILE), saved) == (
        f"restart from {saved}: Al2Li, 1 k-point, 3 bands, converged after 9 steps"
    )


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (('ecut = "3 Ha"', 'ecut = "2.5 Ha"'), "cutoff 3 Ha"),
        (("grid = [9,10,12]", "grid = [10,10,12]"), "grid 9 x 10 x 12"),
        (("[[7.0", "[[7.1"), "the cell"),
        (("0.6,0.1,0.7", "0.6,0.1,0.71"), "positions"),
        (("bands = 3", "bands = 4"), "3 bands"),
        (("charge = 3", "charge = 1"), "4 electrons"),
        (("charge = 3", "charge = 3\nkpoints = { mesh = [2,1,1] }"), "k-points"),
        (("charge = 3", "charge = 3\nkpoints = { list = [[0.5,0,0]] }"), "k-points"),
    ],
)
def test_differences_are_printed(change: tuple[str, str], word: str, saved: Path, write: Callable[..., Path]) -> None:
    path = write(*OF_FILE)
    text = path.read_text()
    assert change[0] in text
    path.write_text(text.replace(*change))
    assert notes(path, saved).endswith(f"; different from this input: {word}")


def test_listed_kpoints_are_compared(saved: Path, write: Callable[..., Path]) -> None:
    checkpoint_file.write(saved, half=False)
    path = write(*OF_FILE)
    for points, same in ((checkpoint_file.KPOINTS, True), ([[0, 0, 0], [0.5, 0, 0]], False)):
        listed = f"charge = 3\nkpoints = {{ list = {points} }}"
        path.write_text(write(*OF_FILE).read_text().replace("charge = 3", listed))
        assert ("different from this input: k-points" in notes(path, saved)) != same


def test_checkpoints_that_do_not_fit(saved: Path, write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"it holds Al2Li, the input Al4; valid: a checkpoint of the same atoms"):
        prepare(fake_core, write(), restart=str(saved))
    path = write(*OF_FILE)
    atoms = [line for line in path.read_text().splitlines() if line.startswith("atoms")][0]
    assert atoms.count("],[") >= 1
    first, rest = atoms.removeprefix("atoms = [[").removesuffix("]]").split("],[", 1)
    path.write_text(path.read_text().replace(atoms, f"atoms = [[{rest}],[{first}]]"))
    with pytest.raises(InputError, match="in another order; valid: a checkpoint of the same atoms in the same order"):
        prepare(fake_core, path, restart=str(saved))


def test_another_spin_is_printed(saved: Path, write: Callable[..., Path]) -> None:
    checkpoint_file.write(saved, spins=2)
    assert notes(write(*OF_FILE), saved).endswith("; different from this input: spin")


def test_bad_checkpoints_are_refused_before_anything_starts(
    saved: Path, write: Callable[..., Path], fake_environment: dict
) -> None:
    path, out = write(*OF_FILE), saved.parent / "out"
    whole = saved.read_bytes()
    inside = whole.index(b"OHDR", 200) + 20
    (saved.parent / "text.h5").write_text("title")
    for name, content, words in (
        ("old.h5", whole[:-9], "truncated"),
        ("old.h5", whole[:inside] + b"\xff" * 9 + whole[inside + 9 :], "damaged"),
        ("none.h5", None, "no such file"),
        ("text.h5", None, "is not an HDF5 file"),
        ("", None, "--restart is empty"),
    ):
        saved.write_bytes(whole if content is None else content)
        file = f"{saved.parent}/./{name}" if name else ""
        answer = program("run", path, "--restart", file, "--output", out, environment=fake_environment)
        assert (answer.returncode, answer.stdout) == (2, ""), answer.stderr
        assert answer.stderr.count("\n") == 1
        assert words in answer.stderr
        assert answer.stderr.startswith(f"error: --restart {file}: " if file else "error: --restart is empty")
        assert not out.exists()


def test_the_checkpoint_of_a_trajectory_is_named_with_it(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.h5").write_text("text")
    start = resume.Start(None, str(tmp_path / "checkpoint.h5"), "./x/trajectory.extxyz")
    with pytest.raises(InputError, match=r"^--restart \./x/trajectory\.extxyz: its checkpoint checkpoint\.h5: is not"):
        jobs._check_restart(start, {"external": None}, 1.0, {"electrons": {"pseudopotentials": "gth-lda"}})


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_prints_its_checkpoints(
    ranks: int, saved: Path, write: Callable[..., Path], fake_environment: dict
) -> None:
    out = saved.parent / "out"
    environment = fake_environment | {"FAKE_CORE": "checkpoint"}
    arguments = ("run", write(*OF_FILE), "--restart", saved, "--output", out, "--ranks", ranks)
    answer = program(*arguments, environment=environment)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert f"note: restart from {saved}: Al2Li" in answer.stdout
    begun = "1 k-point found, 10 bands, smallest squared norm retained 1.000000, density taken, 0.01 s"
    assert f"restart from {saved}: {begun}" in answer.stdout
    assert f"checkpoint {out}/checkpoint.h5: 1 MB, written 2 times in 0.10 s" in answer.stdout
    result = json.loads((out / "result.json").read_text())
    assert result["restart"]["file"] == str(saved)
    assert result["checkpoint"]["writes"] == 2
    assert "stopped" not in result


def test_lines() -> None:
    begun = {
        "file": "c.h5", "kpoints_found": 3, "kpoints_rotated": 2, "kpoints_missing": 1, "bands_found": 8,
        "bands_random": 0, "min_norm_retained": 0.5, "density": "interpolated", "seconds": 1.0,
    }  # fmt: skip
    assert report.checkpoint_lines(Result.read({"restart": begun})) == [
        "restart from c.h5: 3 k-points found, 2 rotated, 1 missing, 8 bands, smallest squared norm retained 0.500000, "
        "density interpolated, 1.00 s"
    ]
    assert report.checkpoint_lines(Result.read({})) == []


def start(path: Path, out: Path, environment: dict, *arguments: object) -> subprocess.Popen:
    """Start a run and wait until its ranks are in the solver."""
    command = [sys.executable, "-m", "wavegrid", "run", path, "--output", out, *arguments]
    child = subprocess.Popen(
        list(map(str, command)),
        env=environment | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while "-1.500000000" not in child.stdout.readline():
        assert child.poll() is None
    return child


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_after_its_step(
    ranks: int, number: int, write: Callable[..., Path], fake_environment: dict
) -> None:
    out = write().parent / "out"
    child = start(write(), out, fake_environment | {"FAKE_CORE": "stops"}, "--ranks", ranks)
    child.send_signal(number)
    text, errors = child.communicate(timeout=60)
    assert child.returncode == 128 + number
    assert errors == f"stopping after this step with checkpoint {out}/checkpoint.h5; a second signal stops at once\n"
    assert f"continue with --restart {out}/checkpoint.h5" in text
    assert "not converged after" not in text
    result = json.loads((out / "result.json").read_text())
    assert result["converged"] is False
    assert result["stopped"] == ("SIGINT" if number == signal.SIGINT else "SIGTERM")
    assert "advice" not in result


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_second_signal_ends_it_at_once(ranks: int, write: Callable[..., Path], fake_environment: dict) -> None:
    out = write().parent / "out"
    child = start(write(), out, fake_environment | {"FAKE_CORE": "stubborn"}, "--ranks", ranks)
    child.send_signal(signal.SIGINT)
    assert child.stderr.readline().startswith("stopping after this step")
    time.sleep(0.5)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert time.monotonic() - began < 10
    assert (child.returncode, errors) == (130, "error: interrupted; no result was written\n")
    assert os.listdir(out) == []


def test_without_checkpoints_a_signal_ends_it_at_once(write: Callable[..., Path], fake_environment: dict) -> None:
    path = output(write, "checkpoint = false")
    out = path.parent / "out"
    child = start(path, out, fake_environment | {"FAKE_CORE": "stubborn"}, "--ranks", 1)
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=30)
    assert (child.returncode, errors) == (143, "error: interrupted; no result was written\n")


def test_a_stopped_run_makes_no_bands(write: Callable[..., Path], fake_environment: dict) -> None:
    path = write(("bands = 10", 'bands = 10\nkpoints = { mesh = [2,2,2], path = "GX", points = 5 }'))
    out = path.parent / "out"
    child = start(path, out, fake_environment | {"FAKE_CORE": "stops"}, "--ranks", 1)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=60)
    assert child.returncode == 143
    assert sorted(os.listdir(out)) == ["result.extxyz", "result.json"]


def test_ranks_start_without_hdf5(write: Callable[..., Path]) -> None:
    path = write()
    code = (
        "import sys, fake_core; from pathlib import Path\n"
        "from wavegrid.job.prepare import prepare; from wavegrid.rank import worker\n"
        f"prepare(fake_core, Path({str(path)!r}))\n"
        "assert 'h5py' not in sys.modules and 'xxhash' not in sys.modules"
    )
    environment = clean_environment() | {"PYTHONPATH": str(Path(__file__).parent)}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


def test_versions_other_than_ours_are_refused(saved: Path, write: Callable[..., Path]) -> None:
    with h5py.File(saved, "a") as file:
        file["wavegrid"].attrs["version"] = np.int32(7)
    with pytest.raises(InputError, match="is of version 7"):
        prepare(fake_core, write(*OF_FILE), restart=str(saved))
