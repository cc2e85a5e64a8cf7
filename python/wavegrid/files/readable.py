"""Whether a file that the user names can be read at all: a pipe, a device or 10 GB of something else must not block."""

import os
import stat
from pathlib import Path

from wavegrid.base.text import megabytes

MOST_BYTES = 64_000_000  # of a structure or a pseudopotential
MISSING = "no such file"
_MOST_NEIGHBOURS = 1000


def refusal(path: Path, most_bytes: int | None = MOST_BYTES) -> str:
    """Return why a path is not a regular, readable file of up to `most_bytes`; an empty text where it is one."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except OSError as fault:
        return f"cannot be read: {fault.strerror}"
    except ValueError:  # a null character
        return "is not the name of a file"
    if not stat.S_ISREG(found.st_mode):
        return f"is {_kind(found.st_mode)}, not a file"
    if not os.access(path, os.R_OK):
        return "cannot be read: Permission denied"
    if most_bytes is not None and found.st_size > most_bytes:
        return f"has {megabytes(found.st_size)}, more than {megabytes(most_bytes)}"
    return ""


def neighbours(path: Path, suffix: str = "") -> list[str]:
    """Return names in the directory of a path, for the nearest one; at most the first thousand."""
    try:
        names = os.listdir(path.parent)
    except (OSError, ValueError):
        return []
    return [name for name in names if name.endswith(suffix)][:_MOST_NEIGHBOURS]


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
