#!/usr/bin/env python3
"""Exact exchange of all bands by the number of ranks: measured on a few, predicted up to 256. All of it labelled.

    .venv/bin/python benchmarks/exact_exchange/scaling.py --case h2o32 --ranks 1,2
    .venv/bin/python benchmarks/exact_exchange/scaling.py --case si2 --ranks 1 --predict 4,16,40

Predicted from one rank: a rank transforms its share of the pairs while the next bands are on their way. `--latency` and
`--bandwidth` are those of a rank of a cluster (src/costmodel/machine.hpp). With N bands of b bytes on P ranks:

    real bands at Gamma, a ring   N b/P each way in each of P/2 steps, behind N^2/(4 P^2) transforms of two pairs
    k-points, broadcasts          all bands of the irreducible k-points to all ranks, behind the pairs of a rank's bands

What cannot hide behind transforms, and the first message, is `communication`. Shares are whole bands: with more ranks
than bands the ring is of those that have one, and the others have nothing to do.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from against_pwx import CASES, ROOT, Case, our_input


def run(case: Case, ranks: int, tolerance: float) -> dict:
    """Run wavegrid and return its result."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in.toml").write_text(our_input(case, tolerance))
        program = str(ROOT / ".venv/bin/wavegrid")
        command = [program, "run", "in.toml", "--ranks", str(ranks), "--output", "out", "--quiet"]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
        if answer.returncode != 0:
            sys.exit(answer.stderr)
        return json.loads((folder / "out/result.json").read_text())


def of_ring(bands: int, band_bytes: float, seconds: float, ranks: int, latency: float, bandwidth: float) -> list[float]:
    """Return the seconds of one computation at Gamma on a rank with a full share, and those of waiting for messages."""
    ring = min(ranks, bands)
    share = math.ceil(bands / ring)
    pair = seconds / (bands * (bands + 1) / 2)
    message = latency + share * band_bytes / bandwidth
    total, waiting = share * (share + 1) / 2 * pair, 0.0
    for distance in range(1, ring // 2 + 1):
        half = 0.5 if 2 * distance == ring else 1.0
        work = half * share * share * pair
        late = message if distance == 1 else max(0.0, 2 * message - work)  # bands there and w back
        total += work + late
        waiting += late
    if ring > 1:
        total += message  # the last w
        waiting += message
    return [total, waiting]


def of_broadcasts(
    bands: int, kpoints: int, band_bytes: float, seconds: float, ranks: int, latency: float, bandwidth: float
) -> list[float]:
    """Return the same with k-points."""
    groups = min(ranks, kpoints)
    share = math.ceil(kpoints / groups) * math.ceil(bands / max(1, ranks // groups))  # targets of a rank
    blocks = kpoints * max(1, ranks // groups)
    message = 2 * latency * math.ceil(math.log2(ranks)) if ranks > 1 else 0.0
    message += bands * kpoints / blocks * band_bytes / bandwidth if ranks > 1 else 0.0
    work = seconds * share / (bands * kpoints)
    late = message + max(0.0, (blocks - 1) * message - work * (blocks - 1) / blocks)
    return [work + late, late]


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--case", choices=CASES, default="si8")
    arguments.add_argument("--ranks", default="1,2", help="measured, the first is 1")
    arguments.add_argument("--predict", default="2,4,8,16,32,64,128,256")
    arguments.add_argument("--tolerance", type=float, default=1e-6, help="Ha")
    arguments.add_argument("--latency", type=float, default=2e-6, help="s")
    arguments.add_argument("--bandwidth", type=float, default=1e9, help="bytes/s")
    given = arguments.parse_args()
    case = CASES[given.case]
    print("            ranks  seconds of one computation  speed-up  communication")
    first = None
    for ranks in map(int, given.ranks.split(",")):
        result = run(case, ranks, given.tolerance)
        used = result["exact_exchange"]
        seconds = used["seconds"] / (used["in_single"] + used["in_double"])
        first = first or (seconds, result)
        share = used["communication_seconds"] / used["seconds"]
        print(f"measured   {ranks:6}  {seconds:26.4f}  {first[0] / seconds:8.1f}  {share:12.1%}", flush=True)
    seconds, result = first
    waves = result["plane_waves"]
    for ranks in map(int, given.predict.split(",")):
        machine = (seconds, ranks, given.latency, given.bandwidth)
        if case.mesh:
            total, waiting = of_broadcasts(case.bands, len(result["kpoints"]), 16.0 * waves, *machine)
        else:
            total, waiting = of_ring(case.bands, 16.0 * waves, *machine)
        print(f"predicted  {ranks:6}  {total:26.4f}  {seconds / total:8.1f}  {waiting / total:12.1%}")


if __name__ == "__main__":
    main()
