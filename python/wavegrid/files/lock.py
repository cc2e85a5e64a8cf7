"""One run at a time in an output directory: a lock that the system frees with the last process that holds it."""

import contextlib
import errno
import fcntl
import json
import os
import platform
import stat
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from wavegrid.errors import EnvironmentFault

NAME = ".wavegrid.lock"
_UNSUPPORTED = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


@contextlib.contextmanager
def held(directory: Path) -> Iterator[int | None]:
    """Hold the lock of an existing directory, in this process and those that inherit the descriptor.

    Raises EnvironmentFault where another run holds it. Where the file system has no locks, says so on stderr and yields
    None.
    """
    path = directory / NAME
    descriptor = _acquire(path)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            with contextlib.suppress(OSError):
                path.unlink()  # while it is locked: whoever opened it meanwhile sees that the name is gone
            os.close(descriptor)


def _acquire(path: Path) -> int | None:
    while True:
        descriptor = _open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor):
                _sign(descriptor)
                return descriptor
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            raise EnvironmentFault(
                f"another run writes into '{path.parent}': {holder}; wait for it, or choose another directory by "
                "--output"
            ) from None
        except OSError as fault:
            os.close(descriptor)
            if fault.errno not in _UNSUPPORTED:
                raise EnvironmentFault(f"'{path}' cannot be locked: {fault.strerror}") from None
            _warn(path, fault)
            return None
        os.close(descriptor)  # the run that held it has just ended and removed the file


def _open(path: Path) -> int:
    """Open the file of the lock; raises EnvironmentFault, also where its name is that of another file."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as fault:
        if fault.errno == errno.ELOOP:
            raise _not_a_lock(path, "a symbolic link") from None
        raise EnvironmentFault(f"'{path}' cannot be written: {fault.strerror}") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(descriptor)
        raise _not_a_lock(path, "another name of a file" if stat.S_ISREG(found.st_mode) else "not a file")
    return descriptor


def _not_a_lock(path: Path, what: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"'{path}', the lock of the output directory, is {what}: nothing was written; valid: remove it, or choose "
        "another directory by --output"
    )


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _sign(descriptor: int) -> None:
    since = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
    text = json.dumps({"host": platform.node(), "pid": os.getpid(), "since": since})
    with contextlib.suppress(OSError):  # a full disk: probe() reports it
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)


def _holder(descriptor: int) -> str:
    try:
        found = json.loads(os.pread(descriptor, 4096, 0))
        ended = found["host"] == platform.node() and not Path(f"/proc/{int(found['pid'])}").exists()
        whose = "ranks left by process" if ended else "process"
        return f"{whose} {int(found['pid'])} on {found['host']!r} since {found['since']}"
    except (OSError, ValueError, LookupError, TypeError):
        return "process unknown"


def _warn(path: Path, fault: OSError) -> None:
    path.unlink(missing_ok=True)
    print(
        f"warning: the file system of '{path.parent}' has no locks ({fault.strerror}): start no second run there",
        file=sys.stderr,
    )
