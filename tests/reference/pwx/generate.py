#!/usr/bin/env python3
"""Make the pw.x reference values of this folder: what ABINIT does not have (cold smearing of PRL 82, 3296).

    python3 generate.py                     # all cases
    python3 generate.py al4_displaced_fine_cold

Needs Debian's `quantum-espresso` (6.7); standard library only. The atoms, the cell and the potential are those of
../abinit/al4_displaced_fine_fd; the exchange-correlation functional is Perdew-Zunger, since pw.x has no Teter-Pade.
On this grid (boxcut above 2, ecutrho = 4 ecutwfc) pw.x and ABINIT agree to 1e-8 Ha: see al4_displaced_fine_fd_pz.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
TWIN = HERE.parent / "abinit" / "al4_displaced_fine_fd"

# name -> (about, smearing of pw.x, its name here, width in Ha)
CASES = {
    "al4_displaced_fine_fd_pz": (
        "control: the same case in ABINIT with ixc=2 gives F = -8.17369860620 Ha",
        "fd",
        {"kind": "fermi-dirac"},
        0.00735,
    ),
    "al4_displaced_fine_cold": ("cold smearing of Marzari, Vanderbilt et al.", "mv", {"kind": "cold"}, 0.015),
    "al4_displaced_fine_mp1": (
        "Methfessel-Paxton, first order",
        "mp",
        {"kind": "methfessel-paxton", "order": 1},
        0.015,
    ),
}


def input_text(twin: dict, smearing: str, width_ha: float) -> str:
    """pw.in of a case."""
    nr1, nr2, nr3 = twin["grid"]
    structure = twin["structure"]
    return "\n".join(
        [
            "&control",
            "  calculation='scf', prefix='al', outdir='./out', pseudo_dir='./', disk_io='low', verbosity='high'",
            "/",
            "&system",
            f"  ibrav=0, nat={len(structure['atoms'])}, ntyp=1, nbnd={twin['bands']}, nosym=.true., noinv=.true.",
            f"  ecutwfc={2 * twin['ecut_Ha']}, ecutrho={8 * twin['ecut_Ha']}, input_dft='PZ'",
            f"  nr1={nr1}, nr2={nr2}, nr3={nr3}, nr1s={nr1}, nr2s={nr2}, nr3s={nr3}",
            f"  occupations='smearing', smearing='{smearing}', degauss={2 * width_ha}",
            "/",
            "&electrons",
            "  conv_thr=1e-15, diago_full_acc=.true., electron_maxstep=200",
            "/",
            "ATOMIC_SPECIES",
            "  Al 26.98 Al-q3.gth",
            "K_POINTS gamma",
            "CELL_PARAMETERS bohr",
            *(" ".join(map(str, row)) for row in structure["cell_bohr"]),
            "ATOMIC_POSITIONS crystal",
            *(" ".join(map(str, atom)) for atom in structure["atoms"]),
            "",
        ]
    )


def run(name: str) -> dict:
    """Run pw.x on a case and write its folder."""
    about, smearing, kind, width = CASES[name]
    twin = json.loads((TWIN / "reference.json").read_text())
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    shutil.copy(TWIN / "Al-q3.psp10", folder / "Al-q3.gth")
    (folder / "pw.in").write_text(input_text(twin, smearing, width))
    with tempfile.TemporaryDirectory(prefix="pwx_") as scratch:
        for path in folder.iterdir():
            shutil.copy(path, scratch)
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            ["pw.x", "-in", "pw.in"], cwd=scratch, env=environment, capture_output=True, text=True, check=True
        )
        output = ElementTree.parse(Path(scratch) / "out" / "al.save" / "data-file-schema.xml").find("output")
    energy = {item.tag: float(item.text) for item in output.find("total_energy")}
    bands = output.find("band_structure")
    electrons = float(bands.find("nelec").text)
    shift = twin["energies_Ha"]["core"] / electrons  # V_loc(G=0): part of pw.x's eigenvalues, not of ours
    terms = {"free": energy["etot"], "hartree": energy["ehart"], "xc": energy["etxc"], "ewald": energy["ewald"]}
    terms["smearing"] = energy["demet"]
    terms["kinetic+local+core+nonlocal"] = 2 * terms["free"] - sum(terms.values())
    reference = {
        "about": about,
        "code": "Quantum ESPRESSO pw.x",
        "version": re.search(r"PWSCF v\.(\S+)", done.stdout).group(1),
        "command": "pw.x -in pw.in",
        "structure": twin["structure"],
        "kpoints": twin["kpoints"],
        "ecut_Ha": twin["ecut_Ha"],
        "grid": twin["grid"],
        "bands": twin["bands"],
        "smearing": {**kind, "width_Ha": width, "pw.x": smearing},
        "xc": "LDA_X+LDA_C_PZ",
        "energies_Ha": terms,
        "fermi_Ha": float(bands.find("fermi_energy").text) - shift,
        "eigenvalues_Ha": [[float(x) - shift for x in bands.find("ks_energies/eigenvalues").text.split()]],
        "occupations": [[2 * float(x) for x in bands.find("ks_energies/occupations").text.split()]],
        "unconverged_top_bands": twin["unconverged_top_bands"],
        "eigenvalue_shift_removed_Ha": shift,
        "convergence": {
            "scf_steps": int(re.search(r"achieved in\s+(\d+)", done.stdout).group(1)),
            "estimated_accuracy_Ha": float(re.findall(r"scf accuracy\s+<\s+(\S+) Ry", done.stdout)[-1]) / 2,
        },
    }
    text = json.dumps(reference, indent=2)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text)
    (folder / "reference.json").write_text(text + "\n")
    return reference


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to make (default: all)")
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"unknown case {sorted(unknown)}; known: {', '.join(CASES)}")
    for name in arguments.cases or CASES:
        reference = run(name)
        print(f"{name:28} F {reference['energies_Ha']['free']:.10f} Ha, {reference['convergence']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
