"""What the ranks leave for the process that started them, in the folder that they share. Imports little."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

STARTED, CATCHES_SIGNALS, STATUS = "started", "catches_signals", "status"  # files; `supervise` says what they mean
FAULT = "fault"  # fault.RANK, with exit code and message


@dataclass(frozen=True)
class Report:
    """What a rank wrote before it ended."""

    rank: int
    exit_code: int
    message: str


def write_report(shared: Path | None, rank: int, exit_code: int, message: str) -> bool:
    """Report a fault to the launcher; return False where it is out of reach."""
    if shared is None or not shared.is_dir():
        return False
    try:
        (shared / f"{FAULT}.{rank}").write_text(f"{exit_code} {message}\n")
    except OSError:
        return False
    return True


def find_report(shared: Path) -> Report | None:
    """Return the complete report of the lowest rank, if there is one."""
    found = []
    for path in shared.glob(f"{FAULT}.*"):
        with contextlib.suppress(OSError, ValueError):
            text = path.read_text(errors="replace")
            code, message = text.split(maxsplit=1)
            if text.endswith("\n"):
                found.append(Report(int(path.suffix[1:]), int(code), message.rstrip("\n")))
    return min(found, key=lambda report: report.rank, default=None)
