#!/usr/bin/env python3
"""Lines of Na2, CH4, CO and benzene on a mesh in wavegrid and GPAW: equal points, boundary, kick, time, step, window.

    .venv/bin/python benchmarks/propagation/lines_gpaw.py --system na2 --time 12 --step 30
    .venv/bin/python benchmarks/propagation/lines_gpaw.py --system co --time 2.5 --setups upf
    .venv/bin/python benchmarks/propagation/lines_gpaw.py --system ch4 --setups upf --finer 1.25 --time 0

GPAW takes with --setups upf the same files as we do, soft potentials by ld1.x (tests/reference/propagation/co), with
hgh those of GTH, which are ours then, else its PAW datasets. Free boundary: functions are zero at the edges of the
cell and beyond, order 6. Potentials are not zero there: GPAW's solver takes nine moments of the charge apart. What
GPAW's step moves a line by is taken off. Lines are as wide as 4 fs eV over the time, equal in both. Differences of
levels from the highest occupied one come first; --time 0 ends there.
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

from wavegrid.files.propagation import Propagated, read
from wavegrid.spectrum.absorption import absorption
from wavegrid.units import HARTREE_IN_EV

SOFT = Path(__file__).resolve().parents[2] / "tests/reference/propagation/co"  # inputs of ld1.x
PYTHON = "/usr/bin/python3"  # GPAW is a package of Debian
BOHR = 0.529177210903  # Angstrom
FEMTOSECOND = 41.341374575751  # hbar/Ha
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
STRENGTH = 0.001  # 1/bohr
# Angstrom, points, bohr from the middle, electrons, axis of the kick, pseudopotentials of ours
SYSTEMS = {
    "na2": ((12.8, 12.8, 14.4), (32, 32, 36), [("Na", 0, 0, -2.9), ("Na", 0, 0, 2.9)], 2, "z", "gth-lda-q1"),
    "ch4": ((6.4, 6.4, 6.4), (32, 32, 32), [("C", 0, 0, 0)], 8, "x", "gth-lda"),
    "co": ((6.4, 6.4, 7.2), (32, 32, 36), [("C", 0, 0, -1.066), ("O", 0, 0, 1.066)], 10, "x", "gth-lda"),
    "benzene": ((9.0, 9.0, 6.0), (36, 36, 24), [], 30, "x", "gth-lda"),
}
for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
    SYSTEMS["ch4"][2].append(("H", *(1.19 * sign for sign in signs)))
for corner in range(6):
    along = (np.cos(np.pi * corner / 3), np.sin(np.pi * corner / 3))
    for symbol, radius in (("C", 2.636), ("H", 4.692)):
        SYSTEMS["benzene"][2].append((symbol, radius * along[0], radius * along[1], 0))


def kick(system: str) -> list[float]:
    """Return its direction."""
    return [1.0 if axis == SYSTEMS[system][4] else 0.0 for axis in "xyz"]


def box(options: argparse.Namespace) -> tuple[list[float], list[int]]:
    """Return edges (Angstrom) and intervals, multiples of four as GPAW's coarse grids need."""
    edges, counts = SYSTEMS[options.system][:2]
    spacing = edges[0] / counts[0] / options.finer
    fitting = [4 * round(edge / spacing / 4) for edge in edges]
    return [count * spacing for count in fitting], fitting


def atoms(options: argparse.Namespace) -> list[list[str | float]]:
    """Return elements and places, bohr."""
    middle = [0.5 * edge / BOHR for edge in box(options)[0]]
    every = SYSTEMS[options.system][2]
    return [[one[0], *(m + float(x) for m, x in zip(middle, one[1:], strict=True))] for one in every]


def files(options: argparse.Namespace, folder: Path) -> dict[str, str]:
    """Make the soft potentials of the elements there are; return their files."""
    made = {}
    for element in sorted({one[0] for one in SYSTEMS[options.system][2]}):
        with (SOFT / f"{element}.ld1").open() as text:
            subprocess.run(["ld1.x"], stdin=text, cwd=folder, check=True, capture_output=True)
        made[element] = str(folder / f"{element}.soft.UPF")
    return made


def ours(options: argparse.Namespace, upf: dict[str, str], folder: Path) -> Path:
    """Run wavegrid; return the folder of its result."""
    edges, counts = box(options)
    inside = [edge / BOHR * (count - 0.5) / count for edge, count in zip(edges, counts, strict=True)]
    cell = [[edge / BOHR if row == column else 0 for column in range(3)] for row, edge in enumerate(edges)]
    table = ", ".join(f'{element} = "{path}"' for element, path in upf.items())
    potentials = f"{{ {table} }}" if upf else f'"{SYSTEMS[options.system][5]}"'
    text = f"""[structure]
cell = {cell}
unit = "bohr"
coordinates = "cartesian"
atoms = {json.dumps(atoms(options))}
[electrons]
xc = "{"LDA-PZ" if upf else "LDA-PW"}"
pseudopotentials = {potentials}
[basis]
method = "realspace"
spacing = "{edges[0] / counts[0]} angstrom"
boundary = "free"
order = 6
region = {{ kind = "box", lengths = {[f"{length} bohr" for length in inside]} }}
[output]
checkpoint = false
"""
    if options.time > 0:
        text += f"""[propagate]
time = "{options.time} fs"
timestep = "{options.step} as"
propagator = "etrs"
tolerance = 1e-5
kick = {{ strength = {STRENGTH}, direction = {kick(options.system)}, gauge = "dipole" }}
"""
    (folder / "ours.toml").write_text(text)
    command = [sys.executable, "-m", "wavegrid", "run", "ours.toml", "--output", "ours", "--ranks", "1", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, env=ENVIRONMENT)
    return folder / "ours"


def gpaw(options: argparse.Namespace, upf: dict[str, str], folder: Path) -> dict[str, Any]:
    """Run GPAW; return what it says."""
    electrons = SYSTEMS[options.system][3]
    edges, counts = box(options)
    given = {"cell": [edge / BOHR for edge in edges], "atoms": atoms(options), "points": counts}
    given |= {"bands": electrons // 2, "setups": options.setups, "time": options.time, "upf": upf}
    given |= {"steps": [options.step] if options.time > 0 else [], "xc": "LDA_X+LDA_C_PZ" if upf else "LDA"}
    given |= {
        "moments": 9,
        "kick": [STRENGTH * one for one in kick(options.system)],
        "tolerance": 1e-6,
        "folder": str(folder),
    }
    command = [PYTHON, str(Path(__file__).with_name("gpaw_run.py")), json.dumps(given)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    lines = [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return dict(json.loads(lines[-1]))


def levels_of(folder: Path) -> list[float]:
    """Return the levels of a result of ours, Ha."""
    return list(json.loads((folder / "result.json").read_text())["eigenvalues"][0][0])


def print_levels(name: str, levels: list[float]) -> None:
    """Print occupied levels below the highest one, eV."""
    print(f"{name}: {', '.join(f'{(level - levels[-1]) * HARTREE_IN_EV:.3f}' for level in levels[:-1])}", flush=True)


def as_table(rows: list[list[float]], axis: str, like: Propagated) -> Propagated:
    """Return GPAW's dipole, whose kick has the other sign, with the rest of another table."""
    times, dipole = np.array(rows).T
    columns = {"time": times.tolist(), "step": list(map(float, range(len(times))))}
    columns |= {f"dipole_{one}": (-dipole if one == axis else 0 * dipole).tolist() for one in "xyz"}
    return Propagated(like.path, columns, like.momentum, like.electrons, like.volume, [])


def without_step(energy: float, level: float, step: float) -> float:
    """Return a frequency (Ha) of the rule of Crank and Nicolson in steps of zero length.

    A level e turns by 2 atan(e dt/2) in a step; what is excited comes from `level`. Steps of 16 and 8 as of CH4 agree
    so. Exponentials turn each level right: ours needs nothing of the kind.
    """
    half = 0.5e-3 * FEMTOSECOND * step
    seen = np.arctan(level * half) / half + energy
    return float(np.tan(seen * half) / half - level)


def report(name: str, run: Propagated, step: float, level: float | None = None) -> None:
    """Print the first lines and the sum rule; `level` (Ha): what without_step() needs, of GPAW's."""
    highest = 0.8 * np.pi / (1e-3 * FEMTOSECOND * step)  # a step mirrors what is above pi/dt
    energies = np.arange(0.01, highest, 0.02 / HARTREE_IN_EV)
    found = absorption([run], energies, "polynomial", 0)
    peaks = [energy for energy, _ in found.peaks()[:4]]
    if level is not None:
        peaks = [without_step(energy, level, step) for energy in peaks]
    places = ", ".join(f"{peak * HARTREE_IN_EV:.3f}" for peak in peaks)
    print(f"| {name} | {places} | {found.sum_rule():.3f} up to {highest * HARTREE_IN_EV:.0f} eV |", flush=True)


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=list(SYSTEMS), default="ch4")
    parser.add_argument("--setups", choices=["hgh", "paw", "upf"], default="upf")
    parser.add_argument("--time", type=float, default=3, help="fs")
    parser.add_argument("--step", type=float, default=16, help="as")
    parser.add_argument("--finer", type=float, default=1, help="this many times the points along each edge")
    parser.add_argument("--keep", type=Path, help="a folder for the files of both programs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) if options.keep is None else options.keep.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        upf = files(options, folder) if options.setups == "upf" else {}
        out = ours(options, upf, folder)
        occupied = SYSTEMS[options.system][3] // 2
        print_levels("wavegrid", levels_of(out)[:occupied])
        theirs = gpaw(options, upf, folder)
        print_levels(f"GPAW, {options.setups}", theirs["levels"][:occupied])
        if options.time > 0:
            print("\n| program | peaks, eV | sum rule |\n|---|---|---|")
            run = read(out)
            report("wavegrid", run, options.step)
            table = as_table(theirs["runs"][0]["table"], SYSTEMS[options.system][4], run)
            report(f"GPAW, {options.setups}", table, options.step, theirs["levels"][occupied - 1])


if __name__ == "__main__":
    main()
