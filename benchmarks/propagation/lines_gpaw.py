#!/usr/bin/env python3
"""Lines of Na2, CH4 and CO on a mesh in wavegrid and GPAW: the same points, boundary, kick, time, step and window.

    .venv/bin/python benchmarks/propagation/lines_gpaw.py --system na2 --time 12 --step 30
    .venv/bin/python benchmarks/propagation/lines_gpaw.py --system co --time 2.5 --setups paw

GPAW takes the potentials of GTH with --setups hgh, which are ours, else its PAW datasets. Free boundary: functions are
zero at the edges of the cell and beyond, order 6. Potentials are not zero there: GPAW's solver takes nine moments of
the charge apart. What a step lowers a line by, (w dt)^2/12 of it in both programs, is added. Lines are as wide as 4
fs eV over the time, equal in both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from wavegrid.files.propagation import Propagated, read
from wavegrid.spectrum.absorption import absorption
from wavegrid.units import HARTREE_IN_EV

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
}
for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
    SYSTEMS["ch4"][2].append(("H", *(1.19 * sign for sign in signs)))


def atoms(system: str) -> list[list[str | float]]:
    """Return elements and places, bohr."""
    middle = [0.5 * edge / BOHR for edge in SYSTEMS[system][0]]
    return [[one[0], *(m + float(x) for m, x in zip(middle, one[1:], strict=True))] for one in SYSTEMS[system][2]]


def kick(system: str) -> list[float]:
    """Return its direction."""
    return [1.0 if axis == SYSTEMS[system][4] else 0.0 for axis in "xyz"]


def ours(options: argparse.Namespace, folder: Path) -> Propagated:
    """Run wavegrid; return its table."""
    edges, points = SYSTEMS[options.system][:2]
    inside = [edge / BOHR * (count - 0.5) / count for edge, count in zip(edges, points, strict=True)]
    cell = [[edge / BOHR if row == column else 0 for column in range(3)] for row, edge in enumerate(edges)]
    (folder / "ours.toml").write_text(f"""[structure]
cell = {cell}
unit = "bohr"
coordinates = "cartesian"
atoms = {json.dumps(atoms(options.system))}
[electrons]
xc = "LDA-PW"
pseudopotentials = "{SYSTEMS[options.system][5]}"
[basis]
method = "realspace"
spacing = "{edges[0] / points[0]} angstrom"
boundary = "free"
order = 6
region = {{ kind = "box", lengths = {[f"{length} bohr" for length in inside]} }}
[output]
checkpoint = false
[propagate]
time = "{options.time} fs"
timestep = "{options.step} as"
propagator = "etrs"
tolerance = 1e-5
kick = {{ strength = {STRENGTH}, direction = {kick(options.system)}, gauge = "dipole" }}
""")
    command = [sys.executable, "-m", "wavegrid", "run", "ours.toml", "--output", "ours", "--ranks", "1", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, env=ENVIRONMENT)
    return read(folder / "ours")


def gpaw(options: argparse.Namespace, like: Propagated, folder: Path) -> Propagated:
    """Run GPAW; return its dipole as a table."""
    edges, points, _, electrons = SYSTEMS[options.system][:4]
    given = {"cell": [edge / BOHR for edge in edges], "atoms": atoms(options.system), "points": points}
    given |= {"bands": electrons // 2, "setups": options.setups, "steps": [options.step], "time": options.time}
    given |= {
        "moments": 9,
        "kick": [STRENGTH * one for one in kick(options.system)],
        "tolerance": 1e-6,
        "folder": str(folder),
    }
    command = [PYTHON, str(Path(__file__).with_name("gpaw_run.py")), json.dumps(given)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    lines = [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return as_table(json.loads(lines[-1])["runs"][0]["table"], SYSTEMS[options.system][4], like)


def as_table(rows: list[list[float]], axis: str, like: Propagated) -> Propagated:
    """Return GPAW's dipole, whose kick has the other sign, with the rest of another table."""
    times, dipole = np.array(rows).T
    columns = {"time": times.tolist(), "step": list(map(float, range(len(times))))}
    columns |= {f"dipole_{one}": (-dipole if one == axis else 0 * dipole).tolist() for one in "xyz"}
    return Propagated(like.path, columns, like.momentum, like.electrons, like.volume, [])


def report(name: str, run: Propagated, step: float) -> None:
    """Print the first lines and the sum rule."""
    highest = 0.8 * np.pi / (1e-3 * FEMTOSECOND * step)  # a step mirrors what is above pi/dt
    energies = np.arange(0.01, highest, 0.02 / HARTREE_IN_EV)
    found = absorption([run], energies, "polynomial", 0)
    peaks = []
    for energy, _ in found.peaks()[:4]:
        peaks.append(energy * HARTREE_IN_EV * (1 + (energy * 1e-3 * FEMTOSECOND * step) ** 2 / 12))
    places = ", ".join(f"{peak:.3f}" for peak in peaks)
    print(f"| {name} | {places} | {found.sum_rule():.3f} up to {highest * HARTREE_IN_EV:.0f} eV |", flush=True)


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=list(SYSTEMS), default="ch4")
    parser.add_argument("--setups", choices=["hgh", "paw"], default="hgh")
    parser.add_argument("--time", type=float, default=3, help="fs")
    parser.add_argument("--step", type=float, default=16, help="as")
    options = parser.parse_args()
    print("| program | peaks, eV | sum rule |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        run = ours(options, Path(place))
        report("wavegrid", run, options.step)
        report(f"GPAW, {options.setups}", gpaw(options, run, Path(place)), options.step)


if __name__ == "__main__":
    main()
