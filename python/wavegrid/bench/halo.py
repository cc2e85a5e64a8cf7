"""Runs the compiled benchmark of halo exchanges, and the chain and the cylinder of Hoefler et al. 2008."""

import os
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from wavegrid.base.text import counted
from wavegrid.bench import chain
from wavegrid.bench.halo_request import MEASURED, Request
from wavegrid.bench.program import Measured, Row, Run, compiled, in_turn, launcher_of, versions, words
from wavegrid.errors import InputError
from wavegrid.process import core_loader

# 1.2 million points: radius and half length in steps of the mesh.
RADIUS, HALF_LENGTH = 50.0, 76.0
# The formula of the message size is fitted from so many parts on: with fewer, much of the surface of a part is that of
# the cylinder, where nothing is exchanged.
FITTED_FROM = 16


def measure(request: Request) -> Measured:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Measured(versions(), os.getloadavg()[0])
    launcher = launcher_of(result.versions, max(request.ranks))
    contexts = [case for case in request.cases if case in MEASURED]
    steps: list[tuple[str, Callable[[], None]]] = []
    for ranks in request.ranks if contexts else []:
        run = Run("halo", ranks, 1, partial(_take, result, ranks), taken=_expected_without_output(contexts, ranks))
        steps.append((counted(ranks, "rank"), partial(run.start, _words(request, contexts), launcher)))
    if "chain" in request.cases:
        steps += [(f"chain, {counted(ranks, 'rank')}, {transport}, overlap {overlap}",
                   partial(_chain, result, ranks, transport, overlap))
                  for ranks in request.chain_ranks for transport in request.chain_transports
                  for overlap in chain.OVERLAPS]  # fmt: skip
    if "octopus" in request.cases:
        steps += [(f"octopus, order {order}", partial(_octopus, result, order, request))
                  for order in request.octopus_orders]  # fmt: skip
        steps.append(("octopus, fit", partial(_fit, result)))
    in_turn(steps)
    return result


def _expected_without_output(contexts: list[str], ranks: int) -> int:
    """Return 1 where the program has nothing to print: neighbours on one rank."""
    return int(contexts == ["neighbours"] and ranks == 1)


def _take(result: Measured, ranks: int, content: Row) -> None:
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


def _chain(result: Measured, ranks: int, transport: str, overlap: str) -> None:
    result.rows.append(chain.measure(core_loader.load(), ranks, transport, overlap))


def _octopus(result: Measured, order: int, request: Request) -> None:
    """Partition the cylinder into each number of parts."""
    core = core_loader.load()
    mesh = {
        "order": order, "region": "cylinder", "axis": 3, "radius": RADIUS, "length": 2 * HALF_LENGTH,
        "lengths": [0.0] * 3, "centre": [0.0] * 3, "periodic": [False] * 3, "partition": "metis",
        "two_level": True, "reorder": True, "overlap": "auto",
    }  # fmt: skip
    unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    point = {"cell": unit, "species": ["H"], "atoms": [(0, 0.0, 0.0, 0.0)], "grid": [1, 1, 1]}
    graph = core.MeshGraph(point | {"realspace": mesh})
    result.rows += [_row(core, graph, order, count, request.network) for count in request.parts if count > 1]


def _fit(result: Measured) -> None:
    """Fit the formula of the message size to the parts of all orders, and add what it gives to all rows."""
    rows = [row for row in result.rows if row["context"] == "octopus"]
    fitted = [row for row in rows if row["parts"] >= FITTED_FROM]
    if len(fitted) < 4:
        return
    core = core_loader.load()
    try:
        coefficients = core.fit_halo([(*_size(row), row["ghosts_mean"]) for row in fitted])
    except core.BadInput as fault:
        raise InputError(f"--parts: {fault}") from None
    for row in rows:
        row["model"] = core.halo_points(coefficients, *_size(row))
    largest = max(abs(row["model"] / row["ghosts_mean"] - 1) for row in fitted)
    about = {"context": "octopus fit", "parts_from": FITTED_FROM, "largest_relative_error": largest}
    result.rows.append(about | {"coefficients": coefficients})


def _size(row: Row) -> tuple[float, int]:
    """Return the variables of the formula: points of a part, and points that the differences reach."""
    return row["volume"], row["order"] // 2


def _row(core: ModuleType, graph: Any, order: int, parts: int, network: dict[str, float]) -> Row:
    found = graph.partition(parts=parts, method="metis")["parts"]
    ghosts, neighbours = ([part[key] for part in found] for key in ("ghosts", "neighbours"))
    mean, around = sum(ghosts) / parts, sum(neighbours) / parts
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
        "printed_us": 1e6 * core.halo_seconds_as_printed(**network, neighbours=around, points=mean),
        # Of the slowest part, by the messages that it gets from each neighbour.
        "per_message_us": 1e6 * max(core.halo_seconds(**network, messages=part["messages"]) for part in found),
    }
