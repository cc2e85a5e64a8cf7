"""Writes results so that no failure leaves a half-written file: a temporary file, then one rename.

The temporary file is always a new one: a link of its name, which another user of the directory may have made, is
removed, not followed.
"""

import contextlib
import errno
import functools
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wavegrid.errors import EnvironmentFault, InternalFault
from wavegrid.files.names import RESULT

_PROBE_BYTES = 1 << 20
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def probe(directory: Path, token: str) -> None:
    """Make the output directory where it is missing and try whether a result fits into it.

    Raises EnvironmentFault before a calculation starts whose result could not be kept.
    """
    try:
        try_file(directory / RESULT, token)
        if (directory / RESULT).is_dir():
            raise IsADirectoryError(errno.EISDIR, f"{RESULT} in it is a directory")
    except OSError as fault:
        raise _fault(directory, fault) from None


def try_file(path: Path, token: str) -> None:
    """Make the directory of `path` where it is missing and try whether a file fits into it; raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = open_partial(path, token)
    try:
        os.posix_fallocate(descriptor, 0, _PROBE_BYTES)
    finally:
        os.close(descriptor)
        partial(path, token).unlink(missing_ok=True)


def write_json(path: Path, data: dict[str, Any], token: str) -> None:
    """Replace `path` by `data` as `write` does."""
    write(path, as_json(data).encode(), token)


def write(path: Path, content: bytes, token: str, *, synced: bool = True, in_run: bool = False) -> None:
    """Replace `path` by `content` at once; signals that arrive meanwhile are delivered afterwards.

    `in_run`: before the end of a run, whose core has handlers of signals that have to stay. A power failure may undo
    what is not `synced`: to wait for a disk takes up to 0.1 s. Raises EnvironmentFault where the file system refuses;
    an older file then stays as it was.
    """
    with contextlib.nullcontext() if in_run else _deferred_signals():
        try:
            replace(path, content, token, synced=synced)
        except OSError as fault:
            raise _fault(path.parent, fault) from None


def replace(path: Path, content: bytes, token: str, *, synced: bool = True) -> None:
    """Do what `write` does, but leave signals to the handlers that the core has installed; raises OSError."""
    try:
        with open(open_partial(path, token), "wb") as file:
            file.write(content)
            file.flush()
            if synced:
                os.fsync(file.fileno())
        if synced:
            put_in_place(path, token)
        else:
            os.replace(partial(path, token), path)
    finally:
        remove_partial(path, token)


def put_in_place(path: Path, token: str) -> None:
    """Rename the finished partial file to `path`, in place of what was there; raises OSError."""
    os.replace(partial(path, token), path)
    _sync_directory(path.parent)


def remove_partial(path: Path, token: str) -> None:
    """Remove what a killed rank left behind of its unfinished file."""
    with contextlib.suppress(OSError):
        partial(path, token).unlink(missing_ok=True)


@functools.cache
def process_token() -> str:
    """Return a token for the unfinished files of this process that nobody can guess."""
    return f"{os.getpid()}-{os.urandom(4).hex()}"


def open_partial(path: Path, token: str) -> int:
    """Make the partial file of `path`, in place of what has its name, and return its descriptor; raises OSError."""
    remove_partial(path, token)
    return os.open(partial(path, token), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)


def partial(path: Path, token: str) -> Path:
    """Return the file that is renamed to `path` when it is complete; `token` is different for each run."""
    return path.with_name(f".{path.name}.{token}.partial")


def as_json(data: dict[str, Any]) -> str:
    """Return a result as the text of result.json; raises InternalFault for numbers that JSON does not have."""
    try:
        return json.dumps(data, indent=1, allow_nan=False, default=_plain) + "\n"
    except ValueError:
        raise InternalFault("the result holds a value that is not a number; nothing was written") from None


def _plain(value: object) -> object:
    """Return numpy's arrays and numbers as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} in the result")


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
        for each in caught:
            os.kill(os.getpid(), each)
