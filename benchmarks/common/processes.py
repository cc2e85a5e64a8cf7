"""Commands of several codes: timed runs, what they printed, pw.x's clocks."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import time
from pathlib import Path


class RunError(Exception):
    """A code ended without a converged result."""


class MissingError(Exception):
    """A program or file is not on this machine."""


@dataclasses.dataclass
class Process:
    """How a command ended."""

    elapsed: float  # seconds, from start to end
    cpu: float  # seconds of all its processes, user and system: on a machine with other work the fairer figure
    peak_mib: float  # the largest resident set of any of its processes: of a rank, where ranks are large
    output: str
    errors: str


def run_environment() -> dict[str, str]:
    """One BLAS thread per rank, the kernel chosen by OpenBLAS, and its name on stderr."""
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    environment.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_VERBOSE="2")
    return environment


def timed(command: list[str], folder: Path, timeout: float, codes: tuple[int, ...] = (0,)) -> Process:
    """Run a command in `folder`. Raises RunError unless it ends in time with one of the exit codes.

    The kernel adds the peak of finished children to that of their parents, so that wait4 sees those of the ranks.
    """
    with (folder / "stdout").open("w") as output, (folder / "stderr").open("w") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=run_environment(), stdout=output, stderr=errors)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            elapsed = time.perf_counter() - start
            if pid:
                break
            if elapsed > timeout:
                process.terminate()
                process.wait()
                raise RunError(f"no end after {timeout:g} s: {' '.join(command)}")
            time.sleep(0.01)
    process.returncode = os.waitstatus_to_exitcode(status)
    texts = [(folder / name).read_text(errors="replace") for name in ("stdout", "stderr")]
    if process.returncode not in codes:
        tail = "\n".join("".join(texts).splitlines()[-15:])
        raise RunError(f"exit code {process.returncode}: {' '.join(command)}\n{tail}")
    return Process(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, *texts)


def blas_kernels(process: Process) -> list[str]:
    """Kernels that OpenBLAS announced with OPENBLAS_VERBOSE=2."""
    return sorted(set(re.findall(r"^Core: (\S+)", process.errors + process.output, re.M)))


def clock(output: str, name: str) -> tuple[float, int]:
    """Wall seconds and calls of one of pw.x's clocks (0, 0 if it is absent)."""
    found = re.search(rf"^\s*{re.escape(name)}\s*:.*CPU\s*([\d.]+)s WALL \(\s*(\d+) calls", output, re.M)
    return (float(found.group(1)), int(found.group(2))) if found else (0.0, 0)


def duration(text: str) -> float:
    """Seconds in pw.x's `1h 2m 3.45s`, parts optional and blanks allowed."""
    parts = re.findall(r"([\d.]+)\s*([dhms])", text)
    return sum(float(value) * {"d": 86400, "h": 3600, "m": 60, "s": 1}[unit] for value, unit in parts)
