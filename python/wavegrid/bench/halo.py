"""Runs the compiled benchmark of halo exchanges, and the partitions of the cylinder of Hoefler et al. 2008."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any

from rich.console import Console
from rich.progress import Progress

from wavegrid import core_loader
from wavegrid.bench.halo_request import MEASURED, Request
from wavegrid.bench.program import Run, compiled, versions, words
from wavegrid.errors import InputError
from wavegrid.launch import mpirun
from wavegrid.text import counted

# 1.2 million points: radius and half length in steps of the mesh.
RADIUS, HALF_LENGTH = 50.0, 76.0
# InfiniBand SDR as in the paper: seconds, and seconds per byte.
NETWORK = {"latency": 5e-6, "overhead": 1e-6, "gap": 2e-6, "gap_per_byte": 1.1e-9}


@dataclass
class Result:
    """What was measured, by which versions."""

    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before
    rows: list[dict[str, Any]] = field(default_factory=list)  # of all cases; "context" is the case
    fits: list[dict[str, Any]] = field(default_factory=list)  # of octopus, one for each order


def measure(request: Request) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Result(versions(), os.getloadavg()[0])
    launcher = mpirun.find_launcher(result.versions.get("mpi", ""))
    console = Console(stderr=True)
    contexts = [case for case in request.cases if case in MEASURED]
    steps: list[tuple[str, Callable[[], None]]] = []
    for ranks in request.ranks if contexts else []:
        run = Run("halo", ranks, 1, partial(_take, result, ranks), taken=_expected_without_output(contexts, ranks))
        steps.append((counted(ranks, "rank"), partial(run.start, _words(request, contexts), launcher)))
    if "octopus" in request.cases:
        core = core_loader.load()
        steps += [(f"octopus, order {order}", partial(_octopus, core, result, order, request.parts))
                  for order in request.orders]  # fmt: skip
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(steps))
        for name, step in steps:
            progress.update(task, description=name)
            step()
            progress.advance(task)
    return result


def _expected_without_output(contexts: list[str], ranks: int) -> int:
    """Return 1 where the program has nothing to print: neighbours on one rank."""
    return int(contexts == ["neighbours"] and ranks == 1)


def _take(result: Result, ranks: int, content: dict[str, Any]) -> None:
    result.rows.append({"context": content.pop("context"), "ranks": ranks, **content})


def _words(request: Request, contexts: list[str]) -> list[str]:
    options = {
        "--context": ",".join(contexts),
        "--transport": ",".join(request.transports),
        "--order": ",".join(map(str, request.orders)),
        "--width": str(request.width),
        "--edge": str(request.edge),
        "--repeats": str(request.repeats),
    }
    return [str(compiled("bench_halo")), *words(options)]


def _octopus(core: ModuleType, result: Result, order: int, parts: list[int]) -> None:
    """Partition the cylinder into each number of parts, and fit the message size to the results."""
    mesh = {
        "order": order, "region": "cylinder", "axis": 3, "radius": RADIUS, "length": 2 * HALF_LENGTH,
        "lengths": [0.0] * 3, "centre": [0.0] * 3, "periodic": [False] * 3, "partition": "metis",
    }  # fmt: skip
    unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    point = {"cell": unit, "species": ["H"], "atoms": [(0, 0.0, 0.0, 0.0)], "grid": [1, 1, 1]}
    graph = core.MeshGraph(point | {"realspace": mesh})
    rows = [_row(core, graph, order, count) for count in parts if count > 1]
    samples = [(row["volume"], order // 2, row["ghosts_mean"]) for row in rows]
    result.rows += rows
    if len(samples) < 4:
        return
    try:
        fit = core.fit_halo(samples)
    except core.BadInput as fault:
        raise InputError(f"--parts: {fault}") from None
    result.fits.append({"order": order, "coefficients": fit["coefficients"]})
    for row, points in zip(rows, fit["points"], strict=True):
        row["model"] = points


def _row(core: ModuleType, graph: Any, order: int, parts: int) -> dict[str, Any]:
    found = graph.partition(parts=parts, method="metis")["parts"]
    ghosts, neighbours = ([part[key] for part in found] for key in ("ghosts", "neighbours"))
    mean, around = sum(ghosts) / parts, sum(neighbours) / parts
    worst = max(found, key=lambda part: part["ghosts"])
    each = [worst["ghosts"] // worst["neighbours"]] * worst["neighbours"]
    return {
        "context": "octopus",
        "order": order,
        "parts": parts,
        "points": graph.num_points,
        "volume": graph.num_points / parts,
        "ghosts_mean": mean,
        "ghosts_max": max(ghosts),
        "neighbours_mean": around,
        "neighbours_max": max(neighbours),
        "printed_us": 1e6 * core.halo_seconds_as_printed(**NETWORK, neighbours=around, points=mean),
        "per_message_us": 1e6 * core.halo_seconds(**NETWORK, messages=each),
    }
