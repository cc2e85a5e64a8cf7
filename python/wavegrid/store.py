"""Writes results so that no fault leaves a half-written file: a temporary file beside the target, then one rename."""

import contextlib
import errno
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from wavegrid.errors import EnvironmentFault, InternalFault

RESULT = "result.json"
_PROBE_BYTES = 1 << 20
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def probe(directory: Path, token: str) -> None:
    """Make the output directory where it is missing and try whether a result fits into it.

    Raises EnvironmentFault before a calculation starts whose result could not be kept.
    """
    partial = _partial(directory, token)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        try:
            _write(partial, b"\0" * _PROBE_BYTES)
        finally:
            partial.unlink(missing_ok=True)
        if (directory / RESULT).is_dir():
            raise IsADirectoryError(errno.EISDIR, f"{RESULT} in it is a directory")
    except OSError as fault:
        raise _fault(directory, fault) from None


def write_json(path: Path, data: dict, token: str) -> None:
    """Replace `path` by `data` at once; signals that arrive meanwhile are delivered afterwards.

    Raises EnvironmentFault where the file system refuses; an older file then stays as it was.
    """
    text = _json(data)
    partial = _partial(path.parent, token)
    with _deferred_signals():
        try:
            _write(partial, text.encode())
            os.replace(partial, path)
            _sync_directory(path.parent)
        except OSError as fault:
            raise _fault(path.parent, fault) from None
        finally:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)


def remove_partial(directory: Path, token: str) -> None:
    """Remove what a killed rank left behind of its unfinished file."""
    with contextlib.suppress(OSError):
        _partial(directory, token).unlink(missing_ok=True)


def _partial(directory: Path, token: str) -> Path:
    return directory / f".{RESULT}.{token}.partial"


def _json(data: dict) -> str:
    try:
        return json.dumps(data, indent=1, allow_nan=False, default=_plain) + "\n"
    except ValueError:
        raise InternalFault("the result holds a value that is not a number; nothing was written") from None


def _plain(value: object) -> object:
    """Return numpy's arrays and numbers as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} in the result")


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fault(directory: Path, fault: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"results cannot be written to '{directory}': {fault.strerror}; "
        "valid: a writable directory with free space, see [output] directory or --output"
    )


@contextlib.contextmanager
def _deferred_signals() -> Iterator[None]:
    """Hold back Ctrl-C and termination until the block is done, then deliver them."""
    caught: list[int] = []
    previous = {number: signal.signal(number, lambda n, _: caught.append(n)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        for number in caught:
            os.kill(os.getpid(), number)
