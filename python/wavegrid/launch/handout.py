"""How ranks get their job: a socket in the folder that they share with the process that started them.

They start while the input is still being read. Each connects, reports its rank and waits; the launcher sends the job as
soon as it is checked, or closes the socket where it is refused.
"""

import contextlib
import json
import socket
from pathlib import Path
from typing import Any

from wavegrid.launch import rank_socket
from wavegrid.launch.shared_folder import SOCKET


class Handout:
    """The launcher's side: gives one job to each rank that connects."""

    def __init__(self, ranks: rank_socket.RankSocket) -> None:
        """Ranks that connect before there is a job wait."""
        self.ranks = ranks
        self._job = b""
        self._lock: int | None = None

    def offer(self, job: dict[str, Any], lock: int | None) -> None:
        """Set the job; rank 0 also gets the descriptor `lock`, which thus stays open if the launcher is killed."""
        self._job, self._lock = json.dumps(job).encode(), lock

    def serve(self) -> None:
        """Give the job to the ranks that have connected."""
        for rank, connection in self.ranks.connected():
            passed = [self._lock] if rank == 0 and self._lock is not None else []
            with contextlib.suppress(OSError), connection:  # the rank may have ended
                socket.send_fds(connection, [b"\n"], passed)
                connection.sendall(self._job)


class Waiting:
    """A rank's side."""

    def __init__(self, shared: Path, rank: int) -> None:
        """Connect; raises OSError where the launcher is on another machine or has closed the socket."""
        self._connection = rank_socket.connect(shared / SOCKET, rank)

    def job(self) -> dict[str, Any] | None:
        """Return the job, or None where the launcher has refused it or has ended."""
        try:
            with self._connection:
                socket.recv_fds(self._connection, 1, 1)  # the lock is held until this process ends
                parts = iter(lambda: self._connection.recv(1 << 16), b"")
                text = b"".join(parts)
        except OSError:
            return None
        found: dict[str, Any] | None = json.loads(text) if text else None
        return found
