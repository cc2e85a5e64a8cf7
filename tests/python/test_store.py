"""Results are written whole or not at all."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from wavegrid.errors import EnvironmentFault, InternalFault
from wavegrid.files import store


def test_replaces_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    old = path.open()
    store.write_json(path, {"a": np.arange(3), "b": np.float64(0.5)}, "t")
    assert json.loads(path.read_text()) == {"a": [0, 1, 2], "b": 0.5}
    assert old.read() == "old"  # a new file in the old one's place
    assert os.listdir(tmp_path) == ["result.json"]


@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "result.json").write_text("old")
    monkeypatch.setattr(os, function, refuse)
    with pytest.raises(EnvironmentFault, match="No space left on device"):
        store.write_json(tmp_path / "result.json", {"a": 1}, "t")
    assert (tmp_path / "result.json").read_text() == "old"
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_limit_of_the_system_while_writing(tmp_path: Path) -> None:
    program = (
        "import resource, sys; from pathlib import Path; from wavegrid.files import store\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "store.write_json(Path(sys.argv[1]) / 'result.json', {'a': [0] * 9999}, 't')\n"
    )
    (tmp_path / "result.json").write_text("old")
    command = [sys.executable, "-c", program, str(tmp_path)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "File too large" in answer.stderr
    assert os.listdir(tmp_path) == ["result.json"]
    assert (tmp_path / "result.json").read_text() == "old"


def test_not_a_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InternalFault, match="not a number"):
        store.write_json(tmp_path / "result.json", {"a": float("nan")}, "t")
    assert os.listdir(tmp_path) == []


def test_signals_wait_for_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = os.replace

    def interrupted(source: str, target: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        rename(source, target)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    monkeypatch.setattr(os, "replace", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            store.write_json(tmp_path / "result.json", {"a": 1}, "t")
    finally:
        signal.signal(signal.SIGINT, previous)
    assert json.loads((tmp_path / "result.json").read_text()) == {"a": 1}
    assert os.listdir(tmp_path) == ["result.json"]


def test_probe_makes_the_directory_and_leaves_nothing(tmp_path: Path) -> None:
    store.probe(tmp_path / "a" / "b", "t")
    assert os.listdir(tmp_path / "a" / "b") == []


def test_probe_finds_what_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / "result.json").mkdir(parents=True)
    for path in (Path("/proc/nowhere"), tmp_path / "file", tmp_path / "file" / "below", tmp_path / "taken"):
        with pytest.raises(EnvironmentFault, match=f"cannot be written to '{path}'"):
            store.probe(path, "t")

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(EnvironmentFault, match="No space left"):
        store.probe(tmp_path / "full", "t")
    assert os.listdir(tmp_path / "full") == []


def test_removes_what_a_killed_rank_left(tmp_path: Path) -> None:
    (tmp_path / ".result.json.t.partial").write_text("{")
    (tmp_path / ".result.json.other.partial").write_text("{")
    store.remove_partial(tmp_path / "result.json", "t")
    store.remove_partial(tmp_path / "nowhere" / "result.json", "t")
    assert os.listdir(tmp_path) == [".result.json.other.partial"]


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_with_the_name_of_an_unfinished_file_is_not_followed(
    tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    """Another user may have put it there: the directory is theirs, too, or its name was left by an earlier run."""
    (tmp_path / "theirs").write_text("precious")
    for name in ("result.json", "report.html"):
        path = tmp_path / name
        link(tmp_path / "theirs", store.partial(path, "t"))
        store.write(path, b"{}", "t")
        link(tmp_path / "theirs", store.partial(path, "t"))
        store.try_file(path, "t")
        assert path.read_bytes() == b"{}" and not path.is_symlink()
    assert (tmp_path / "theirs").read_text() == "precious"
    assert sorted(os.listdir(tmp_path)) == ["report.html", "result.json", "theirs"]


def test_names_of_unfinished_files_cannot_be_guessed() -> None:
    program = "from wavegrid.files import store; print(store.process_token())"
    tokens = {subprocess.check_output([sys.executable, "-c", program]).partition(b"-")[2] for _ in range(2)}
    assert len(tokens) == 2
