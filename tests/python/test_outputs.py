"""Files that a run must not replace, two runs in one directory, standard output that fails."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import clean_environment, program

from wavegrid.comparison.inputs import write as other_inputs
from wavegrid.errors import EnvironmentFault
from wavegrid.files import kinds, lock, trajectory
from wavegrid.html_report import build
from wavegrid.plots import files


def run(path: Path, *arguments: object, environment: dict, **options) -> subprocess.CompletedProcess:
    """Run in the folder of the input file on one rank."""
    return program("run", path, "--ranks", 1, *arguments, environment=environment, cwd=path.parent, **options)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--trace", "out/checkpoint.h5"], "--trace out/checkpoint.h5: is also written by this run as checkpoint.h5"),
        (["--trace", "in.toml"], "--trace in.toml: is the input file"),
        (["--trace", "notes.txt"], "--trace notes.txt: exists and is not a file of this kind"),
        (["--trace", "my.psp"], "--trace my.psp: is a pseudopotential file"),
        (["--output", "other"], "'other/result.json': exists and is not a file of this kind"),
        (["--output", "third"], "'third/checkpoint.h5': exists and is not a file of this kind"),
        (["--output", "fourth"], "'fourth/checkpoint.1.h5': exists and is not a file of this kind"),
        (["--trace", "out/checkpoint.1.h5"], "--trace out/checkpoint.1.h5: is also written by this run"),
    ],
)
def test_nothing_of_another_kind_is_replaced(
    arguments: list, words: str, write: Callable[..., Path], fake_environment: dict
) -> None:
    path = write(('"gth-lda"', '{ Al = "my.psp" }'))
    folder = path.parent
    for name in ("notes.txt", "other/result.json", "third/checkpoint.h5", "fourth/checkpoint.1.h5"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("of the user")
    (folder / "my.psp").write_text("Al 3 LDA_XC_TETER93\n")
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and "hook" not in file.parts}
    answer = run(path, *arguments, environment=fake_environment)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"error: {words}")
    assert answer.stderr.count("\n") == 1
    assert {file: file.read_bytes() for file in before} == before


def test_what_wavegrid_writes_is_recognised(tmp_path: Path) -> None:
    contents = {
        ".png": b"\x89PNG\r\n", ".h5": b"\x89HDF\r\n", ".cube": b"Al4\ndensity, electrons/bohr^3, by wavegrid\n",
        "result": b'{\n "schema_version": 1', "trace": b'{"displayTimeUnit":"ms","traceEvents":[\n',
    }  # fmt: skip
    path = tmp_path / "x"
    for kind in contents:
        for other, start in contents.items():
            path.write_bytes(start)
            assert kinds.is_of_kind(path, kind) == (kind == other)
        path.write_bytes(b"")
        assert kinds.is_of_kind(path, kind)


def test_a_lock_keeps_a_second_run_out(tmp_path: Path) -> None:
    with lock.held(tmp_path) as descriptor:
        assert descriptor is not None
        words = rf"another run writes into '{tmp_path}': process {os.getpid()} on .* since 20\d\d-"
        with pytest.raises(EnvironmentFault, match=words), lock.held(tmp_path):
            pass
    assert os.listdir(tmp_path) == []
    (tmp_path / lock.NAME).write_text("left by a run that was killed")
    with lock.held(tmp_path):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda path, theirs: path.symlink_to(theirs), "a symbolic link"),
        (lambda path, theirs: path.symlink_to(theirs.parent / "missing"), "a symbolic link"),
        (lambda path, theirs: path.hardlink_to(theirs), "another name of a file"),
        (lambda path, theirs: os.mkfifo(path), "not a file"),
    ],
)
def test_a_lock_is_not_written_into_another_file(
    make: Callable[[Path, Path], object], what: str, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("precious")
    make(tmp_path / lock.NAME, theirs)
    with pytest.raises(EnvironmentFault, match=f"the lock of the output directory, is {what}"), lock.held(tmp_path):
        pass
    assert theirs.read_text() == "precious"
    assert sorted(os.listdir(tmp_path)) == [lock.NAME, "theirs"]


def test_fixed_names_of_unfinished_files_are_not_used(tmp_path: Path) -> None:
    """A trajectory, a plot, a page, an input of another program: each has links in its way."""
    theirs = tmp_path / "theirs"
    theirs.write_text("precious")
    home = tmp_path / "out"
    home.mkdir()
    for name in (".trajectory.extxyz.partial", f".md.{os.getpid()}.png", f".report.html.{os.getpid()}.partial"):
        (home / name).symlink_to(theirs)
    (home / "scf.in").symlink_to(tmp_path / "made_by_following")
    trajectory.Trajectory(home / "trajectory.extxyz", b"frames\n").add(b"another\n")
    files.save(files.new_figure(1, 1), home / "md.png")
    build.write(home / "report.html", "<html>")
    with pytest.raises(EnvironmentFault, match="File exists"):
        other_inputs.save(home, {"scf.in": "&control"})
    assert (home / "trajectory.extxyz").read_text() == "frames\nanother\n"
    assert theirs.read_text() == "precious"
    assert not (tmp_path / "made_by_following").exists()


def test_a_file_system_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with lock.held(tmp_path) as descriptor:
        assert descriptor is None
    assert "has no locks (No locks available): start no second run there" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_two_runs_in_one_directory(write: Callable[..., Path], fake_environment: dict) -> None:
    path = write()
    command = [sys.executable, "-m", "wavegrid", "run", str(path), "--ranks", "2", "-q"]
    environment = fake_environment | {"FAKE_CORE": "slow"}
    first = subprocess.Popen(command, env=environment, cwd=path.parent, stderr=subprocess.DEVNULL)
    while not (path.parent / "out" / lock.NAME).exists():
        time.sleep(0.05)
        assert first.poll() is None
    second = run(path, environment=fake_environment)
    assert (second.returncode, second.stderr.count("\n")) == (3, 1)
    assert f"process {first.pid} on" in second.stderr
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=30) == 128 + signal.SIGTERM
    assert run(path, environment=fake_environment).returncode == 0
    assert lock.NAME not in os.listdir(path.parent / "out")


@pytest.mark.parametrize(
    ("redirection", "code", "words"),
    [
        (">/dev/full", 3, "No space left on device; nothing was run"),
        (">&-", 3, "it is closed; nothing was run"),
        ("-q >/dev/full", 0, ""),
        ("-q >&-", 0, ""),
        (">/dev/null 2>/dev/full", 0, ""),
        ("2>&-", 0, ""),
    ],
)
def test_output_that_cannot_be_written(
    redirection: str, code: int, words: str, write: Callable[..., Path], fake_environment: dict
) -> None:
    path = write()
    command = f"'{sys.executable}' -m wavegrid run {path.name} --ranks 1 {redirection}"
    options = {"env": fake_environment, "cwd": path.parent, "capture_output": True, "text": True, "check": False}
    answer = subprocess.run(["bash", "-c", command], **options)
    assert answer.returncode == code
    assert answer.stderr.count("\n") == (1 if words else 0)
    assert words in answer.stderr
    assert (path.parent / "out" / "result.json").exists() == (code == 0)


def test_a_reader_that_has_seen_enough(write: Callable[..., Path], fake_environment: dict) -> None:
    path = write()
    command = f"'{sys.executable}' -m wavegrid run {path.name} --ranks 2 | head -n 1; exit ${{PIPESTATUS[0]}}"
    options = {"env": fake_environment, "cwd": path.parent, "capture_output": True, "text": True, "check": False}
    answer = subprocess.run(["bash", "-c", command], **options)
    assert (answer.returncode, answer.stdout.count("\n")) == (3, 1)
    assert answer.stderr.startswith("error: standard output cannot be written: Broken pipe; the run went on to its end")
    assert json.loads((path.parent / "out" / "result.json").read_text())["converged"]


def test_a_reader_of_a_table_that_has_seen_enough() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    answer = subprocess.run(
        [sys.executable, "-m", "wavegrid", "schema", "input"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (answer.returncode, answer.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize("arguments", ["version", "schema input", "check in.toml --json"])
def test_other_commands_report_it_too(arguments: str, write: Callable[..., Path]) -> None:
    command = f"'{sys.executable}' -m wavegrid {arguments} >/dev/full"
    options = {"env": clean_environment(), "cwd": write().parent, "capture_output": True, "text": True, "check": False}
    answer = subprocess.run(["bash", "-c", command], **options)
    assert (answer.returncode, answer.stderr.count("\n")) == (3, 1)
    assert "standard output cannot be written: No space left on device" in answer.stderr


def test_a_temporary_directory_without_space(write: Callable[..., Path], fake_environment: dict) -> None:
    command = f"ulimit -f 1000; exec '{sys.executable}' -m wavegrid run {write().name} --ranks 2 -q"
    options = {"env": fake_environment, "cwd": write().parent, "capture_output": True, "text": True, "check": False}
    answer = subprocess.run(["bash", "-c", command], **options)
    assert answer.returncode == 3
    assert answer.stderr.count("\n") == 1
