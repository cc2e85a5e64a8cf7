#!/usr/bin/env python3
"""Equations of state of crystals compared with another code on the same datasets, and with all-electron codes.

    make study-eos                                                  # all crystals whose pseudopotentials are found
    make study-eos ARGS="--only Si-X/Diamond Al-X/FCC --ranks 2 --json eos.json"
    make study-eos ARGS="--datasets JTH --folder /usr/share/abinit/psp/Pseudodojo_paw_pbe_standard"

The curves of other codes are those of the verification study (tests/reference/acwf_pbe.json): PBE without spin,
Fermi-Dirac occupations of 0.0612 eV, k-points at most 0.06/Angstrom apart, seven volumes within 6% of a reference. Ours
have the same settings, and with PseudoDojo ABINIT's cutoff: 20 Ha above the recommended one; with GPAW's and JTH's
datasets --ecut, by default 30 Ha. A column is epsilon (epsilon.py) to the curve at its head; crystals with elements
without a dataset for PBE are named. The exit code is 1 where epsilon to the code with the same datasets is above 0.02
(GPAW: 0.03).
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

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "benchmarks/crystals"), str(Path(__file__).parent)]

from calculations import WAVEGRID, document, markdown  # noqa: E402
from crystals import MORE, cutoff, elements, structure  # noqa: E402
from epsilon import epsilon  # noqa: E402

from wavegrid.model.motion import FittedCurve  # noqa: E402
from wavegrid.results import equation_of_state  # noqa: E402
from wavegrid.results.equation_of_state import Curve  # noqa: E402
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV, HARTREE_PER_BOHR3_IN_GPA  # noqa: E402

REFERENCE = json.loads((ROOT / "tests/reference/acwf_pbe.json").read_text())["crystals"]
ABINIT, AVERAGE, OURS = "ABINIT, PseudoDojo 0.4 psp8", "all-electron average", "wavegrid"
# Of each set: the curve of the reference on the same datasets, and the largest epsilon to it.
DATASETS = {
    "PseudoDojo": (ABINIT, 0.02),
    "JTH": ("ABINIT, JTH 1.1 (PAW)", 0.02),
    "GPAW": ("GPAW, its own data sets", 0.03),
}
PAW_ECUT = 30  # Ha


def published(fit: dict) -> Curve:
    """Return a curve of the reference in Ha and bohr^3."""
    volume = fit["V0_A3"] / BOHR_IN_ANGSTROM**3
    return Curve(volume, 0.0, fit["B0_GPa"] / HARTREE_PER_BOHR3_IN_GPA, fit["B1"])


def through(points: list[list[float]]) -> Curve | None:
    """Return our fit of energies (eV) at volumes (Angstrom^3)."""
    volumes, energies = np.array(points).T
    return equation_of_state.fit(volumes / BOHR_IN_ANGSTROM**3, energies / HARTREE_IN_EV)


def chosen_datasets(name: str, arguments: argparse.Namespace) -> str | dict[str, str]:
    """Return a library, or the files ELEMENT.xml of a folder."""
    if arguments.folder is None:
        return str(arguments.datasets)
    return {element: str(arguments.folder / f"{element}.xml") for element in elements(name)}


def compute(name: str, arguments: argparse.Namespace) -> dict:
    """Return the part `equation_of_state` of a crystal at the volumes of ABINIT's points; {} where it is refused."""
    volumes = np.array(REFERENCE[name]["points"][ABINIT])[:, 0]
    middle = float(volumes[len(volumes) // 2])
    ecut = arguments.ecut or (cutoff(name, arguments.more) if arguments.datasets == "PseudoDojo" else PAW_ECUT)
    case = {
        "structure": structure(name, middle),
        "basis": {"ecut": f"{ecut:g} Ha"},
        "electrons": {
            "xc": "PBE",
            "pseudopotentials": chosen_datasets(name, arguments),
            "kpoints": {"spacing": f"{arguments.spacing:g} /angstrom"},
            "smearing": {"kind": "fermi-dirac", "width": "0.0612 eV"},
        },
        "scf": {"energy_tolerance": "1e-8 Ha"},
        "eos": {"volumes": (volumes / middle).tolist()},
        "output": {"checkpoint": False},
    }
    with tempfile.TemporaryDirectory(prefix="eos_") as folder:
        path = Path(folder) / "in.toml"
        path.write_text(document(case))
        command = [WAVEGRID, "run", path, "--ranks", str(arguments.ranks), "--output", f"{folder}/out", "--quiet"]
        environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{name}: left out: {done.stderr.strip() or done.stdout.strip()}", file=sys.stderr)
            return {}
        result = json.loads((Path(folder) / "out/result.json").read_text())
    return result["equation_of_state"] | {
        "kpoints": len(result["kpoints"]),
        "grid": result["grid"],
        "seconds": result["wall_seconds"]["total"],
        "input": case,
    }


def curves(name: str, part: dict) -> dict[str, Curve]:
    """Return the curves of all codes for a crystal, ours first."""
    ours = {OURS: equation_of_state.from_part(FittedCurve.read(part["fit"]))}
    return ours | {code: published(fit) for code, fit in REFERENCE[name]["fits"].items()}


def row(name: str, found: dict[str, Curve], peer: str) -> list[str]:
    """Return our V0, B0, B', epsilon to a peer and to the average, and that of the other codes to the average."""
    ours, average = found[OURS], found[AVERAGE]
    others = [epsilon(curve, average) for code, curve in found.items() if code not in (OURS, AVERAGE)]
    return [
        name,
        f"{ours.volume * BOHR_IN_ANGSTROM**3:.3f}",
        f"{ours.bulk_modulus * HARTREE_PER_BOHR3_IN_GPA:.2f}",
        f"{ours.derivative:.2f}",
        f"{epsilon(ours, found[peer]):.3f}",
        f"{epsilon(ours, average):.3f}",
        *(f"{value:.3f}" for value in others),
    ]


def main() -> int:
    """Compute, print and store; 0 where all curves agree with ABINIT's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=REFERENCE, default=list(REFERENCE), metavar="CRYSTAL")
    parser.add_argument("--datasets", choices=DATASETS, default="PseudoDojo")
    parser.add_argument("--folder", type=Path, help="where the files ELEMENT.xml are, if not in a library")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--spacing", type=float, default=0.06, help="of the k-points, 1/Angstrom")
    parser.add_argument("--more", type=float, default=MORE, help="Ha above the recommended cutoff")
    parser.add_argument("--ecut", type=float, help="cutoff, Ha, in the place of these")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    arguments = parser.parse_args()
    answer, rows, worst = {}, [], 0.0
    peer, agreement = DATASETS[arguments.datasets]
    codes = [code for code in REFERENCE[arguments.only[0]]["fits"] if code != AVERAGE]
    for name in arguments.only:
        if not (part := compute(name, arguments)):
            continue
        found = curves(name, part)
        rows.append(row(name, found, peer))
        worst = max(worst, epsilon(found[OURS], found[peer]))
        answer[name] = part | {"epsilon": {code: epsilon(found[OURS], curve) for code, curve in found.items()}}
        print(" ".join(rows[-1]), file=sys.stderr)
    head = " | ".join(["crystal", "V0 (A^3)", "B0 (GPa)", "B'", f"to {peer}", "to average", *codes])
    print(markdown(head, rows))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(answer, indent=1) + "\n")
    return 0 if rows and worst <= agreement else 1


if __name__ == "__main__":
    sys.exit(main())
