#!/usr/bin/env python3
"""Gap of gallium arsenide at Gamma by the mesh of q, next to GPAW on the same mesh.

    .venv/bin/python benchmarks/exact_exchange/gaps.py --meshes 3,4,5,6
    .venv/bin/python benchmarks/exact_exchange/gaps.py --meshes 4 --functionals PBE0 --singularity gygi-baldereschi

Ours: 8 electrons (GTH-PBE), 16 Ha, self-consistent. GPAW (Debian's, where it is): its datasets of 8 electrons with
the exchange of frozen cores, 400 eV, bands of PBE. Both 5.648 angstrom, without spin-orbit coupling.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from against_pwx import ROOT

PYTHON = "/usr/bin/python3"  # of Debian's GPAW
EV = 27.211386245988
INPUT = """
[structure]
cell = [[0, 2.824, 2.824], [2.824, 0, 2.824], [2.824, 2.824, 0]]
unit = "angstrom"
atoms = [["Ga", 0, 0, 0], ["As", 0.25, 0.25, 0.25]]
coordinates = "fractional"
[basis]
ecut = "16 Ha"
[electrons]
xc = "{functional}"
pseudopotentials = {{ Ga = "gth-pbe-q3", As = "gth-pbe" }}
bands = 6
kpoints = {{ mesh = [{mesh}, {mesh}, {mesh}] }}
{exchange}
[scf]
energy_tolerance = "1e-6 Ha"
[output]
checkpoint = false
"""


def ours(functional: str, mesh: int, exchange: str, ranks: int) -> float:
    """Return wavegrid's gap, eV."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        exchange = "" if functional == "PBE" else f"[electrons.exchange]\n{exchange}"
        (folder / "in.toml").write_text(INPUT.format(functional=functional, mesh=mesh, exchange=exchange))
        command = [
            str(ROOT / ".venv/bin/wavegrid"),
            "run",
            "in.toml",
            "--ranks",
            str(ranks),
            "--output",
            "out",
            "--quiet",
        ]
        answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            sys.exit(answer.stderr)
        levels = json.loads((folder / "out/result.json").read_text())["eigenvalues"][0][0]
        return EV * (levels[4] - levels[3])


def theirs(functionals: list[str], mesh: int) -> dict[str, float]:
    """Return GPAW's gaps, eV; empty without GPAW."""
    command = [PYTHON, str(Path(__file__).with_name("gaps_gpaw.py")), str(mesh), ",".join(functionals)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(answer.stdout.splitlines()[-1]) if answer.returncode == 0 else {}


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--meshes", default="3,4")
    arguments.add_argument("--functionals", default="HSE06,PBE0")
    arguments.add_argument("--singularity", default="auto")
    arguments.add_argument("--extrapolate", action="store_true")
    arguments.add_argument("--ranks", type=int, default=2)
    given = arguments.parse_args()
    exchange = f'singularity = "{given.singularity}"\nextrapolate = {str(given.extrapolate).lower()}\n'
    functionals = given.functionals.split(",")
    print("mesh  functional  wavegrid, eV  GPAW, eV")
    for mesh in map(int, given.meshes.split(",")):
        reference = theirs(functionals, mesh)
        for functional in ["PBE", *functionals]:
            gap = ours(functional, mesh, exchange, given.ranks)
            other = f"{reference[functional]:8.3f}" if reference else "       -"
            print(f"{mesh:4}  {functional:10}  {gap:12.3f}  {other}", flush=True)


if __name__ == "__main__":
    main()
