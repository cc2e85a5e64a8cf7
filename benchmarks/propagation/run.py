#!/usr/bin/env python3
"""Schemes of a step in time compared at several steps: the error of a signal, and what it costs.

    make study-propagation                  # both cases: tables, and plots in the folder of --plots
    .venv/bin/python benchmarks/propagation/run.py --case kick --steps 40,20,10,5 --time 2

`kick`: the current of Na2 after a kick, which excites all frequencies. `pulse`: the current of CH4 in a pulse of light,
with few. The reference has a quarter of the shortest step. `error`: the root mean square of the current's difference
in the second half of the time, over the range of the current. `H / fs`: applications of H to a band for a femtosecond.
`Taylor limit`: the longest step at which a Taylor series of fourth order is stable in half steps, 2 * 2.8 / E_max, with
E_max of the kinetic energy alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FS = 1 / 0.02418884326585747  # atomic units of time
COMMON = """\
[electrons]
xc = "LDA-PW"
pseudopotentials = "{potentials}"
[basis]
ecut = "{ecut} Ha"
[parallel]
deterministic = true
[output]
checkpoint = false
[propagate]
time = "{time} fs"
timestep = "{step} as"
propagator = "{propagator}"
tolerance = 1e-7
"""


@dataclass(frozen=True)
class Case:
    """A system and what drives it."""

    structure: str
    field: str
    potentials: str
    ecut: float  # Ha
    time: float  # fs
    steps: tuple[float, ...]  # as
    propagators: tuple[str, ...]
    exact: str  # propagator of the reference


CASES = {
    "kick": Case(
        """[structure]
cell = [[16, 0, 0], [0, 16, 0], [0, 0, 20]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["Na", 8, 8, 7.1], ["Na", 8, 8, 12.9]]
""",
        "kick = { strength = 0.01, direction = [0, 0, 1] }\n",
        "gth-lda-q1",
        5,
        2,
        (40, 20, 10, 5),
        ("etrs", "magnus4", "crank-nicolson"),
        "magnus4",
    ),
    "pulse": Case(
        """[structure]
cell = [[9, 0, 0], [0, 9, 0], [0, 0, 9]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["C", 4.5, 4.5, 4.5], ["H", 5.69, 5.69, 5.69], ["H", 5.69, 3.31, 3.31], ["H", 3.31, 5.69, 3.31],
  ["H", 3.31, 3.31, 5.69]]
""",
        """[[propagate.laser]]
field = "0.01 Ha/bohr"
direction = [0, 0, 1]
frequency = "3 eV"
duration = "0.6 fs"
centre = "1 fs"
envelope = "sin2"
""",
        "gth-lda",
        20,
        2,
        (100, 50, 25),
        ("etrs", "crank-nicolson"),
        "etrs",
    ),
}


def run(folder: Path, case: Case, step: float, propagator: str) -> tuple[np.ndarray, dict[str, Any]]:
    """Return time and current along z, (times, 2), and the part `propagation` of the result."""
    from wavegrid.files.propagation import read

    keys = {"ecut": case.ecut, "time": case.time, "potentials": case.potentials}
    path = folder / f"{propagator}-{step:g}.toml"
    path.write_text(case.structure + COMMON.format(step=step, propagator=propagator, **keys) + case.field)
    out = folder / path.stem
    command = [sys.executable, "-m", "wavegrid", "run", path, "--output", out, "--ranks", "1", "--quiet"]
    done = subprocess.run(
        list(map(str, command)), check=False, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True
    )
    if done.returncode != 0:  # a step that is too long is refused
        raise RuntimeError(done.stderr.strip())
    table = read(out).columns
    return np.array([table["time"], table["current_z"]]).T, json.loads((out / "result.json").read_text())["propagation"]


def study(folder: Path, case: Case) -> dict[str, list[tuple[float, float, float]]]:
    """Print a table in Markdown; return step, error and applications of each propagator."""
    limit = 2 * 2.8 / case.ecut / FS * 1000
    print(f"Taylor limit: about {limit:.0f} as\n\n| propagator | step (as) | error | H / fs |\n|---|---|---|---|")
    exact, _ = run(folder, case, min(case.steps) / 4, case.exact)
    found: dict[str, list[tuple[float, float, float]]] = {}
    for propagator in case.propagators:
        for step in case.steps:
            try:
                signal, part = run(folder, case, step, propagator)
            except RuntimeError as fault:
                print(f"| {propagator} | {step:g} | {str(fault)[:90]} | |", flush=True)
                continue
            late = signal[len(signal) // 2 :]
            wanted = np.interp(late[:, 0], exact[:, 0], exact[:, 1])
            error = float(np.sqrt(np.mean((late[:, 1] - wanted) ** 2)) / np.ptp(exact[:, 1]))
            applications = part["applications"] * part["steps"] / case.time
            found.setdefault(propagator, []).append((step, error, applications))
            print(f"| {propagator} | {step:g} | {error:.1e} | {applications:.0f} |", flush=True)
    return found


def plot(path: Path, found: dict[str, list[tuple[float, float, float]]], limit: float) -> None:
    """Draw errors by step, and by applications of H."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for name, rows in found.items():
        steps, errors, applications = zip(*rows, strict=True)
        left.loglog(steps, errors, "o-", label=name)
        right.loglog(applications, errors, "o-", label=name)
    left.axvline(limit, color="0.5", linestyle="--", label="Taylor 4 unstable beyond")
    left.set_xlabel("step (as)")
    left.set_ylabel("error of the current")
    right.set_xlabel("applications of H / fs")
    left.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Run all, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", choices=[*CASES, "all"], default="all")
    parser.add_argument("--steps", help="attoseconds")
    parser.add_argument("--time", type=float, help="fs")
    parser.add_argument("--ecut", type=float, help="Ha")
    parser.add_argument("--plots", type=Path, help="folder of the plots")
    given = parser.parse_args()
    changes = {name: value for name in ("time", "ecut") if (value := getattr(given, name)) is not None}
    if given.steps is not None:
        changes["steps"] = tuple(sorted(map(float, given.steps.split(",")), reverse=True))
    for name in CASES if given.case == "all" else [given.case]:
        case = replace(CASES[name], **changes)
        with tempfile.TemporaryDirectory() as folder:
            print(f"\n{name}: ", end="")
            found = study(Path(folder), case)
        if given.plots is not None:
            given.plots.mkdir(parents=True, exist_ok=True)
            plot(given.plots / f"propagators-{name}.png", found, 2 * 2.8 / case.ecut / FS * 1000)


if __name__ == "__main__":
    main()
