#!/usr/bin/env python3
"""Benzene on a mesh after a kick in wavegrid and GPAW: CPU time for a femtosecond, and errors of the dipole.

    .venv/bin/python benchmarks/propagation/against_gpaw.py --time 0.4 --ranks 1,2

The same points (0.25 Angstrom), order of the differences (6) and boundary (free) in both; GPAW with its PAW datasets,
wavegrid with GTH. Reference of each: its own runs with shorter steps; of GPAW, of second order, extrapolated from the
two shortest steps. Ground states are left out of the times. On a machine with other work more than one rank is not
comparable: ranks that wait use their core.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from wavegrid.files.propagation import read

PYTHON = "/usr/bin/python3"  # GPAW is a package of Debian
BOHR = 0.529177210903  # Angstrom
EDGES = (9.0, 9.0, 6.0)  # Angstrom
POINTS = (36, 36, 24)
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
MPIRUN = "mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -n"
# propagator, step (as), tolerance; the last is the reference
OURS = (("etrs", 16, 1e-5), ("etrs", 16, 1e-4), ("magnus4", 16, 1e-5), ("etrs", 10, 1e-5), ("magnus4", 5, 1e-8))
STEPS = (40, 20, 10)  # as, of GPAW
Signal = tuple[np.ndarray, np.ndarray]


def atoms() -> list[list[str | float]]:
    """Return elements and places, bohr."""
    found: list[list[str | float]] = []
    for number in range(6):
        along = np.array([math.cos(math.pi / 3 * number), math.sin(math.pi / 3 * number), 0])
        for element, radius in (("C", 2.636), ("H", 4.692)):
            found.append([element, *(0.5 * np.array(EDGES) / BOHR + radius * along).tolist()])
    return found


def our_input(propagate: str) -> str:
    """Return an input of ours."""
    return f"""[structure]
cell = [[{EDGES[0]}, 0, 0], [0, {EDGES[1]}, 0], [0, 0, {EDGES[2]}]]
unit = "angstrom"
coordinates = "cartesian"
atoms = {json.dumps([[one[0], *(BOHR * float(x) for x in one[1:])] for one in atoms()])}
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda"
[basis]
method = "realspace"
spacing = "0.25 angstrom"
order = 6
boundary = "free"
[output]
checkpoint = false
{propagate}"""


def timed_run(folder: Path, text: str, ranks: int) -> float:
    """Run an input; return the CPU seconds of all its processes."""
    (folder / "benzene.toml").write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "wavegrid", "run", "benzene.toml", "--output", "out", "--ranks", str(ranks)]
    subprocess.run([*command, "--quiet"], cwd=folder, check=True, capture_output=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after[0] + after[1] - before[0] - before[1]


def error(signal: Signal, exact: Signal) -> float:
    """Return the root mean square difference in the second half of the time over the range."""
    late = signal[0] > 0.5 * exact[0][-1]
    wanted = np.interp(signal[0][late], *exact)
    return float(np.sqrt(np.mean((signal[1][late] - wanted) ** 2)) / np.ptp(exact[1]))


def ours(time: float, ranks: int) -> None:
    """Print a row for each propagator."""
    signals, seconds = [], []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        ground = timed_run(folder, our_input(""), ranks)
        for propagator, step, tolerance in OURS:
            kick = "kick = { strength = 0.001, direction = [1, 0, 0] }"
            part = f'[propagate]\ntime = "{time} fs"\ntimestep = "{step} as"\npropagator = "{propagator}"\n'
            seconds.append(timed_run(folder, our_input(f"{part}tolerance = {tolerance}\n{kick}\n"), ranks) - ground)
            columns = read(folder / "out").columns
            signals.append((np.array(columns["time"]), np.array(columns["dipole_x"]) - columns["dipole_x"][0]))
    for (propagator, step, tolerance), signal, cpu in zip(OURS, signals, seconds, strict=True):
        name = f"wavegrid, {propagator}, {tolerance:g}"
        print(f"| {name} | {step} | {ranks} | {cpu / time:.0f} | {error(signal, signals[-1]):.1e} |", flush=True)


def gpaw(time: float, ranks: int) -> None:
    """Print a row for each step."""
    given = {"cell": [edge / BOHR for edge in EDGES], "atoms": atoms(), "points": POINTS, "bands": 15}
    given |= {"steps": STEPS, "time": time, "kick": [0.001, 0, 0]}
    start = [*MPIRUN.split(), str(ranks)] if ranks > 1 else []
    command = [*start, PYTHON, str(Path(__file__).with_name("gpaw_run.py"))]
    with tempfile.TemporaryDirectory() as place:  # of all ranks
        command.append(json.dumps(given | {"folder": place}))
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    lines = [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    runs = json.loads(lines[-1])["runs"]
    signals = [(table[:, 0], table[:, 1]) for table in (np.array(run["table"]) for run in runs)]
    times, long = signals[-2]
    exact = times, (4 * np.interp(times, *signals[-1]) - long) / 3
    for run, signal in zip(runs, signals, strict=True):
        print(f"| GPAW | {run['step']:g} | {ranks} | {run['seconds'] / time:.0f} | {error(signal, exact):.1e} |")


def main() -> None:
    """Run both, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=float, default=0.4, help="fs")
    parser.add_argument("--ranks", default="1")
    given = parser.parse_args()
    print("| program | step (as) | ranks | CPU s / fs | error |\n|---|---|---|---|---|")
    for ranks in map(int, given.ranks.split(",")):
        ours(given.time, ranks)
        gpaw(given.time, ranks)


if __name__ == "__main__":
    main()
