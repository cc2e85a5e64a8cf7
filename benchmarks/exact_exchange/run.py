#!/usr/bin/env python3
"""Exact exchange of silicon by the mesh of q, with each treatment of the divergence at q = 0.

    make study-exact-exchange               # table, and a plot in the folder of --plots
    .venv/bin/python benchmarks/exact_exchange/run.py --meshes 2,4 --reference 4

PBE0, the mesh of k is that of q. `error`: of the exchange energy per atom, next to the densest mesh with extrapolation.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREATMENTS = {
    "none": 'singularity = "none"',
    "gygi-baldereschi": 'singularity = "gygi-baldereschi"',
    "extrapolated": "extrapolate = true",
    "spherical": 'singularity = "spherical"',
    "wigner-seitz": 'singularity = "wigner-seitz"',
}
INPUT = """\
[structure]
cell = [[0, 5.13, 5.13], [5.13, 0, 5.13], [5.13, 5.13, 0]]
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
coordinates = "fractional"
[basis]
ecut = "{ecut} Ha"
[electrons]
xc = "PBE0"
pseudopotentials = {{ Si = "{potential}" }}
bands = 4
kpoints = {{ mesh = [{n}, {n}, {n}] }}
[electrons.exchange]
{exchange}
[scf]
energy_tolerance = "1e-7 Ha"
[output]
checkpoint = false
"""


def exchange(folder: Path, n: int, treatment: str, ecut: float) -> float:
    """Return the exact exchange energy per atom, Ha."""
    potential = ROOT / "tests/reference/projections/Si.UPF"
    path = folder / f"{treatment}-{n}.toml"
    path.write_text(INPUT.format(ecut=ecut, potential=potential, n=n, exchange=TREATMENTS[treatment]))
    out = folder / path.stem
    command = [ROOT / ".venv/bin/wavegrid", "run", path, "--ranks", "1", "--output", out, "--quiet"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, check=False)
    if answer.returncode != 0:
        sys.exit(answer.stderr)
    return json.loads((out / "result.json").read_text())["energy"]["exchange"] / 2


def draw(path: Path, errors: dict[str, dict[int, float]]) -> None:
    """Plot the errors by the mesh, logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.5, 3.6))
    for treatment, by_mesh in errors.items():
        axes.semilogy(list(by_mesh), [1e3 * abs(one) for one in by_mesh.values()], marker="o", label=treatment)
    axes.set_xlabel("points of q along each vector")
    axes.set_ylabel("error of the exchange energy, mHa per atom")
    axes.set_xticks(sorted({n for by_mesh in errors.values() for n in by_mesh}))
    axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run all and print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--meshes", default="1,2,3,4", help="points along each vector")
    arguments.add_argument("--reference", type=int, default=6, help="points of the reference, an even number")
    arguments.add_argument("--ecut", type=float, default=6, help="Ha")
    arguments.add_argument("--plots", type=Path, help="folder of the plot")
    given = arguments.parse_args()
    meshes = [int(one) for one in given.meshes.split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reference = exchange(folder, given.reference, "extrapolated", given.ecut)
        print(f"reference: {reference:.6f} Ha per atom, {given.reference} x {given.reference} x {given.reference}")
        errors: dict[str, dict[int, float]] = {}
        for treatment in TREATMENTS:
            allowed = [n for n in meshes if treatment != "extrapolated" or n % 2 == 0]
            errors[treatment] = {n: exchange(folder, n, treatment, given.ecut) - reference for n in allowed}
            row = "  ".join(f"{n}: {1e3 * error:8.3f}" for n, error in errors[treatment].items())
            print(f"{treatment:18} {row}  mHa per atom", flush=True)
    if given.plots:
        given.plots.mkdir(parents=True, exist_ok=True)
        draw(given.plots / "exchange-meshes.png", errors)


if __name__ == "__main__":
    main()
