"""What a run would be on a number of ranks: sizes, k-points, memory, parallel layout. Starts nothing."""

from types import ModuleType
from typing import cast

from wavegrid.discretisation import choose
from wavegrid.errors import InputError
from wavegrid.job.job import Job
from wavegrid.model.figures import EstimatedFigures, Figures, TransformFigures
from wavegrid.process.machine import PROGRAM_BYTES

MOTION_BYTES = 73 << 20  # more on rank 0 of a run of many geometries: ASE and what it imports


def compute_figures(core: ModuleType, job: Job, ranks: int) -> Figures:
    """Return what a run on `ranks` ranks would be; the job keeps it, and its ranks get it with the job."""
    if job.figures is None or job.figures["ranks"] != ranks:
        job.figures = _compute(core, job, ranks)
    return job.figures


def _compute(core: ModuleType, job: Job, ranks: int) -> Figures:
    problem = job.problem
    try:
        estimate = core.memory_estimate(problem, max(1, ranks // job.task.get("parallel_images", 1)))
    except core.BadInput as fault:
        raise InputError(f"{job.file}: {fault}") from None
    # What one rank holds at its peak, bytes by part: the core's estimate and the program around it.
    memory = {"program": PROGRAM_BYTES, **estimate["bytes"]}
    if job.moves:
        memory["geometries"] = MOTION_BYTES + estimate["earlier_geometries"]
    transform = {name: estimate[f"transform_{name}"] for name in TransformFigures.__annotations__}
    figures = {
        **{name: estimate[name] for name in EstimatedFigures.__annotations__},
        "title": job.title,
        "task": job.task["kind"],
        "atoms": len(problem["atoms"]),
        "electrons": job.electrons,
        "spins": problem["spins"],
        "bands": problem["bands"],
        "path_points": len(problem["band_path"]) - job.task.get("zero_weight", 0) if job.task["kind"] == "bands" else 0,
        "mesh": choose.from_problem(problem).mesh_figures(estimate),
        "projectors": estimate.get("projectors"),
        "local_orbitals": estimate.get("local_orbitals"),
        "grid": list(problem["grid"]),
        "density_grid": problem["density_grid"],
        "density_ecut": problem["density_ecut"],
        "density_ecut_reason": job.density_ecut_reason,
        "ranks": ranks,
        "transform": transform,
        "bytes_per_rank": sum(memory.values()),
        "memory_parts": memory,
        "pseudopotentials": job.pseudopotentials,
        "notes": job.notes,
        "warnings": job.warnings,
    }
    return cast(Figures, figures)
