"""A job: what the launcher hands to the ranks. Imports next to nothing, so that ranks start fast."""

from dataclasses import dataclass, field
from types import ModuleType

from wavegrid.errors import InputError

# Resident in a rank whatever the size of its calculation, measured: Python with what a rank imports, the core and its
# libraries, MPI's segments, pages of BLAS.
PROGRAM_BYTES = 56 << 20


@dataclass
class Job:
    """Everything a run needs; plain data, so that the launcher can hand it to the ranks as JSON."""

    file: str
    title: str
    directory: str
    problem: dict  # the argument of the core's solve
    input: dict  # the input file as it was read
    electrons: int
    notes: list[str] = field(default_factory=list)


def memory_parts(estimate: dict) -> dict[str, int]:
    """Return what one rank holds at its peak, bytes by part: the core's estimate and the program around it."""
    return {"program": PROGRAM_BYTES, **estimate["bytes"]}


def figures(core: ModuleType, job: Job, ranks: int) -> dict:
    """Return what a run on `ranks` ranks would be: sizes, memory, partition. Starts nothing."""
    problem = job.problem
    try:
        estimate = core.memory_estimate(problem, ranks)
        memory = memory_parts(estimate)
        scheme = estimate["partition"]
        load = core.partition_figures(problem["cell"], problem["ecut"], problem["grid"], True, scheme, ranks)
    except core.BadInput as fault:
        raise InputError(f"{job.file}: {fault}") from None
    return {
        "title": job.title,
        "atoms": len(problem["atoms"]),
        "electrons": job.electrons,
        "bands": problem["bands"],
        "plane_waves": load["plane_waves"],
        "grid": list(problem["grid"]),
        "ranks": ranks,
        "rows": load["rows"],
        "columns": load["columns"],
        "partition": scheme,
        "partition_reason": estimate["partition_reason"],
        "max_plane_waves": load["max"],
        "min_plane_waves": load["min"],
        "bytes_per_rank": sum(memory.values()),
        "memory_parts": memory,
        "notes": job.notes,
    }
