"""What the ranks leave for the process that started them, in the folder that they share. Imports little."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wavegrid.base.text import printable

SOCKET = "socket"  # by which the ranks find that process
STARTED, CATCHES_SIGNALS, STATUS = "started", "catches_signals", "status"  # files; `supervise` says what they mean
LOG, STATE = "log", "state"  # of a session: what the ranks print; state.RANK, what `rank_pool` asked for
FAULT = "fault"  # fault.RANK, with exit code and message


def open_private(path: Path) -> BinaryIO:
    """Open a new file for this user alone, whatever the umask allows others; raises OSError."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb")


def write_private(path: Path, text: str) -> None:
    """Write such a file; raises OSError."""
    with open_private(path) as file:
        file.write(text.encode(errors="replace"))


@dataclass(frozen=True)
class Report:
    """What a rank wrote before it ended; `where`: its traceback, if that was asked for."""

    rank: int
    exit_code: int
    message: str
    where: str = ""


def traceback_of(fault: BaseException) -> str:
    """Return the traceback of an exception where the user asks for it (WAVEGRID_TRACEBACK), else nothing."""
    if not os.environ.get("WAVEGRID_TRACEBACK"):
        return ""
    import traceback

    lines = "".join(traceback.format_exception(fault)).splitlines()
    return "".join(f"{printable(line)}\n" for line in lines)


def write_report(shared: Path | None, rank: int, exit_code: int, message: str, where: str = "") -> bool:
    """Report a fault to the launcher; return False where it is out of reach."""
    if shared is None or not shared.is_dir():
        return False
    path = shared / f"{FAULT}.{rank}"
    unfinished = shared / f".{path.name}"
    try:
        write_private(unfinished, f"{exit_code} {message}\n{where}")
        unfinished.rename(path)
    except OSError:
        return False
    return True


def find_report(shared: Path) -> Report | None:
    """Return the complete report of the lowest rank, if there is one."""
    found = []
    for path in shared.glob(f"{FAULT}.*"):
        with contextlib.suppress(OSError, ValueError):
            text = path.read_text(errors="replace")
            first, complete, where = text.partition("\n")
            code, message = first.split(maxsplit=1)
            if complete:
                found.append(Report(int(path.suffix[1:]), int(code), message, where.rstrip("\n")))
    return min(found, key=lambda report: report.rank, default=None)
