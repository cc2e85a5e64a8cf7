#!/usr/bin/env python3
"""Make the reference values of this folder with pw.x and projwfc.x 6.7 (Debian's quantum-espresso).

    python generate.py

Wurtzite silicon carbide with the potentials of quantum-espresso-data 6.7. projwfc.x cuts the orbitals at the mesh point
next to 10 bohr, which changes the electrons in them by 1e-3. So the orbitals are multiplied by a function that falls to
0 from 4 to 9 bohr, and normalised: what is compared then are projections, not tails. The 3d orbital of carbon is marked
as unbound.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
from scipy.integrate import simpson

HERE = Path(__file__).parent
SOURCE = Path("/usr/share/espresso/pseudo")
OCCUPIED = 8
PW_IN = """&control
  calculation='scf', prefix='x', outdir='./out', pseudo_dir='.'
/
&system
  ibrav=0, nat=4, ntyp=2, nbnd=12, ecutwfc=40, ecutrho=160, input_dft='PZ'
  nr1=24, nr2=24, nr3=40, nr1s=24, nr2s=24, nr3s=40
/
&electrons
  conv_thr=1e-13, diago_full_acc=.true., electron_maxstep=200, mixing_beta=0.5
/
ATOMIC_SPECIES
  Si 28.085 Si.UPF
  C 12.011 C.UPF
K_POINTS automatic
3 3 2 0 0 0
CELL_PARAMETERS bohr
5.80 0 0
-2.90 5.022947341949745 0
0 0 9.48
ATOMIC_POSITIONS crystal
Si 0.3333333333333333 0.6666666666666667 0
Si 0.6666666666666667 0.3333333333333333 0.5
C 0.3333333333333333 0.6666666666666667 0.377
C 0.6666666666666667 0.3333333333333333 0.877
"""
PROJWFC_IN = "&projwfc\n  prefix='x', outdir='./out', filpdos='x', ngauss=0, degauss=0.04, DeltaE=0.25\n/\n"


def windowed(r: np.ndarray, values: list[str]) -> list[str]:
    """Return an orbital r R(r) that ends at 9 bohr as lines of a file."""
    x = np.clip((r - 4) / 5, 0, 1)
    y = np.array(values, float) * np.where(x < 1, np.cos(np.pi * x / 2) ** 4, 0)
    y /= np.sqrt(simpson(y * y * r, x=np.log(r)))
    return ["  ".join(f"{value:.15E}" for value in y[k : k + 4]) for k in range(0, len(y), 4)]


def write_potentials() -> None:
    """Write Si.UPF (version 2) and C.UPF (version 1)."""
    text = (SOURCE / "Si.pz-vbc.UPF").read_text()
    r = np.array(re.search(r"<PP_R>([^<]*)<", text)[1].split(), float)
    change = lambda m: "\n".join([m[1], *windowed(r, m[2].split())]) + "\n<"  # noqa: E731
    (HERE / "Si.UPF").write_text(re.sub(r"(<PP_CHI\.\d[^>]*>)([^<]*)<", change, text))
    text = (SOURCE / "C.UPF").read_text()
    r = np.array(re.search(r"<PP_R>([^<]*)<", text)[1].split(), float)
    change = lambda m: m[1] + "".join(f"  {line}\n" for line in windowed(r, m[2].split()))  # noqa: E731
    text = re.sub(r"(?m)(^\d\w +\d +[\d.]+ +Wavefunction\n)((?: +[-+\d.E]+.*\n)+)", change, text)
    (HERE / "C.UPF").write_text(re.sub(r"(3d +2) ( ?)0.00", r"\1\2-1.00", text))  # in the header too


def electrons(xml: Path) -> np.ndarray:
    """Return the electrons in each atomic function, from the amplitudes of all states."""
    states = list(ElementTree.parse(xml).getroot().find("EIGENSTATES"))
    sums, weights = 0.0, 0.0
    for point, _, functions in zip(states[::3], states[1::3], states[2::3], strict=True):
        weight = float(point.attrib["Weight"])
        numbers = [np.array(of.text.split(), float).reshape(-1, 2) for of in functions]  # real and imaginary parts
        sums = sums + weight * (np.array(numbers)[:, :OCCUPIED] ** 2).sum(axis=(1, 2))
        weights += weight
    return 2 * sums / weights


def main() -> None:
    """Write the files of this folder."""
    write_potentials()
    (HERE / "pw.in").write_text(PW_IN)
    (HERE / "projwfc.in").write_text(PROJWFC_IN)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in ("Si.UPF", "C.UPF", "pw.in", "projwfc.in"):
            (folder / name).write_text((HERE / name).read_text())
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        for command in ("pw.x", "projwfc.x"):
            done = subprocess.run(
                [command, "-in", command.replace(".x", ".in")],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
            )
            (folder / "stdout").write_text(done.stdout)
            if "JOB DONE" not in done.stdout:
                raise SystemExit(f"{command} failed:\n{done.stdout[-1500:]}{done.stderr[-500:]}")
        of_function = electrons(folder / "out/x.save/atomic_proj.xml")
        atoms = of_function.reshape(4, 4)  # s, then three p, of each atom
        xml = ElementTree.parse(folder / "out/x.save/atomic_proj.xml").getroot().find("EIGENSTATES")
        lowest = min(float(word) for level in list(xml)[1::3] for word in level.text.split()) / 2
        densities = {}
        for atom, element in ((1, "Si"), (3, "C")):
            for number, l in ((1, "s"), (2, "p")):
                table = np.loadtxt(folder / f"x.pdos_atm#{atom}({element})_wfc#{number}({l})")
                densities[f"{element} {l}"] = table[:, 1].tolist()
    (HERE / "reference.json").write_text(
        json.dumps(
            {
                "versions": {"pw.x": "6.7", "projwfc.x": "6.7"},
                "spilling": 1 - float(of_function.sum()) / (2 * OCCUPIED),
                "electrons": {  # mean of the two equivalent atoms: the amplitudes are those of irreducible k-points
                    f"{element} {l}": float(atoms[first : first + 2, part].sum() / 2)
                    for first, element in ((0, "Si"), (2, "C"))
                    for l, part in (("s", slice(0, 1)), ("p", slice(1, 4)))
                },
                "lowest_level_Ha": lowest,
                "energies_eV": table[:, 0].tolist(),
                "density_of_states_of_one_atom_per_eV": densities,
                "gaussian_width_Ha": 0.02,
            },
            indent=1,
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
