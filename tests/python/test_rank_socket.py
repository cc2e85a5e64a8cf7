"""Strangers at the socket of the ranks are refused, and the run goes on."""

import contextlib
import json
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import program

from wavegrid.launch import handout, mpirun, rank_pool, rank_processes, rank_socket

STRANGE = [
    b"hello\n",
    b"0\n",
    b"99 %b\n",
    b"-1 %b\n",
    b"+0 %b\n",
    b"1" * 5000,
    b"1" * 5000 + b" %b\n",
    b" %b\n",
    b"0 %b",  # and no more
    b"0 %b\nmore",
    b"0 wrong%b\n",
    b"\xff\xfe\0\n",
    b"\n",
    b"",
]


def stranger(path: Path, words: bytes) -> socket.socket:
    """Connect, say something and stay."""
    connection = socket.socket(socket.AF_UNIX)
    with rank_socket._short_name(path) as name:
        connection.connect(name)
    with contextlib.suppress(OSError):
        connection.sendall(words)
    return connection


@pytest.fixture
def strangers() -> Iterator[list[socket.socket]]:
    """Return a list of connections that are closed in the end."""
    kept: list[socket.socket] = []
    yield kept
    for connection in kept:
        connection.close()


def test_only_ranks_with_the_token_get_a_job(
    tmp_path: Path, strangers: list[socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = handout.Handout(rank_socket.RankSocket(tmp_path / handout.SOCKET, 2))
    monkeypatch.setenv(mpirun.TOKEN, listening.ranks.token)
    for words in STRANGE:
        strangers.append(stranger(tmp_path / handout.SOCKET, words.replace(b"%b", listening.ranks.token.encode())))
        stranger(tmp_path / handout.SOCKET, words).close()  # early
        listening.offer({"a": 1}, None)
        listening.serve()
    ranks = [handout.Waiting(tmp_path, rank) for rank in (1, 0)]
    began = time.monotonic()
    listening.serve()
    assert [rank.job() for rank in ranks] == [{"a": 1}, {"a": 1}]
    assert time.monotonic() - began < 20  # strangers hold nothing up
    listening.ranks.close()
    for connection in strangers:
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(100) == b""


def test_more_silent_strangers_than_are_kept(
    tmp_path: Path, strangers: list[socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = rank_socket.RankSocket(tmp_path / "s", 1)
    monkeypatch.setenv(mpirun.TOKEN, listening.token)
    for _ in range(150):
        strangers.append(stranger(tmp_path / "s", b""))
        assert list(listening.connected()) == []
    strangers.append(rank_socket.connect(tmp_path / "s", 0))
    assert [rank for rank, connection in listening.connected() if not connection.close()] == [0]
    listening.close()


@pytest.mark.parametrize("words", [b"hello", b"hello\n", None])
def test_the_oldest_stranger_speaks_or_closes_when_one_more_connects(
    words: bytes | None, tmp_path: Path, strangers: list[socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = rank_socket.RankSocket(tmp_path / "s", 1)
    monkeypatch.setenv(mpirun.TOKEN, listening.token)
    for _ in range(listening._most):
        strangers.append(stranger(tmp_path / "s", b""))
        assert list(listening.connected()) == []
    strangers.append(rank_socket.connect(tmp_path / "s", 0))
    if words is None:
        strangers[0].close()
    else:
        strangers[0].sendall(words)
    assert [rank for rank, connection in listening.connected() if not connection.close()] == [0]
    listening.close()


def test_sockets_and_files_are_private_and_folders_may_have_long_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    before = os.umask(0)
    try:
        listening = rank_socket.RankSocket(folder / "s", 1)
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "s").stat().st_mode) == 0o600
    monkeypatch.setenv(mpirun.TOKEN, listening.token)
    connection = rank_socket.connect(folder / "s", 0)
    assert [rank for rank, other in listening.connected() if not other.close()] == [0]
    connection.close()
    listening.close()


def test_the_file_that_asks_for_space_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the umask; it exists for moments only, so that others rarely see it."""
    modes = []
    monkeypatch.setattr(os, "posix_fallocate", lambda file, *_: modes.append(stat.S_IMODE(os.fstat(file).st_mode)))
    before = os.umask(0)
    try:
        rank_processes._probe(tmp_path / "probe")
    finally:
        os.umask(before)
    assert modes == [0o600]


class Meddling(threading.Thread):
    """Connects as every kind of stranger to each socket that appears in a folder, until it is stopped."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder, self.stopped, self.kept = folder, threading.Event(), []
        self.met: set[Path] = set()
        self.open: set[str] = set()

    def run(self) -> None:
        while not self.stopped.wait(0.005):
            for path in self.folder.glob("wavegrid-*/*"):
                with contextlib.suppress(OSError):
                    if path.is_file() and path.stat().st_mode & 0o077:
                        self.open.add(path.name)
                    if path.is_socket() and path not in self.met:
                        self.kept += [stranger(path, words) for words in STRANGE]
                        self.met.add(path)

    def __enter__(self) -> "Meddling":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.join()
        for connection in self.kept:
            connection.close()


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("parent", ["t", "long" * 22])
def test_a_run_goes_on(ranks: int, parent: str, write: Callable[..., Path], fake_environment: dict[str, str]) -> None:
    """Also where the name of the temporary directory is longer than a socket's may be."""
    folder = write().parent / parent
    folder.mkdir()
    command = ["run", write(), "--ranks", ranks, "--output", folder / "out", "-q"]
    environment = fake_environment | {"TMPDIR": str(folder)}
    began = time.monotonic()
    with Meddling(folder) as meddling:
        answer = program(*command, environment=environment, umask=0)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert len(meddling.met) == 1
    assert not meddling.open
    assert json.loads((folder / "out" / "result.json").read_text())["title"] == "Al4"
    assert time.monotonic() - began < 30


def test_a_session_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ranks stay; strangers connect while they start."""
    monkeypatch.setattr(rank_processes.tempfile, "tempdir", str(tmp_path))
    with Meddling(tmp_path) as meddling:
        ranks = rank_pool.RankPool(2, 1)
        with pytest.raises(Exception, match="cell"):  # they answer: a problem without one
            ranks.solve({"atoms": []})
        ranks.close()
    assert len(meddling.met) == 1
    assert not meddling.open
