#!/usr/bin/env python3
"""Projectors in real space compared with those on the plane waves: energy, forces, stress, and the positions of atoms.

    make study-projectors                        # four systems, default and tight accuracy, four positions
    .venv/bin/python benchmarks/projectors/run.py --systems al4,water --accuracies 1e-5 --shifts 2 --json errors.json

At each position all atoms are moved by a fraction of a grid step, and both kinds of projectors are run. Errors are the
largest difference between the two at one position: energy per atom (Ha), forces without the correction of the net
force (Ha/bohr), stress (Ha/bohr^3). `spread` is how far the error of the energy per atom varies with the position.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SHIFTS = ((0.0, 0.0, 0.0), (0.31, 0.17, 0.23), (0.5, 0.5, 0.5), (0.12, 0.44, 0.37))  # grid steps

TIGHT = """
[scf]
energy_tolerance = "{tolerance} Ha"
precision = "double"
[output]
forces = true
stress = true
checkpoint = false
"""
A = 7.6533909
FCC = [[0.01, 0.02, 0.0], [0, 0.5, 0.5], [0.5, 0, 0.49], [0.5, 0.5, 0]]
DIAMOND = [
    [x + b, y + b, z + b] for x, y, z in ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0)) for b in (0, 0.25)
]
DIAMOND[1] = [0.26, 0.245, 0.25]


@dataclasses.dataclass
class System:
    """An input without its projectors, at positions that can be moved."""

    cell: list[list[float]]  # bohr
    atoms: list[list[Any]]  # element, fractional position
    ecut: float  # Ha
    grid: list[int]
    rest: str
    tolerance: str = "1e-11"  # Ha
    repeats: int = 1  # of cell and grid along each axis

    def text(self, shift: tuple[float, float, float], basis: str) -> str:
        """Return the input with all atoms moved by `shift` grid steps."""
        moved = [
            [name, *(float(x + s / n) for x, s, n in zip(r, shift, self.grid, strict=True))] for name, *r in self.atoms
        ]
        grid = [self.repeats * n for n in self.grid]
        return (
            f'[structure]\ncell = {self.cell}\natoms = {json.dumps(moved)}\nunit = "bohr"\ncoordinates = "fractional"\n'
            f'supercell = {[self.repeats] * 3}\n[basis]\necut = "{self.ecut} Ha"\ngrid = {grid}\n{basis}\n'
            f"{self.rest}{TIGHT.format(tolerance=self.tolerance)}"
        )


def cube(length: float) -> list[list[float]]:
    """Return the lattice vectors."""
    return [[length, 0, 0], [0, length, 0], [0, 0, length]]


LDA = '[electrons]\nxc = "LDA_XC_TETER93"\npseudopotentials = {}\n'
METAL = 'smearing = { kind = "fermi-dirac", width = "0.00735 Ha" }\n'
MAGNET = (
    '[electrons]\nxc = "LDA-PZ"\npseudopotentials = { Fe = "gth-lda-q8" }\nspin = "collinear"\n'
    'smearing = { kind = "gaussian", width = "0.02 Ha" }\ninitial_magnetic_moments = { Fe = 3 }\n'
    "kpoints = { mesh = [2,2,2] }\n"
)
SYSTEMS = {
    "al4": System(cube(A), [["Al", *r] for r in FCC], 8.8309, [16] * 3, LDA.format('"gth-lda"') + METAL),
    "si8": System(cube(10.263), [["Si", *r] for r in DIAMOND], 12.0, [32] * 3, LDA.format('"gth-lda"')),
    "fe2": System(cube(5.42), [["Fe", 0, 0, 0], ["Fe", 0.51, 0.5, 0.49]], 25.0, [25] * 3, MAGNET, "1e-10"),
    "water": System(
        cube(12.0),
        [["O", 0.5, 0.5, 0.509], ["H", 0.619, 0.5, 0.4166], ["H", 0.381, 0.5, 0.4166]],
        25.0,
        [54] * 3,
        LDA.format('"gth-lda"'),
    ),
}
SYSTEMS["al108"] = dataclasses.replace(SYSTEMS["al4"], repeats=3, tolerance="1e-9")
SYSTEMS["si64"] = dataclasses.replace(SYSTEMS["si8"], repeats=2, tolerance="1e-9")
DEFAULT = "al4,si8,fe2,water"


def run(text: str, folder: Path, program: str) -> dict[str, Any]:
    """Run and return result.json."""
    (folder / "in.toml").write_text(text)
    command = [program, "run", str(folder / "in.toml"), "--ranks", "1", "--output", str(folder / "out"), "--quiet"]
    answer = subprocess.run(
        command, check=False, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    if answer.returncode != 0:
        sys.exit(f"{text}\n{answer.stderr}")
    return json.loads((folder / "out" / "result.json").read_text())


def derivatives(result: dict[str, Any]) -> tuple[Any, Any]:
    """Return forces with the net force that was taken off them, and the stress."""
    forces = result["forces"]
    total = np.array(forces["total"])
    return total + np.array(forces["net"]) / len(total), np.array(result["stress"]["total"])


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default=DEFAULT, help=f"of {', '.join(SYSTEMS)}")
    parser.add_argument("--accuracies", default="1e-5,1e-7")
    parser.add_argument("--shifts", type=int, default=len(SHIFTS))
    parser.add_argument("--program", default=str(ROOT / ".venv/bin/wavegrid"))
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    rows = []
    print("system   accuracy estimate radius points   energy  spread  forces  stress", flush=True)
    for name in arguments.systems.split(","):
        with tempfile.TemporaryDirectory() as folder:
            system, shifts = SYSTEMS[name], SHIFTS[: arguments.shifts]
            exact = [run(system.text(s, 'projectors = "reciprocal"'), Path(folder), arguments.program) for s in shifts]
            for accuracy in arguments.accuracies.split(","):
                basis = f'projectors = "real"\nprojector_accuracy = "{accuracy} Ha"'
                rows.append(
                    compare(
                        name,
                        accuracy,
                        exact,
                        [run(system.text(s, basis), Path(folder), arguments.program) for s in shifts],
                    )
                )
                row = rows[-1]
                errors = " ".join(f"{row[key]:.1e}" for key in ("energy", "spread", "forces", "stress"))
                print(
                    f"{name:8} {accuracy:8} {row['estimate']:.1e} {row['radius']:6.2f} {row['points']:6.0f}   {errors}",
                    flush=True,
                )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


def compare(name: str, accuracy: str, exact: list[dict[str, Any]], found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the largest errors of all positions."""
    atoms = len(found[0]["forces"]["total"])
    errors = [(f["energy"]["free"] - e["energy"]["free"]) / atoms for e, f in zip(exact, found, strict=True)]
    of_derivatives = [
        [np.abs(np.subtract(a, b)).max() for a, b in zip(derivatives(e), derivatives(f), strict=True)]
        for e, f in zip(exact, found, strict=True)
    ]
    used = found[0]["projectors"]
    return {
        "system": name, "accuracy": accuracy, "estimate": used["error_estimate"], "radius": used["radius"],
        "points": used["points"], "energy": max(abs(e) for e in errors), "spread": max(errors) - min(errors),
        "forces": max(d[0] for d in of_derivatives), "stress": max(d[1] for d in of_derivatives),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
