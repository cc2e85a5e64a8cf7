#!/usr/bin/env python3
"""Make the meta-GGA reference values of this folder with ABINIT and, for TPSS, with pw.x.

    python generate.py --list
    python generate.py si2_r2scan    # rewrite the inputs, run, rewrite reference.json (default: all cases)

Needs Debian's `abinit` (9.6.2) and `quantum-espresso` (6.7), and Python of .venv. The programs are run and the
potentials stored by ../crystals. The tests read the folders, never this script.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "crystals"))

from cases import (  # noqa: E402
    A_AL,
    FCC_SITES,
    HALF,
    MOVED,
    ORIGIN,
    POTENTIALS,
    Case,
    abinit_input,
    cubic,
    fcc,
    potential_file,
    pwx_input,
)
from cases import toml_input as toml  # noqa: E402
from codes import run_abinit, run_pwx  # noqa: E402
from derivatives import abinit_derivatives, pwx_derivatives  # noqa: E402
from generate import difference, settings  # noqa: E402
from potentials import write_potentials  # noqa: E402

META = ("usekden 1",)  # the kinetic-energy density is computed
MOLECULE = (*META, "diemac 2")
TWINS = {"si2_tpss"}  # with water pw.x 6.7 fails in its first step


def si2(xc: str, potential: str = "Si-q4") -> Case:
    """Two silicon atoms, one of them moved, in the primitive cell."""
    about = f"Si, one atom moved, {xc}, 2x2x2 shifted by half a step"
    atoms = [(potential, ORIGIN), (potential, MOVED)]
    return Case(about, fcc(10.26), atoms, 16.0, [32] * 3, 11, mesh=[2, 2, 2], shift=HALF, xc=xc, lines=META)


def mgo(xc: str) -> Case:
    """Magnesium oxide, 2s and 2p of Mg in the valence, O moved."""
    about = f"MgO, Mg with 2s 2p, O moved, {xc}, 2x2x2"
    atoms = [("Mg-q10", ORIGIN), ("O-q6", [0.51, 0.49, 0.5])]
    return Case(about, fcc(7.96), atoms, 25.0, [32] * 3, 12, mesh=[2, 2, 2], xc=xc, lines=META)


def al4(xc: str) -> Case:
    """Four aluminium atoms in the cubic cell, two of them moved."""
    sites = [[0.01, 0.0, 0.0], *FCC_SITES[1:3], [0.5, 0.49, 0.02]]
    settings = dict(mesh=[2, 2, 2], xc=xc, smearing="fermi-dirac", lines=META)
    about = f"Al4, two atoms moved, {xc}, 2x2x2"
    return Case(about, cubic(A_AL), [("Al-q3", site) for site in sites], 12.0, [27] * 3, 16, **settings)


def fe2(xc: str) -> Case:
    """Ferromagnetic bcc iron with 16 electrons, one atom moved, moment fixed: a free one converges to 1e-6 Ha only."""
    about = f"Fe2, bcc, one atom moved, collinear spin, moment fixed, {xc}, 2x2x1"
    settings = dict(mesh=[2, 2, 1], xc=xc, smearing="fermi-dirac", width=0.01, lines=META)
    spin = dict(moments={"Fe": 2.5}, moment=5.0)
    atoms = [("Fe-q16", ORIGIN), ("Fe-q16", [0.51, 0.5, 0.49])]
    return Case(about, cubic(5.4), atoms, 24.0, [24] * 3, 26, **settings, **spin)


def water(xc: str) -> Case:
    """The water molecule in a box, real wave functions."""
    atoms = [("O-q6", HALF), ("H-q1", [0.643, 0.5, 0.6107]), ("H-q1", [0.357, 0.5, 0.6107])]
    return Case(f"H2O molecule in a box, {xc}", cubic(10.0), atoms, 20.0, [45] * 3, 8, xc=xc, lines=MOLECULE)


CASES = {
    "si2_r2scan_psp8": si2("r2scan", "Si-pbe-no-core.psp8"),
    "si2_r2scan": si2("r2scan"),
    "si2_scan": si2("scan"),
    "si2_rscan": si2("rscan"),
    "si2_tpss": si2("tpss"),
    "si2_revtpss": si2("revtpss"),
    "mgo_r2scan": mgo("r2scan"),
    "mgo_scan": mgo("scan"),
    "al4_r2scan": al4("r2scan"),
    "al4_scan": al4("scan"),
    "fe2_r2scan": fe2("r2scan"),
    "fe2_scan": fe2("scan"),
    "water_r2scan": water("r2scan"),
    "water_tpss": water("tpss"),
}


def pwx_case(name: str) -> Case | None:
    """Return the case for pw.x, where it has one: the compared bands only, for it does not converge with more."""
    case = CASES[name]
    return dataclasses.replace(case, bands=case.bands - case.buffer) if name in TWINS else None


def write(name: str, file: str, text: str) -> None:
    """Write a file of a case; potentials are those of ../crystals."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(text.replace("../pseudopotentials", "../../crystals/pseudopotentials"))


def write_inputs(name: str) -> None:
    """Write the inputs of a case, and its potentials where they are missing."""
    case = CASES[name]
    if not all((POTENTIALS / potential_file(case, kind, "abinit")).exists() for kind in case.kinds):
        write_potentials(case)
    write(name, "case.toml", toml(case))
    write(name, "input.abi", abinit_input(case).replace("optforces 0", "optforces 1"))
    if (twin := pwx_case(name)) is not None:
        write(name, "pw.in", pwx_input(twin).replace("calculation='scf',", "calculation='scf', tprnfor=.true.,"))


def run(name: str) -> dict:
    """Run the codes on a case and write its reference.json."""
    case = CASES[name]
    write_inputs(name)
    abinit = run_abinit(name, case)
    found = abinit_derivatives(name, case)  # its stress is wrong with meta-GGA and is left out
    abinit |= {key: found[key] for key in ("forces_Ha_per_bohr", "net_force_taken_off")}
    head = {key: abinit.pop(key) for key in ("code", "version", "command")}
    reference = head | settings(case) | abinit
    if (twin := pwx_case(name)) is not None:
        reference["pwx"] = run_pwx(name, twin, abinit)
        reference["pwx"]["forces_Ha_per_bohr"] = pwx_derivatives(name, twin)["forces_Ha_per_bohr"]
        reference["pwx_minus_abinit_Ha"] = difference(case, reference["pwx"], abinit)
    text = json.dumps(reference, indent=2)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text)
    write(name, "reference.json", text + "\n")
    return reference


def summary(reference: dict) -> str:
    """One line about a run."""
    energies = reference["energies_Ha"]
    drift = energies["free"] - math.fsum(value for key, value in energies.items() if key != "free")
    largest = max(abs(x) for force in reference["forces_Ha_per_bohr"] for x in force)
    line = f"F {energies['free']:.10f} Ha, terms off by {drift:.1e}, largest force {largest:.5f} Ha/bohr"
    line += f", moment {reference['moment']:.6f}" if "moment" in reference else ""
    line += f", boxcut {reference['boxcut']}\n    {reference['convergence']}"
    return line + (f"\n    pw.x minus ABINIT {reference['pwx_minus_abinit_Ha']}" if "pwx" in reference else "")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to make (default: all)")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--inputs-only", action="store_true", help="write inputs, run nothing")
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"unknown case {sorted(unknown)}; known: {', '.join(CASES)}")
    for name in arguments.cases or CASES:
        if arguments.list:
            print(f"{name:18s} {CASES[name].about}")
        elif arguments.inputs_only:
            write_inputs(name)
        else:
            print(f"{name}: {summary(run(name))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
