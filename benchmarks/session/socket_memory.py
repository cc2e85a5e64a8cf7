#!/usr/bin/env python3
"""Memory of a client of the i-PI protocol over many steps: its ranks and their parent, after each step.

    .venv/bin/python benchmarks/session/socket_memory.py --steps 50 --ranks 2

ASE's SocketIOCalculator moves the atoms and the cell of Si8; the client is `wavegrid run FILE --socket`. Prints the
resident memory of all processes of the client together after the 5th and the last step; exit code 1 where it has grown
by more than 5 %.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from ase.build import bulk
from ase.calculators.socketio import SocketIOCalculator

INPUT = """
[structure]
file = "si8.extxyz"
[basis]
ecut = "8 Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda"
kpoints = { mesh = [2, 2, 2] }
[symmetry]
use = false
[output]
forces = true
stress = true
"""
FIRST = 5  # step after which all arrays are there
MOST = 1.05  # times: the allocator keeps what cells of other sizes needed


def main() -> int:
    """Run and print; 0 where the memory stays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--ranks", type=int, default=2)
    arguments = parser.parse_args()
    atoms = bulk("Si", a=5.4, cubic=True)
    places, cell = atoms.positions.copy(), atoms.cell.array.copy()
    random = np.random.default_rng(1)
    name = f"memory_{os.getpid()}"
    used = []
    with tempfile.TemporaryDirectory() as folder:
        atoms.write(Path(folder) / "si8.extxyz")
        (Path(folder) / "si.toml").write_text(INPUT)
        command = [sys.executable, "-m", "wavegrid", "run", "si.toml", "--socket", name, "-q"]
        with SocketIOCalculator(unixsocket=name, timeout=120) as calculator:
            child = subprocess.Popen([*command, "--ranks", str(arguments.ranks)], cwd=folder)
            atoms.calc = calculator
            for _ in range(arguments.steps):
                atoms.set_cell(cell * (1 + 0.002 * random.uniform(-1, 1)))
                atoms.set_positions(places + 0.02 * random.normal(size=places.shape))
                atoms.get_forces()
                used.append(sum(resident(number) for number in family(child.pid)))
        code = child.wait(60)
    last = used[-1] / used[FIRST - 1]
    first, end, most = (value / 2**20 for value in (used[FIRST - 1], used[-1], max(used)))
    print(
        f"{arguments.steps} steps on {arguments.ranks} ranks: {first:.1f} MiB after step {FIRST}, {end:.1f} MiB after "
        f"the last, {most:.1f} MiB at most; the client ended with {code}"
    )
    return 0 if last < MOST and code == 0 else 1


def family(parent: int) -> list[int]:
    """Return a process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                of = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(of, []).append(int(place.name))
    found = [parent]
    for one in found:
        found += children.get(one, [])
    return found


def resident(number: int) -> int:
    """Return the private resident memory of a process, bytes."""
    try:
        text = (Path("/proc") / str(number) / "smaps_rollup").read_text()
    except OSError:
        return 0
    return 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_"))


if __name__ == "__main__":
    sys.exit(main())
