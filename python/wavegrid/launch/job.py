"""The job that the launcher passes to the ranks. Imports little, so that ranks start fast."""

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from wavegrid.discretisation import choose
from wavegrid.errors import InputError
from wavegrid.text import printable

# Resident in a rank whatever the size of its calculation, measured: Python with what a rank imports, the core and its
# libraries, MPI's segments, pages of BLAS.
PROGRAM_BYTES = 43 << 20

MOTION_BYTES = 82 << 20  # more on rank 0 of a run of many geometries: ASE and what it imports
# Of one transform of a band on the busiest rank; "first": of the first of two transposes.
_OF_TRANSFORM = ("flops", "messages", "bytes", "first_messages", "first_bytes")
MOTION = ("relax", "md", "eos")  # the tasks of many geometries


@dataclass
class Job:
    """All data of a run; plain, so that the launcher can pass them to the ranks as JSON."""

    file: str
    title: str
    directory: str
    problem: dict[str, Any]  # the argument of the core's solve
    input: dict[str, Any]  # the input file as it was read
    electrons: float
    notes: list[str] = field(default_factory=list)
    warnings: list[dict[str, str]] = field(default_factory=list)  # name and message: what may be wrong science
    pseudopotentials: list[dict[str, Any]] = field(default_factory=list)  # described, one for each species
    task: dict[str, Any] = field(default_factory=lambda: {"kind": "scf"})
    density: str | None = None  # the format in which the density is written, if at all
    fixed: dict[str, Any] = field(default_factory=dict)  # `FixedCoordinates` as plain lists; empty where all atoms move


def title_line(job: Job) -> str:
    """Return the first line of a run's display."""
    return printable(f"{job.title}  ({job.file})")


def memory_parts(estimate: dict[str, Any]) -> dict[str, int]:
    """Return what one rank holds at its peak, bytes by part: the core's estimate and the program around it."""
    return {"program": PROGRAM_BYTES, **estimate["bytes"]}


def figures(core: ModuleType, job: Job, ranks: int) -> dict[str, Any]:
    """Return what a run on `ranks` ranks would be: sizes, k-points, memory, parallel layout. Starts nothing."""
    problem = job.problem
    try:
        estimate = core.memory_estimate(problem, ranks)
    except core.BadInput as fault:
        raise InputError(f"{job.file}: {fault}") from None
    memory = memory_parts(estimate)
    if job.task["kind"] in MOTION:
        memory["geometries"] = MOTION_BYTES + estimate["earlier_geometries"]
    return {
        "title": job.title,
        "task": job.task["kind"],
        "atoms": len(problem["atoms"]),
        "electrons": job.electrons,
        "spins": problem["spins"],
        "bands": problem["bands"],
        "kpoints": estimate["kpoints"],
        "kpoints_description": estimate["kpoints_description"],
        "path_points": len(problem["band_path"]) - job.task.get("zero_weight", 0) if job.task["kind"] == "bands" else 0,
        "mode": estimate["mode"],
        "plane_waves": estimate["plane_waves"],
        "mesh": choose.from_problem(problem).mesh_figures(estimate),
        "projectors": estimate.get("projectors"),
        "grid": list(problem["grid"]),
        "ranks": ranks,
        "kpoint_groups": estimate["kpoint_groups"],
        "band_groups": estimate["band_groups"],
        "groups_reason": estimate["groups_reason"],
        "eigensolver": estimate["eigensolver"],
        "eigensolver_reason": estimate["eigensolver_reason"],
        "rows": estimate["rows"],
        "columns": estimate["columns"],
        "partition": estimate["partition"],
        "partition_reason": estimate["partition_reason"],
        "max_plane_waves": estimate["max_plane_waves"],
        "min_plane_waves": estimate["min_plane_waves"],
        "transform": {name: estimate[f"transform_{name}"] for name in _OF_TRANSFORM},
        "bytes_per_rank": sum(memory.values()),
        "memory_parts": memory,
        "pseudopotentials": job.pseudopotentials,
        "notes": job.notes,
        "warnings": job.warnings,
    }
