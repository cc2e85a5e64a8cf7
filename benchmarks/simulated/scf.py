"""Communication of whole self-consistent calculations, and what a calculation sets up before its first transform.

The whole program runs on simulated ranks, with all its arithmetic; only messages take simulated time. The energy has to
be the same on any number of ranks.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from cluster import FLAT, INFINIBAND_DDR, ROOT, SimulationError, simulate

TABLE = ROOT / "python/wavegrid/data/pseudopotentials/gth-lda.gth"
AL32, AL108 = ("Al32", 2, 85), ("Al108", 3, 217)  # cells along an edge, bands
RUNS = [(8, 1), (16, 1), (16, 2), (32, 1), (32, 4), (64, 1), (64, 8), (128, 1), (128, 16)]  # ranks, band groups
PHASES = ("exchange", "reductions", "fft", "other")
TOLERANCE = 1e-6  # Ha

SET_UP_RANKS = [64, 256, 1024]
STEPS = ("sphere", "partition", "groups", "layout", "runs 1", "runs 2", "plan 1", "plan 2", "directory")


def loop(full: bool) -> list[dict[str, Any]]:
    """The self-consistent loop: milliseconds of messages of a rank, by phase."""
    name, cells, bands = AL108 if full else AL32
    cluster = INFINIBAND_DDR
    print(f"\nSCF of {name}, {bands} bands, simulated on {cluster.name}: milliseconds of communication, by phase")
    print(f"{'ranks':>5} {'groups':>6} {'grid':>9} {'transforms':>10} {'all':>8} ", end="")
    print("".join(f"{phase:>11}" for phase in PHASES) + f"{'us per transform':>18}")
    found: list[dict[str, Any]] = []
    for ranks, groups in RUNS:
        options = ("--table", TABLE, "--cells", cells, "--bands", bands, "--band-groups", groups)
        row = simulate(cluster, ranks, "loop", *options)
        found.append(row)
        if abs(row["energy"] - found[0]["energy"]) > TOLERANCE:
            raise SimulationError(f"{ranks} ranks: {row['energy']} Ha, {found[0]['ranks']}: {found[0]['energy']} Ha")
        phases = "".join(f"{1e3 * row['phases'][phase]:>11.1f}" for phase in PHASES)
        each = 1e6 * row["phases"]["exchange"] / (row["transforms"] / groups)
        shape = f"{row['rows']} x {row['columns']}"
        print(
            f"{ranks:>5} {groups:>6} {shape:>9} {row['transforms']:>10} {1e3 * row['seconds']:>8.1f} {phases}"
            f"{each:>18.1f}",
            flush=True,
        )
    return found


def set_up(full: bool) -> list[dict[str, Any]]:
    """Layouts, plans and a directory for Al500: real milliseconds, simulated ones, and kilobytes, of each rank."""
    del full
    cluster = dataclasses.replace(INFINIBAND_DDR, probe=1e-4, settings=FLAT)
    rows = [simulate(cluster, number, "setup") for number in SET_UP_RANKS]
    print("\nset-up for Al500: ms of a rank, those of the simulated network, kB of a rank")
    print(f"{'step':>10} " + "".join(f"{f'{number} ranks':>26}" for number in SET_UP_RANKS))
    for name in STEPS:
        found = [next(step for step in row["steps"] if step["step"] == name) for row in rows]
        text = [f"{step['rank_ms']:.2f}  {step['simulated_ms']:.2f}  {step['rank_kb']:.1f}" for step in found]
        print(f"{name:>10} " + "".join(f"{one:>26}" for one in text))
    return rows
