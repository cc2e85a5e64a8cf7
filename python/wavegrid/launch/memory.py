"""The memory that a run needs, compared with what this machine and this process have. Imports little."""

import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from wavegrid.base.text import counted, megabytes
from wavegrid.errors import EnvironmentFault
from wavegrid.process.machine import PROGRAM_BYTES

if TYPE_CHECKING:
    from wavegrid.model.figures import Figures

IGNORE = "--no-memory-check"
# Address space of a process without the arrays of its calculation, measured: Python, libraries, MPI, the buffers of
# BLAS in the core and in numpy. In use is a tenth of it.
_PROGRAM_ADDRESSES = 700_000_000
_THREAD_ADDRESSES = 144 << 20  # of a further thread: BLAS's buffer and a stack
_LIMITS = ((resource.RLIMIT_AS, "ulimit -v"), (resource.RLIMIT_DATA, "ulimit -d"))
_CGROUPS = Path("/sys/fs/cgroup")
# Of a control group: the limit, the use, and the name of cached files in memory.stat, which are dropped when needed.
_VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_VERSION_2 = ("memory.max", "memory.current", "inactive_file")


@dataclass(frozen=True)
class Available:
    """Bytes that are left, and what limits them."""

    count: int
    limit: str


def limits() -> Iterator[Available]:
    """Return the limits that are set for this process."""
    for kind, name in _LIMITS:
        count = resource.getrlimit(kind)[0]
        if count != resource.RLIM_INFINITY:
            yield Available(count, name)


def check_limits(threads: int = 1) -> None:
    """Refuse a process in which the libraries themselves would get too little memory; raises EnvironmentFault."""
    needed = _PROGRAM_ADDRESSES + (threads - 1) * _THREAD_ADDRESSES
    for limit in limits():
        if limit.count < needed:
            raise EnvironmentFault(
                f"the limit of memory ({limit.limit}) is {megabytes(limit.count)}; the program needs "
                f"{megabytes(needed)} and the arrays of its calculation; raise the limit"
            )


def of_process() -> Available | None:
    """Return what the limits of this process leave, or None without limits."""
    used = {name: _status(key) for name, key in (("ulimit -v", "VmSize:"), ("ulimit -d", "VmData:"))}
    left = [Available(max(0, limit.count - used[limit.limit]), limit.limit) for limit in limits()]
    return min(left, key=lambda one: one.count, default=None)


def of_node() -> Available | None:
    """Return what this machine, or the control group of this process, has left; None where the system does not say."""
    found = list(_of_control_groups())
    if (count := _number_after("MemAvailable:", Path("/proc/meminfo"))) is not None:
        found.append(Available(count * 1024, "free memory of the machine"))
    return min(found, key=lambda one: one.count, default=None)


def _of_control_groups() -> Iterator[Available]:
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, name = line.split(":", 2)
        if controllers == "":
            yield from _of_group(_CGROUPS, name, _VERSION_2)
        elif "memory" in controllers.split(","):
            yield from _of_group(_CGROUPS / "memory", name, _VERSION_1)


def _of_group(root: Path, name: str, files: tuple[str, str, str]) -> Iterator[Available]:
    """Return what a group and those around it leave; inside a container only the outermost one is in sight."""
    group = root / name.lstrip("/")
    for folder in (group, *group.parents):
        if not folder.is_relative_to(root):
            return
        try:
            limit, used = (int((folder / file).read_text()) for file in files[:2])
        except (OSError, ValueError):  # not in sight, or "max"
            continue
        cached = _number_after(files[2], folder / "memory.stat") or 0
        yield Available(max(0, limit - used + cached), "limit of the control group")


def _number_after(key: str, path: Path) -> int | None:
    """Return the number on the line of a file that begins with a key."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.split()[:1] == [key]), None)


def _status(key: str) -> int:
    return (_number_after(key, Path("/proc/self/status")) or 0) * 1024


class Comparison(TypedDict):
    """What the ranks of a run need together and what this machine has left, bytes; None: unknown."""

    needed_bytes: int
    available_bytes: int | None
    limit: str | None


def comparison(figures: "Figures") -> Comparison:
    """Compare, for `wavegrid check`."""
    have = of_node()
    return {
        "needed_bytes": figures["bytes_per_rank"] * figures["ranks"],
        "available_bytes": None if have is None else have.count,
        "limit": None if have is None else have.limit,
    }


def line(figures: "Figures") -> str:
    """Return the comparison in words."""
    found = comparison(figures)
    ranks, needed = figures["ranks"], megabytes(found["needed_bytes"])
    need = f"  {ranks} ranks together need" if ranks > 1 else "  1 rank needs"
    need += f" about {needed} of memory"
    if found["available_bytes"] is None:
        return need
    short = "; `run` refuses to start here" if found["needed_bytes"] > found["available_bytes"] else ""
    return f"{need}; this machine has {megabytes(found['available_bytes'])} left ({found['limit']}){short}"


def limit_of_rank(ranks_here: int, threads: int) -> int | None:
    """Return the bytes that the calculation of each rank may take: as the checks below do. None: unknown."""
    node, process = of_node(), of_process()
    limits = [] if node is None else [node.count // ranks_here]
    limits += [] if process is None else [process.count - threads * _THREAD_ADDRESSES]
    return max(0, min(limits) - PROGRAM_BYTES) if limits else None


def check_node(figures: "Figures", ranks_here: int, *, held_bytes: int = 0) -> None:
    """Refuse a run whose ranks on this machine need more memory than it has; raises EnvironmentFault.

    `held_bytes`: what each rank holds already.
    """
    have, need = of_node(), figures["bytes_per_rank"] * ranks_here
    if have is None or need - held_bytes * ranks_here <= have.count:
        return
    verb = "needs" if ranks_here == 1 else "need"
    _refuse(figures, f"{counted(ranks_here, 'rank')} {verb} {megabytes(need)}", have, "more machines")


def check_process(figures: "Figures", threads: int) -> None:
    """Refuse a rank that needs more memory than its own limits leave; raises EnvironmentFault."""
    have = of_process()
    need = figures["bytes_per_rank"] + threads * _THREAD_ADDRESSES
    if have is not None and need > have.count:
        _refuse(figures, f"a rank needs {megabytes(need)}", have, "more ranks")


def _refuse(figures: "Figures", needs: str, have: Available, remedy: str) -> None:
    parts = figures["memory_parts"]
    most = max(parts, key=lambda name: parts[name])
    raise EnvironmentFault(
        f"{needs} of memory ({megabytes(figures['bytes_per_rank'])} each, most of it: {most}), but "
        f"{megabytes(have.count)} are left ({have.limit}); use {remedy}, a lower cutoff or fewer bands and k-points, "
        f"or {IGNORE} to try"
    )
