"""The machine that a calculation runs on, and what a process of the program takes of it. Ranks import this."""

import os
from typing import Any

# Resident in a rank whatever the size of its calculation, measured: Python with what a rank imports, the core and its
# libraries, MPI's segments, pages of BLAS.
PROGRAM_BYTES = 52 << 20


def describe() -> dict[str, Any]:
    """Return name, processor and number of cores of this machine."""
    import platform  # not for the ranks

    try:
        with open("/proc/cpuinfo") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return {"host": platform.node(), "processor": names[0] if names else platform.machine(), "cores": os.cpu_count()}


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0))
