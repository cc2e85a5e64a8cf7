"""The socket by which the ranks of one run find the process that started them.

A rank proves that it is one by the token in its environment. Other connections are closed, and those that say nothing
keep nobody waiting.
"""

import contextlib
import os
import selectors
import socket
from collections.abc import Iterator
from pathlib import Path

from wavegrid.launch.mpirun import TOKEN

_LONGEST_LINE = 80  # bytes of a rank's number, the token and the end of line
_LONGEST_NAME = 100  # bytes; systems take 104 to 108 as the name of a socket
_WAITING = 64  # connections without a proof that are kept, beyond one for each rank


class RankSocket:
    """Listens in a folder that only this user can read; `fileno` belongs to something that `connected` can take."""

    def __init__(self, path: Path, ranks: int) -> None:
        """Listen, without accepting; raises OSError."""
        self.token = os.urandom(16).hex()
        self._ranks, self._most = ranks, ranks + _WAITING
        self._lines: dict[socket.socket, bytes] = {}  # what each has said that is not known as a rank
        self._listening = socket.socket(socket.AF_UNIX)
        try:
            with _short_name(path) as name:
                self._listening.bind(name)
            path.chmod(0o600)
            self._listening.listen(self._most)
            self._listening.setblocking(False)
        except OSError:
            self._listening.close()
            raise
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._listening, selectors.EVENT_READ)

    def fileno(self) -> int:
        """Return a descriptor that can be read when a connection is there or has said something."""
        return self._ready.fileno()

    def connected(self, seconds: float = 0.0) -> Iterator[tuple[int, socket.socket]]:
        """Return number and connection of ranks that have connected, after at most `seconds` if there is none."""
        for _ in range(2 * self._most):  # not without end, whoever connects
            ready = self._ready.select(seconds)
            if not ready:
                return
            seconds = 0.0
            for key, _ in ready:
                if key.fileobj is self._listening:
                    self._accept()
                elif key.fileobj in self._lines:  # else closed since, as one too many
                    assert isinstance(connection := key.fileobj, socket.socket)
                    if (rank := self._listen_to(connection)) is not None:
                        yield rank, connection

    def _accept(self) -> None:
        if len(self._lines) == self._most:
            self._forget(next(iter(self._lines))).close()
        with contextlib.suppress(OSError):  # it has gone
            connection = self._listening.accept()[0]
            connection.setblocking(False)
            self._lines[connection] = b""
            self._ready.register(connection, selectors.EVENT_READ)

    def _forget(self, connection: socket.socket) -> socket.socket:
        self._ready.unregister(connection)
        del self._lines[connection]
        return connection

    def _listen_to(self, connection: socket.socket) -> int | None:
        """Read what a connection says; return its rank once it has proved it, and close it if it cannot."""
        try:
            data = connection.recv(_LONGEST_LINE)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        line = self._lines[connection] + data
        if data and b"\n" not in line and len(line) < _LONGEST_LINE:
            self._lines[connection] = line
            return None
        self._forget(connection)
        if (rank := self._rank(line)) is None:
            connection.close()
            return None
        connection.setblocking(True)
        return rank

    def _rank(self, line: bytes) -> int | None:
        """Return the rank that a line names, if it has the token and there is such a rank."""
        import hmac  # not for the ranks

        number, _, token = line.partition(b" ")
        if not hmac.compare_digest(token, self.token.encode() + b"\n") or not number.isdigit():
            return None
        return rank if (rank := int(number)) < self._ranks else None

    def close(self) -> None:
        """Refuse those that wait, and those that come later."""
        for connection in self._lines:
            connection.close()
        self._lines.clear()
        self._ready.close()
        self._listening.close()


def connect(path: Path, rank: int) -> socket.socket:
    """Return the connection of this rank; raises OSError where nobody listens."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        with _short_name(path) as name:
            connection.connect(name)
        connection.sendall(f"{rank} {os.environ.get(TOKEN, '')}\n".encode())
    except OSError:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _short_name(path: Path) -> Iterator[str]:
    """Name a socket in a folder whose name is too long for sockets by the descriptor of the folder."""
    if len(os.fsencode(path)) <= _LONGEST_NAME:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
