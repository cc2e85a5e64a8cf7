#!/usr/bin/env python3
"""What a session saves: Al4 solved ten times with slightly moved atoms in one session, compared with ten runs.

    make study-session                                       # Al4, 4x4x4 k-points, ten solves
    python3 benchmarks/session/run.py --solves 10 --distance 0.005 --json session.json

Three methods, alternating for each geometry under the same conditions: a session; calculations one after the other in
one process (no start of Python and MPI); whole processes of the command. One rank with one thread. The
energies of all three agree to 1e-9 Ha, else the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from wavegrid.job.prepare import prepare  # noqa: E402
from wavegrid.process import core_loader, machine  # noqa: E402

A = 7.6533909
SITES = [(0.0, 0.0, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5), (0.5, 0.5, 0.0)]
INPUT = """
[structure]
cell = [[{a},0,0],[0,{a},0],[0,0,{a}]]
unit = "bohr"
coordinates = "fractional"
atoms = {atoms}
[basis]
ecut = "8.8309 Ha"
grid = [16, 16, 16]
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = [{mesh}, {mesh}, {mesh}] }}
smearing = {{ kind = "fermi-dirac", width = "0.00735 Ha" }}
[symmetry]
use = false
[scf]
energy_tolerance = "{tolerance} Ha"
[output]
checkpoint = false
"""


def main() -> int:
    """Measure and print; 0 where all energies agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solves", type=int, default=10)
    parser.add_argument("--distance", type=float, default=0.005, help="largest displacement along an axis, bohr")
    parser.add_argument("--mesh", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=1e-10, help="of the free energy, Ha")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    core = core_loader.load()
    core.mpi_start()
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for row in measure(core, arguments, Path(folder))]
    return show(rows, arguments)


def geometries(solves: int, distance: float) -> list[list[list[float]]]:
    """Return the perfect crystal and random walks from it, each atom by up to `distance` in every step."""
    numbers = random.Random(4)
    positions = [list(site) for site in SITES]
    walk = [positions]
    for _ in range(solves - 1):
        positions = [[x + distance / A * numbers.uniform(-1, 1) for x in site] for site in positions]
        walk.append(positions)
    return walk


def measure(core, arguments, folder: Path):
    """Yield seconds, energies and applications of H of each geometry, three ways."""
    session = None
    for number, positions in enumerate(geometries(arguments.solves, arguments.distance)):
        path = folder / f"al4_{number}.toml"
        atoms = json.dumps([["Al", *site] for site in positions])
        path.write_text(INPUT.format(a=A, atoms=atoms, mesh=arguments.mesh, tolerance=arguments.tolerance))
        problem = prepare(core, path).problem
        row = {}
        began = time.perf_counter()
        if session is None:
            session = core.Session(problem)
        else:
            session.set_positions(positions)
        row["session"] = result_of(session.solve(), began)
        began = time.perf_counter()
        row["calculation"] = result_of(core.Session(problem, keep_plans=False).solve(), began)
        began = time.perf_counter()
        command = [sys.executable, "-m", "wavegrid", "run", str(path), "--ranks", "1", "--quiet"]
        subprocess.run([*command, "--output", str(folder / "out")], check=True, cwd=ROOT / "python")
        row["process"] = result_of(json.loads((folder / "out" / "result.json").read_text()), began)
        yield row


def result_of(result: dict, began: float) -> dict:
    """Return what is compared."""
    return {
        "seconds": time.perf_counter() - began,
        "free_energy": result["energy"]["free"],
        "steps": result["scf_steps"],
        "h_applications": result["h_applications"],
    }


def show(rows: list[dict], arguments) -> int:
    """Print a line per geometry and the ratios of all but the first; 1 where energies differ."""
    print(machine.describe())
    worst = 0.0
    for number, row in enumerate(rows):
        energies = [row[way]["free_energy"] for way in row]
        worst = max(worst, max(energies) - min(energies))
        cells = [
            f"{way} {row[way]['seconds']:6.2f} s {row[way]['steps']:2d} steps {row[way]['h_applications']:6d} H"
            for way in row
        ]
        print(f"{number:2d}  F {energies[0]:.10f} Ha  " + "   ".join(cells))
    print(f"largest difference of energies: {worst:.1e} Ha")
    later = rows[1:]
    for way in ("calculation", "process"):
        for what in ("seconds", "h_applications"):
            ratios = [row["session"][what] / row[way][what] for row in later]
            print(f"session over {way}, {what}: median {statistics.median(ratios):.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine.describe(), "rows": rows}, indent=1))
    return 0 if worst < 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
