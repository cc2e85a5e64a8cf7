"""The ranks that this process starts: by mpirun, or as one process without it."""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import IO

from wavegrid.errors import EnvironmentFault
from wavegrid.launch import mpirun
from wavegrid.launch.rank_socket import RankSocket
from wavegrid.launch.shared_folder import SOCKET, open_private
from wavegrid.process import core_loader

_MPI_BYTES = 16 << 20  # that mpirun and the ranks of a machine put into the temporary directory, measured: 8 MiB


class RankProcesses:
    """The folder that the ranks share with this process, the socket by which they find it, and then the ranks."""

    def __init__(self, ranks: int, threads: int) -> None:
        """Make folder and socket, and find mpirun; nothing is started yet. Raises InputError, EnvironmentFault."""
        mpirun.check_start(ranks)
        self.ranks, self.threads = ranks, threads
        self.launcher = None if ranks == 1 else mpirun.find_launcher(core_loader.load().versions().get("mpi", ""))
        try:
            self._folder = tempfile.TemporaryDirectory(prefix="wavegrid-", ignore_cleanup_errors=True)
        except OSError as fault:
            raise EnvironmentFault(f"no temporary directory can be made: {fault.strerror}; set TMPDIR to one") from None
        self.shared = Path(self._folder.name)
        try:
            self.socket = RankSocket(self.shared / SOCKET, ranks)
        except OSError as fault:
            raise EnvironmentFault(f"{self.shared} cannot be written: {fault.strerror or fault}; set TMPDIR") from None

    def start(self, request: str, *, output: int | IO[bytes]) -> "subprocess.Popen[bytes]":
        """Start the ranks, which get `request`; return the child process. Raises EnvironmentFault."""
        if self.launcher is not None:
            _probe(self.shared / "probe")
        environment = mpirun.environment(self.launcher, self.ranks, self.threads, self.shared)
        environment |= {mpirun.WORKER: str(self.shared), mpirun.TOKEN: self.socket.token, "PYTHONUNBUFFERED": "1"}
        program = mpirun.rank_program(request)
        return spawn(mpirun.command(self.launcher, self.ranks, self.threads, program), environment, output, output)

    def close(self) -> None:
        """Close the socket and remove the folder, once the ranks have ended."""
        self.socket.close()
        self._folder.cleanup()


def spawn(
    command: list[str], environment: dict[str, str], output: int | IO[bytes], errors: int | IO[bytes]
) -> "subprocess.Popen[bytes]":
    """Start a command in its own process group, so that only we get the terminal's Ctrl-C; raises EnvironmentFault."""
    try:
        return subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
        )
    except OSError as fault:
        raise EnvironmentFault(f"{command[0]} does not start: {fault.strerror}") from None


def _probe(path: Path) -> None:
    """Find out whether MPI can put its files there: without space it crashes."""
    try:
        with open_private(path) as file:
            os.posix_fallocate(file.fileno(), 0, _MPI_BYTES)
    except OSError as fault:
        raise EnvironmentFault(
            f"{path.parent.parent} has no space for the {_MPI_BYTES >> 20} MiB that mpirun needs: {fault.strerror}; "
            "set TMPDIR to another directory"
        ) from None
    finally:
        path.unlink(missing_ok=True)
