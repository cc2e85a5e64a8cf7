"""The timeline of a run: what is checked before, what is told about the run, how the file gets its name."""

import json
from pathlib import Path
from types import ModuleType

import wavegrid
from wavegrid import store
from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.job import Job


def check(trace: str | None, job: Job, token: str) -> Path | None:
    """Find out before the run whether its timeline can be written; make the directory where it is missing.

    Raises InputError for a name that must not be replaced, EnvironmentFault where the file system refuses.
    """
    if trace is None:
        return None
    path = Path(trace)
    if trace == "":
        raise InputError("--trace is empty; valid: the name of a file")
    if path.is_dir():
        raise InputError(f"--trace {trace}: is a directory; valid: the name of a file")
    if path.exists() and not path.is_file():
        raise InputError(f"--trace {trace}: is not a plain file; valid: the name of a file")
    if path.resolve() in (Path(job.file).resolve(), (Path(job.directory) / store.RESULT).resolve()):
        raise InputError(f"--trace {trace}: is the input file or the result; valid: another name")
    try:
        store.try_file(path, token)
    except OSError as fault:
        raise _fault(path, fault) from None
    return path


def describe(job: Job, result: dict) -> dict:
    """Return what the file says about the run."""
    parallel = result["parallel"]
    return {
        "program": f"wavegrid {wavegrid.__version__}",
        "title": job.title,
        "atoms": len(job.problem["atoms"]),
        "bands": job.problem["bands"],
        "grid": list(job.problem["grid"]),
        "plane_waves": result["plane_waves"],
        **{name: parallel.get(name) for name in ("ranks", "rows", "columns", "threads", "partition", "transport")},
    }


def save(core: ModuleType, trace: object, path: Path, token: str, rank: int, run: dict) -> None:
    """Write the timeline of all ranks, whole or not at all. Collective."""
    process = _process(rank, run["rows"], run["columns"])
    try:
        core.write_trace(trace, str(store.partial(path, token)), process, json.dumps(run))
        if rank == 0:
            store.put_in_place(path, token)
    except OSError as fault:
        raise _fault(path, fault) from None
    finally:
        if rank == 0:
            store.remove_partial(path, token)


def _process(rank: int, rows: int | None, columns: int | None) -> str:
    """Name a rank with its place in the process grid; ranks beyond the grid hold no planes."""
    if rows is None or columns is None or rank >= rows * columns:
        return f"rank {rank}"
    return f"rank {rank} (row {rank // columns}, column {rank % columns})"


def _fault(path: Path, fault: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"the trace cannot be written to '{path}': {fault.strerror}; valid: a file in a writable directory with free "
        "space"
    )
