#!/usr/bin/env python3
"""Schemes of a step in time compared at several steps: the error of the signal after a kick, and what it costs.

    make study-propagation                  # Na2 in plane waves, 2 fs: a table of both propagators
    .venv/bin/python benchmarks/propagation/run.py --steps 40,20,10,5 --time 2

The reference has a quarter of the shortest step. `error`: the root mean square of the current's difference in the
second half of the time, over the range of the current. `H / fs`: applications of H to a band for a femtosecond.
`Taylor limit`: the longest step at which a Taylor series of fourth order is stable in half steps, 2 * 2.8 / E_max.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FS = 1 / 0.02418884326585747  # atomic units of time
INPUT = """\
[structure]
cell = [[16, 0, 0], [0, 16, 0], [0, 0, 20]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["Na", 8, 8, 7.1], ["Na", 8, 8, 12.9]]
[basis]
ecut = "{ecut} Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda-q1"
[parallel]
deterministic = true
[output]
checkpoint = false
[propagate]
time = "{time} fs"
timestep = "{step} as"
propagator = "{propagator}"
tolerance = 1e-8
kick = {{ strength = 0.01, direction = [0, 0, 1] }}
"""


def run(folder: Path, ecut: float, time: float, step: float, propagator: str) -> tuple[np.ndarray, dict[str, Any]]:
    """Return time and current along z, (times, 2), and the part `propagation` of the result."""
    from wavegrid.files.propagation import read

    path = folder / f"{propagator}-{step:g}.toml"
    path.write_text(INPUT.format(ecut=ecut, time=time, step=step, propagator=propagator))
    out = folder / path.stem
    command = [sys.executable, "-m", "wavegrid", "run", path, "--output", out, "--ranks", "1", "--quiet"]
    subprocess.run(list(map(str, command)), check=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    table = read(out).columns
    return np.array([table["time"], table["current_z"]]).T, json.loads((out / "result.json").read_text())["propagation"]


def main() -> None:
    """Run all, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", default="40,20,10,5", help="attoseconds")
    parser.add_argument("--time", type=float, default=2.0, help="fs")
    parser.add_argument("--ecut", type=float, default=5.0, help="Ha")
    given = parser.parse_args()
    steps = sorted(map(float, given.steps.split(",")), reverse=True)
    limit = 2 * 2.8 / given.ecut / FS * 1000
    print(f"Taylor limit: about {limit:.0f} as\n\n| propagator | step (as) | error | H / fs |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        exact, _ = run(Path(folder), given.ecut, given.time, steps[-1] / 4, "magnus4")
        for propagator in ("etrs", "magnus4"):
            for step in steps:
                found, part = run(Path(folder), given.ecut, given.time, step, propagator)
                late = found[len(found) // 2 :]
                wanted = exact[np.searchsorted(exact[:, 0], late[:, 0] - 1e-6), 1]
                error = np.sqrt(np.mean((late[:, 1] - wanted) ** 2)) / np.ptp(exact[:, 1])
                halves = part["iterations"] + (1 if propagator == "etrs" else part["iterations"])
                applications = halves * part["degree"] * part["steps"] / given.time
                print(f"| {propagator} | {step:g} | {error:.1e} | {applications:.0f} |", flush=True)


if __name__ == "__main__":
    main()
