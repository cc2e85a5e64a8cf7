"""Writes the timeline of a run, and checks before the run that it can be written."""

import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import wavegrid
from wavegrid.errors import EnvironmentFault
from wavegrid.files import store
from wavegrid.job.job import Job
from wavegrid.model.result import Result

_PARALLEL = ("ranks", "kpoint_groups", "band_groups", "rows", "columns", "threads", "partition", "transport")


def check(trace: str | None, token: str) -> Path | None:
    """Find out before the run whether its timeline can be written; make the directory where it is missing.

    Raises EnvironmentFault where the file system refuses; `outputs.check` has looked at what is there.
    """
    if trace is None:
        return None
    path = Path(trace)
    try:
        store.try_file(path, token)
    except OSError as fault:
        raise _fault(path, fault) from None
    return path


def describe(job: Job, result: Result) -> dict[str, Any]:
    """Return what the file says about the run."""
    parallel = result.parallel
    return {
        "program": f"wavegrid {wavegrid.__version__}",
        "title": job.title,
        "atoms": len(job.problem["atoms"]),
        "bands": job.problem["bands"],
        "grid": list(job.problem["grid"]),
        "plane_waves": result.plane_waves,
        **{name: getattr(parallel, name) for name in _PARALLEL},
    }


def save(core: ModuleType, trace: object, path: Path, token: str, rank: int, run: dict[str, Any]) -> None:
    """Write the timeline of all ranks, whole or not at all. Collective."""
    process = _process(rank, run)
    try:
        if rank == 0:
            os.close(store.open_partial(path, token))
        core.write_trace(trace, str(store.partial(path, token)), process, json.dumps(run))
        if rank == 0:
            store.put_in_place(path, token)
    except OSError as fault:
        raise _fault(path, fault) from None
    finally:
        if rank == 0:
            store.remove_partial(path, token)


def _process(rank: int, run: dict[str, Any]) -> str:
    """Name a rank by its groups, where there are several, and by its row and column in them."""
    place, size, groups = rank, run.get("ranks") or 1, []
    for name, noun in (("kpoint_groups", "k-point group"), ("band_groups", "band group")):
        count = run.get(name) or 1
        group, place, size = _block(place, size, count)
        groups += [f"{noun} {group}"] if count > 1 else []
    rows, columns = run["rows"], run["columns"]
    if rows is not None and columns is not None and place < rows * columns:  # others hold no planes
        one = rows * columns == 1 and groups
        groups += [] if one else [f"row {place // columns}, column {place % columns}"]
    return f"rank {rank}" + (f" ({', '.join(groups)})" if groups else "")


def _block(place: int, size: int, count: int) -> tuple[int, int, int]:
    """Return group, place in it and its size: consecutive blocks, of which the first may hold one more."""
    least, larger = divmod(size, count)
    edge = larger * (least + 1)
    if place < edge:
        return place // (least + 1), place % (least + 1), least + 1
    return larger + (place - edge) // least, (place - edge) % least, least


def _fault(path: Path, fault: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"the trace cannot be written to '{path}': {fault.strerror}; valid: a file in a writable directory with free "
        "space"
    )
