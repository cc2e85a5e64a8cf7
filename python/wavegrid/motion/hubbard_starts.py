"""Several starts of DFT+U, whose energy has several minima: which one is found depends on the occupations at first."""

import math
import os
import time
from pathlib import Path
from typing import Any, cast

from rich.console import Console

from wavegrid.job.job import Job
from wavegrid.launch.in_process_ranks import Leader
from wavegrid.model.core_result import CoreResult
from wavegrid.model.hubbard import HubbardStart
from wavegrid.model.problem import Problem
from wavegrid.model.reports import Step
from wavegrid.motion.display import Display, TimeLeft
from wavegrid.results import closing

_COLUMNS = [
    ("start", 5), ("free energy (Ha)", 18), ("above the lowest", 16), ("moment", 8), ("SCF steps", 9), ("seconds", 8)
]  # fmt: skip


def _problem(job: Job, number: int) -> Problem:
    """Return the problem of a start, with a checkpoint of its own."""
    given: Any = job.problem
    shells = {name: [dict(shell) for shell in of_element] for name, of_element in given["hubbard"]["shells"].items()}
    for element, shell, occupations in job.task["starts"][number]:
        shells[element][shell]["occupations"] = occupations
    checkpoint = given["checkpoint"] and given["checkpoint"] | {"file": _file(job, number), "keep": 1}
    return cast(Problem, {**given, "hubbard": given["hubbard"] | {"shells": shells}, "checkpoint": checkpoint})


def _file(job: Job, number: int) -> str:
    """Return the checkpoint of a start."""
    given = job.problem["checkpoint"]
    assert given is not None
    path = Path(given["file"])
    return str(path.with_name(f"{path.stem}-start-{number + 1}{path.suffix}"))


def _described(result: CoreResult) -> HubbardStart:
    """Return what result.json says of a start."""
    return HubbardStart(
        free_energy=result.energy.free,
        converged=result.converged,
        scf_steps=result.scf_steps,
        magnetisation=None if result.magnetisation is None else result.magnetisation.total,
        eigenvalues=[one.eigenvalues for one in result.hubbard or []],
    )


def _keep_lowest(job: Job, result: CoreResult, lowest: int) -> None:
    """Give the checkpoint of the lowest minimum its name, and remove the others."""
    given = job.problem["checkpoint"]
    if given is None:
        return
    for number in range(len(job.task["starts"])):
        if (path := Path(_file(job, number))).exists() and number == lowest:
            os.replace(path, given["file"])
        path.unlink(missing_ok=True)
    if result.checkpoint is not None:
        result.checkpoint.file = given["file"]


def solve(core: Any, job: Job, trace: Any, console: Console, ranks: int) -> tuple[CoreResult, list[Step]]:
    """Solve from each start; return the lowest minimum, and its steps. The other ranks `follow` meanwhile."""
    display, left = Display(console, [*_COLUMNS, TimeLeft.column]), TimeLeft()
    leader = Leader(core, ranks, trace=trace, on_activity=display.activity)
    count, found = len(job.task["starts"]), list[HubbardStart]()
    best: tuple[CoreResult, list[Step], int] | None = None
    with display:
        for number in range(count):
            began = time.perf_counter()
            result = leader.solve(_problem(job, number), anew=True, on_step=display.step)
            found.append(_described(result))
            if best is None or _rank(found[number]) < _rank(found[best[2]]) or result.stopped:
                best = result, list(display.steps), number
            seconds = time.perf_counter() - began
            display.row(_cells(found, seconds, left.after(seconds, count - 1 - number)))
            if result.stopped:
                break
    assert best is not None
    result, steps, lowest = best
    found[lowest].is_result = True
    result.hubbard_starts = found
    if unfinished := [str(number + 1) for number, one in enumerate(found) if not one.converged]:
        job.notes.append(f"starts that have not converged, whose energies count for nothing: {', '.join(unfinished)}")
    _keep_lowest(job, result, lowest)
    leader.end(
        {
            "converged": closing.ended_well(result),
            **({"checkpoint": result.checkpoint.content()} if result.checkpoint is not None else {}),
            **({"stopped": result.stopped} if result.stopped else {}),
        }
    )
    return result, steps


def _rank(start: HubbardStart) -> tuple[bool, float]:
    """Order starts: converged ones first, then by energy."""
    return not start.converged, start.free_energy if math.isfinite(start.free_energy) else math.inf


def _cells(found: list[HubbardStart], seconds: float, left: str) -> list[str]:
    last, lowest = found[-1], min(found, key=_rank)
    moment = "" if last.magnetisation is None else f"{last.magnetisation + 0.0:.3f}"
    above = f"{last.free_energy - lowest.free_energy:.6f}" if last.converged else "not converged"
    return [str(len(found)), f"{last.free_energy:.9f}", above, moment, str(last.scf_steps), f"{seconds:.2f}", left]
