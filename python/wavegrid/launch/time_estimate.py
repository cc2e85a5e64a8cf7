"""How long a run will take: its operations, counted, at the rates of this machine. An estimate within a factor of 2.

The coefficients were fitted to 42 calculations of all kinds (docs/performance.md). What cannot be known before is the
number of steps.
"""

import math
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from wavegrid.launch import mpirun
from wavegrid.launch.job import Job

FACTOR = 2  # by which an estimate may be wrong
_STEPS = 1.0  # of the loop, per decade of the tolerance below 1 Ha
_STEPS_OF_SPIN = 1.2  # times as many with spin
_TO_CONVERGE = (11.3, 10.4)  # applications of H to a band to 1e-7 Ha: a + b log10(plane waves per band)
_DECADES = 7.0  # of that tolerance
_OF_MANY = 0.73  # times as many with many bands, which are less accurate at first (decision 0013)
_MANY_BANDS = 64
_ON_PATH = 15.0  # applications of H to a band until it has converged in a fixed potential
_TRANSFORMS = 2.25  # FFTs of a band per application of H, those of the density included
_FFT = 0.8  # seconds over operations / rate: compact FFTs, mostly in single precision
_PRODUCTS = 2.0  # the same for overlaps and rotations, per product of all bands with one
_OVERHEAD = 6e-5  # seconds per application: small blocks, preconditioning
_GRID = 4.5e-7  # seconds per grid point, spin and step: density, potential, mixing
_GRADIENTS = 2.0  # times as many with a GGA
_FILTER = 25.0  # on a mesh: applications of H to a band in a step
_ARM = 1.5e-9  # seconds for a point of a stencil and a real number
_OTHER_ARMS = 15  # as many as projectors and products with other bands cost
START = 0.55  # seconds: ranks, MPI, pseudopotentials
_BANDWIDTH = 1e9  # bytes per second between ranks


@dataclass(frozen=True)
class Work:
    """The work of a run, of each rank of the k-point group with most k-points."""

    steps: int  # of the loop, assumed
    rounds: float  # applications of H to all bands of a k-point
    transforms: float  # FFTs of single bands
    seconds: float  # of all computing, on cores that are not shared


def estimate(core: ModuleType, job: Job, figures: dict[str, Any]) -> dict[str, Any]:
    """Return `seconds` of a run on this machine, the SCF `steps` assumed, and the `factor` by which both may be wrong.

    `figures`: those of the job (launch/job.py). More ranks than usable cores share the cores.
    """
    done = work(job, figures, core.machine_rates())
    seconds = done.seconds + done.transforms * figures["transform"]["bytes"] / _BANDWIDTH
    shared = max(1.0, figures["ranks"] * job.problem["threads"] / mpirun.usable_cores())
    return {"seconds": START + seconds * shared, "steps": done.steps, "factor": FACTOR}


def work(job: Job, figures: dict[str, Any], rates: dict[str, float]) -> Work:
    """Return the work of a run at the `rates` of a core (operations per second of `fft` and `gemm`)."""
    problem = job.problem
    spins, bands = problem["spins"], problem["bands"]
    steps = max(3, round(_STEPS * -math.log10(problem["energy_tolerance"]) * (_STEPS_OF_SPIN if spins == 2 else 1)))
    steps = min(steps, problem["max_steps"])
    kpoint_groups, band_groups = figures["kpoint_groups"], figures["band_groups"]
    if figures["mesh"]:
        rounds = math.ceil(figures["kpoints"] * spins / kpoint_groups) * _FILTER * steps
        of_group = figures["ranks"] // kpoint_groups
        return Work(steps, rounds, 0.0, rounds * bands * _on_mesh(job, figures) / of_group)
    rounds = math.ceil(figures["kpoints"] * spins / kpoint_groups) * _to_converge(job, figures)
    points, on_path = len(problem["band_path"]), bands + max(4, bands // 5)
    applications = rounds * bands + math.ceil(points * spins / kpoint_groups) * on_path * _ON_PATH
    of_loop = _GRID * steps * spins * math.prod(problem["grid"]) * (_GRADIENTS if _is_gga(problem["xc"]) else 1)
    return Work(
        steps=steps,
        rounds=rounds,
        transforms=applications / band_groups * _TRANSFORMS,
        seconds=applications / band_groups * _application(job, figures, rates) + of_loop / figures["ranks"],
    )


def _to_converge(job: Job, figures: dict[str, Any]) -> float:
    """Return the applications of H to each band of a k-point in the whole loop: more with a wider spectrum."""
    bands, decades = job.problem["bands"], max(3 / _STEPS, -math.log10(job.problem["energy_tolerance"]))
    waves = figures["plane_waves"] * (2 if figures["mode"] == "gamma" else 1)
    constant, slope = _TO_CONVERGE
    number = constant + slope * max(0.0, math.log10(waves / bands))
    at_most = min(1.0, job.problem["max_steps"] / max(3.0, _STEPS * decades))
    return number * decades / _DECADES * (_OF_MANY if bands >= _MANY_BANDS else 1) * at_most


def _on_mesh(job: Job, figures: dict[str, Any]) -> float:
    """Return the seconds of one application of H to a band of a mesh, of all its ranks together."""
    mesh = figures["mesh"]
    numbers = mesh["points"] * (1 if figures["mode"] == "gamma" else 2)
    return numbers * (mesh["arms"] + _OTHER_ARMS) * _ARM / job.problem["threads"]


def _application(job: Job, figures: dict[str, Any], rates: dict[str, float]) -> float:
    """Return the seconds of computing that one application of H to a band of a band group takes each of its ranks."""
    flops = figures["transform"]["flops"] / job.problem["threads"]
    operations = (4 if figures["mode"] == "gamma" else 8) * job.problem["bands"] * figures["max_plane_waves"]
    return _FFT * _TRANSFORMS * flops / rates["fft"] + _PRODUCTS * operations / rates["gemm"] + _OVERHEAD


def _is_gga(xc: str) -> bool:
    return "GGA" in xc.upper() or xc.upper().startswith("PBE")
