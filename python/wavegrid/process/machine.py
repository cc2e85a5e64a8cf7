"""The machine that a calculation runs on."""

import os
import platform
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """Return name, processor and number of cores of this machine."""
    return {"host": platform.node(), "processor": _processor(), "cores": os.cpu_count()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0))
