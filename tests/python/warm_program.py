"""The program as copies of a process that has imported it: imports take half of the CPU time of a small run.

Started as a script, this is the process to be copied. Its standard input is a socket, from which it reads requests one
at a time: arguments, folder and environment, with the descriptors of standard output and errors. It answers with the
number of the copy's process, and with its exit code when it has ended.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile

_MOST = 200_000  # bytes of a request


class WarmProgram:
    """Starts the program; one call at a time. It keeps the variables of Python with which it was made."""

    def __init__(self, environment: dict[str, str]):
        """Start the process to be copied."""
        self.variables = _of_python(environment)
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self._process = subprocess.Popen([sys.executable, "-P", __file__], stdin=there, env=environment)
        atexit.register(self.close)

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.wait()

    def fits(self, environment: dict[str, str]) -> bool:
        """Return whether a new process would find the same modules with this environment."""
        return _of_python(environment) == self.variables

    def run(
        self, arguments: list[str], environment: dict[str, str], folder: str, timeout: float
    ) -> subprocess.CompletedProcess:
        """Run the program in a folder to its end."""
        request = json.dumps({"arguments": arguments, "environment": environment, "folder": folder}).encode()
        assert len(request) < _MOST
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
            socket.send_fds(self._socket, [request], [out.fileno(), errors.fileno()])
            process = int(self._socket.recv(100))
            self._socket.settimeout(timeout)
            try:
                code = int(self._socket.recv(100))
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                self._socket.settimeout(None)
                self._socket.recv(100)
                raise
            finally:
                self._socket.settimeout(None)
            out.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(["wavegrid", *arguments], code, out.read(), errors.read())


def _of_python(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith("PYTHON") or name == "LD_PRELOAD"}


def _import_program() -> None:
    """Import what a run imports before it starts its ranks."""
    import wavegrid.__main__

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    import wavegrid.cli.main
    import wavegrid.cli.run
    import wavegrid.display.progress
    import wavegrid.input.document
    import wavegrid.job.figures
    import wavegrid.job.prepare
    import wavegrid.launch.memory
    import wavegrid.launch.start  # noqa: F401


def _become_program(request: dict, descriptors: list[int]) -> None:
    """Be as `python -m wavegrid` at its start."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for here, wanted in zip((nothing, *descriptors), (0, 1, 2), strict=True):
        os.dup2(here, wanted)
        os.close(here)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv = ["wavegrid", *request["arguments"]]
    sys.path.append(os.getcwd())
    from wavegrid.__main__ import main

    main()


def _serve(requests: socket.socket) -> None:
    """Answer requests until the other end is closed."""
    while True:
        data, descriptors, _, _ = socket.recv_fds(requests, _MOST, 2)
        if not data:
            return
        if (process := os.fork()) == 0:
            requests.close()
            _become_program(json.loads(data), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        requests.send(str(process).encode())
        _, status = os.waitpid(process, 0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    _import_program()
    with socket.socket(fileno=os.dup(0)) as requests:
        _serve(requests)
