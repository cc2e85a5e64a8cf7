"""How long a run will take: its operations, counted, at the rates of this machine. An estimate within a factor of 2.

What cannot be known before is the number of steps.
"""

from types import ModuleType

from wavegrid.discretisation import choose
from wavegrid.job.job import Job
from wavegrid.model.figures import Figures, TimeFigures
from wavegrid.process import machine

FACTOR = 2  # by which an estimate may be wrong
_START = 0.55  # seconds: Python, pseudopotentials, set-up, the end
_START_OF_MPI = 0.25  # more than one rank: mpirun, connections
_START_OF_RANK = 0.09  # of each rank for which there is no core
_BANDWIDTH = 1e9  # bytes per second between ranks


def estimate(core: ModuleType, job: Job, figures: Figures) -> TimeFigures:
    """Return `seconds` of a run on this machine, the SCF `steps` assumed, and the `factor` by which both may be wrong.

    `figures`: those of the job (job/figures.py). More ranks than usable cores share the cores.
    """
    rates = with_transform(core, job, figures, core.machine_rates())
    done = choose.from_problem(job.problem).work(job.problem, figures, rates)
    seconds = done.seconds + done.transforms * figures["transform"]["bytes"] / _BANDWIDTH
    cores = machine.usable_cores()
    shared = max(1.0, figures["ranks"] * job.problem["threads"] / cores)
    return {"seconds": start(figures["ranks"], cores) + seconds * shared, "steps": done.steps, "factor": FACTOR}


def with_transform(core: ModuleType, job: Job, figures: Figures, rates: dict[str, float]) -> dict[str, float]:
    """Return the rates and, where each band group is one rank, the seconds of a band's `transform` in a small box."""
    if figures["ranks"] != figures["kpoint_groups"] * figures["band_groups"]:
        return rates
    seconds = core.band_transform_seconds(job.problem)
    return rates if seconds is None else rates | {"transform": seconds}


def start(ranks: int, cores: int) -> float:
    """Return the seconds in which a run of `ranks` ranks on a node with so many cores starts and ends."""
    return _START + (_START_OF_MPI if ranks > 1 else 0) + _START_OF_RANK * max(0, ranks - cores)
