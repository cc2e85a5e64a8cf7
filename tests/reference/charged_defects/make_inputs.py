#!/usr/bin/env python3
"""Write the inputs of charged defects in MgO and LiF for supercells of several sizes; README.md says how to run them.

    python make_inputs.py FOLDER

For each size `mgo_N.toml` and `mgo_N_f2.toml` (no oxygen at the origin, charge 2, the six Mg around it moved outwards),
`lif_N.toml` and `lif_N_al.toml` (Al instead of Li at the origin, charge 2).
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np

FACES = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]) / 2
BODIES = np.array([[-1, 1, 1], [1, -1, 1], [1, 1, -1]])
# atoms: supercell in units of the cubic cell, k-points of MgO, k-points and points of the grid of LiF, along an axis
SIZES = {
    16: (2 * FACES, 4, 4, 32), 32: (BODIES, 2, 2, 40), 54: (3 * FACES, 2, 2, 48), 64: (2 * np.eye(3), 1, 2, 48),
    128: (4 * FACES, 1, 1, 64),
}  # fmt: skip
OUTWARDS = 0.4  # bohr
ECUT = 16  # Ha
INPUT = """\
[structure]
cell = {cell}
unit = "bohr"
coordinates = "cartesian"
atoms = [
{atoms}
]
[basis]
ecut = "{ecut} Ha"
{grid}[electrons]
xc = "LDA-PZ"
pseudopotentials = {{ {potentials} }}
kpoints = {{ mesh = [{mesh}, {mesh}, {mesh}] }}
charge = {charge}
bands = {bands}
[scf]
energy_tolerance = "1e-6 Ha"
[output]
potential = "electrostatic"
checkpoint = false
"""


def rock_salt(cell: np.ndarray, edge: float, first: str, second: str) -> list[tuple[str, np.ndarray]]:
    """Return the atoms of a supercell, bohr; `first` is at the origin."""
    found = []
    for place in itertools.product(range(-9, 10), repeat=3):
        fractional = (np.array(place) / 2) @ np.linalg.inv(cell)
        if np.all(fractional > -1e-9) and np.all(fractional < 1 - 1e-9):
            found.append((first if sum(place) % 2 == 0 else second, np.array(place) * edge / 2))
    return found


def outwards(place: np.ndarray, cell: np.ndarray, near: float) -> np.ndarray:
    """Return the place of an atom, moved away from the nearest image of the origin where that is a neighbour."""
    images = [np.array(shift) @ cell for shift in itertools.product((-1, 0, 1), repeat=3)]
    away = min((place - image for image in images), key=lambda one: float(np.linalg.norm(one)))
    length = float(np.linalg.norm(away))
    return place + away / length * OUTWARDS if abs(length - near) < 1e-3 else place


def write(path: Path, cell: np.ndarray, atoms: list[tuple[str, np.ndarray]], **more: object) -> None:
    """Write an input."""
    rows = "\n".join(f'  ["{name}", {x:.8f}, {y:.8f}, {z:.8f}],' for name, (x, y, z) in atoms)
    path.write_text(INPUT.format(cell=cell.tolist(), atoms=rows, ecut=ECUT, **more))


def write_all(folder: Path) -> None:
    """Write all inputs."""
    for count, (shape, mesh, denser, points) in SIZES.items():
        pairs, edge = count // 2, 7.96
        cell, atoms = shape * edge, rock_salt(shape, edge, "O", "Mg")
        common = {"mesh": mesh, "grid": "", "potentials": 'Mg = "gth-lda-q2", O = "gth-lda-q6"'}
        write(folder / f"mgo_{count}.toml", cell, atoms, charge=0, bands=4 * pairs + 4, **common)
        moved = [(name, outwards(place, cell, edge / 2)) for name, place in atoms if np.any(place)]
        write(folder / f"mgo_{count}_f2.toml", cell, moved, charge=2, bands=4 * pairs, **common)
        edge = 7.61
        cell, atoms = shape * edge, rock_salt(shape, edge, "Li", "F")
        common |= {"mesh": denser, "grid": f"grid = [{points}, {points}, {points}]\n", "bands": 4 * pairs + 4}
        common["potentials"] = 'Li = "gth-lda-q1", F = "gth-lda-q7"'
        write(folder / f"lif_{count}.toml", cell, atoms, charge=0, **common)
        common["potentials"] += ', Al = "gth-lda-q3"'
        replaced = [(name if np.any(place) else "Al", place) for name, place in atoms]
        write(folder / f"lif_{count}_al.toml", cell, replaced, charge=2, **common)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
