#!/usr/bin/env python3
"""Compute the energies, levels and forces of pw.x 6.7 with exact exchange again: python generate.py [NAME...].

The potentials are those of other folders here. pw.x has the singularity of Gygi and Baldereschi, without extrapolation,
where no other is given, and the mesh of q is that of k; it cuts the density by a sphere of four times the cutoff. With
`vcut_ws` it asks for a cell of right angles, and its energy converges with `ecutvcut`: at 6 Ha, 2 Ry leave it 2.6e-5 Ha
below that of 8 Ry.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RY = 0.5
EV = 1 / 27.211386245988
GYGI_BALDERESCHI = "exxdiv_treatment='gygi-baldereschi'"
CASES = {
    "si2_pbe0": {
        "system": "nat=2, ntyp=1, ecutwfc=20, nbnd=6, input_dft='pbe0', nqx1=2, nqx2=2, nqx3=2",
        "species": "Si 28.085 Si.UPF",
        "potential": "projections/Si.UPF",
        "cell": "0 5.13 5.13\n5.13 0 5.13\n5.13 5.13 0",
        "atoms": "Si 0 0 0\nSi 0.26 0.25 0.25",
        "kpoints": "2 2 2 0 0 0",
    },
    "al_pbe0": {
        "system": "nat=1, ntyp=1, ecutwfc=16, nbnd=8, input_dft='pbe0', nqx1=2, nqx2=2, nqx3=2, "
        "occupations='smearing', smearing='gauss', degauss=0.02",
        "species": "Al 26.98 Al.pz-vbc.UPF",
        "potential": "pseudopotentials/Al.pz-vbc.UPF",
        "cell": "0 3.8 3.8\n3.8 0 3.8\n3.8 3.8 0",
        "atoms": "Al 0 0 0",
        "kpoints": "2 2 2 0 0 0",
    },
    "si8_wigner_seitz": {
        "singularity": "exxdiv_treatment='vcut_ws', ecutvcut=8.0",
        "system": "nat=8, ntyp=1, ecutwfc=20, nbnd=16, input_dft='pbe0', nqx1=1, nqx2=1, nqx3=1",
        "species": "Si 28.085 Si.UPF",
        "potential": "projections/Si.UPF",
        "cell": "10.1 0 0\n0 10.26 0\n0 0 10.4",
        "atoms": "Si 0.01 0 0\nSi 0.5 0.5 0\nSi 0.5 0 0.5\nSi 0 0.5 0.5\n"
        "Si 0.25 0.25 0.25\nSi 0.75 0.75 0.25\nSi 0.75 0.25 0.75\nSi 0.25 0.75 0.75",
        "kpoints": "1 1 1 0 0 0",
    },
}


def text(case: dict[str, str], folder: str) -> str:
    return f"""&control
calculation='scf', outdir='{folder}', pseudo_dir='{(HERE.parent / case["potential"]).parent}', tprnfor=.true.
verbosity='high'
/
&system
ibrav=0, nosym=.true., x_gamma_extrapolation=.false., {case.get("singularity", GYGI_BALDERESCHI)}
{case["system"]}
/
&electrons
conv_thr=1e-12
/
ATOMIC_SPECIES
{case["species"]}
CELL_PARAMETERS bohr
{case["cell"]}
ATOMIC_POSITIONS crystal
{case["atoms"]}
K_POINTS automatic
{case["kpoints"]}
"""


def numbers(found: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?\d+\.\d+", found)]


def main() -> None:
    for name, case in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"OMP_NUM_THREADS": "1"}
            given = text(case, folder)
            answer = subprocess.run(
                ["pw.x"], input=given, capture_output=True, text=True, check=True, env=environment, cwd=folder
            ).stdout
        atoms = case["atoms"].count("\n") + 1
        forces = re.findall(r"atom +\d+ type +\d+ +force = +(.*)", answer)[:atoms]
        last = answer[answer.rindex("End of self-consistent calculation") :]
        levels = re.findall(r"bands \(ev\):\n\n((?:[ \d.-]+\n)+)", last)
        reference = {
            "program": re.search(r"Program PWSCF v\.(\S+)", answer)[1],
            "energy_Ha": RY * float(re.findall(r"!! +total energy += +(\S+)", answer)[-1]),
            "exact_exchange_Ha": RY * float(re.findall(r"Fock energy \(ACE\) += +(\S+)", answer)[-1]),
            "forces_Ha_bohr": [
                [RY * one for one in numbers(force)] for force in forces[: case["atoms"].count("\n") + 1]
            ],
            "levels_Ha": sorted([EV * one for one in numbers(row)] for row in levels),
            "input": given.replace(str(HERE.parent), "..").replace(folder, "out"),
        }
        (HERE / f"{name}.json").write_text(json.dumps(reference, indent=1) + "\n")
        print(name, reference["energy_Ha"])


if __name__ == "__main__":
    main()
