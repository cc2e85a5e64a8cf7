#!/usr/bin/env python3
"""Relaxed lattice constants and coordinates of five systems by wavegrid and by pw.x, with the same files.

    make study-geometries                                      # all five, some minutes
    .venv/bin/python benchmarks/motion/geometries.py --systems al,si --ranks 1

LDA (Perdew-Wang), PseudoDojo's psp8 files from Debian's abinit-data, which pw.x gets rewritten as UPF. Both relax from
the same structure to 1e-4 eV/Angstrom and 0.002 GPa. pw.x keeps the plane waves of the cell it begins with, so it
relaxes again from its own result until that stays. Exit code 1 where a length differs by more than 1e-3 bohr.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks/common"), str(ROOT / "benchmarks/against_pwx"), str(ROOT / "python")]

from codes import launcher  # noqa: E402
from processes import timed  # noqa: E402

from wavegrid.comparison.inputs import espresso, write  # noqa: E402
from wavegrid.comparison.inputs.case import Case, case_of  # noqa: E402
from wavegrid.job.prepare import prepare  # noqa: E402
from wavegrid.process import core_loader, machine  # noqa: E402
from wavegrid.units import HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM  # noqa: E402

FORCE = 1e-4  # eV/Angstrom
PRESSURE = 0.002  # GPa
CLOSE = 1e-3  # bohr
_LIMIT = 3600.0  # seconds of a process
_PASSES = 5  # of pw.x, at most
_TOLERANCE = 5e-11  # Ha, of pw.x: below, its loop may not end
_DISTANCES = 4
FCC = "[[0, {h}, {h}], [{h}, 0, {h}], [{h}, {h}, 0]]"
SYSTEMS = {
    "al": (FCC.format(h=3.8), '[["Al", 0, 0, 0]]', 15, "mesh = [6, 6, 6]", True),
    "si": (FCC.format(h=5.1), '[["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]', 15, "mesh = [4, 4, 4]", True),
    "mgo": (FCC.format(h=3.95), '[["Mg", 0, 0, 0], ["O", 0.5, 0.5, 0.5]]', 40, "mesh = [4, 4, 4]", True),
    "quartz": (
        "[[8.93, 0, 0], [-4.465, 7.733606857031807, 0], [0, 0, 9.88]]",
        '[["Si", 0.456, 0, 0.1111111111111111], ["Si", 0, 0.456, 0.7777777777777778],'
        ' ["Si", 0.544, 0.544, 0.4444444444444444], ["O", 0.394, 0.283, 0.2117],'
        ' ["O", 0.717, 0.111, 0.8783666666666667],'
        ' ["O", 0.889, 0.606, 0.5450333333333333], ["O", 0.283, 0.394, -0.3228111111111111],'
        ' ["O", 0.111, 0.717, 0.0105222222222222], ["O", 0.606, 0.889, 0.3438555555555556]]',
        40,
        "mesh = [1, 1, 1]",
        True,
    ),
    "water": (
        "[[12, 0, 0], [0, 12, 0], [0, 0, 12]]",
        '[["O", 0.5, 0.5, 0.5], ["H", 0.62, 0.5, 0.595], ["H", 0.38, 0.5, 0.595]]',
        35,
        "mesh = [1, 1, 1]",
        False,
    ),
}


def main() -> int:
    """Relax by both and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="of " + ", ".join(SYSTEMS))
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    core = core_loader.load()
    core.mpi_start()
    found: dict[str, Any] = {"machine": machine.describe(), "ranks": arguments.ranks}
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.systems.split(","):
            place = Path(folder) / name
            place.mkdir()
            (place / f"{name}.toml").write_text(text_of(*SYSTEMS[name]))
            case = case_of(core, prepare(core, place / f"{name}.toml"))
            ours = wavegrid(name, place, arguments.ranks)
            pwx = peer(case, place, arguments.ranks, moves=SYSTEMS[name][-1])
            rows = {what: (value, lengths(*pwx)[what]) for what, value in lengths(*ours).items()}
            for what, (one, other) in rows.items():
                print(f"{name:7} {what:8} {one:.6f} {other:.6f}  {one - other:+.1e}", flush=True)
                worst = max(worst, abs(one - other))
            found[name] = rows
    core.mpi_stop()
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    print(f"largest difference {worst:.1e} bohr")
    return 0 if worst < CLOSE else 1


def text_of(cell: str, atoms: str, ecut: int, kpoints: str, moves: bool) -> str:
    """Return our input."""
    smearing = 'smearing = { kind = "cold", width = "0.01 Ha" }' if "Al" in atoms else ""
    relax = f'cell = "free"\nstress_tolerance = "{PRESSURE} GPa"' if moves else ""
    return f"""[structure]
cell = {cell}
unit = "bohr"
atoms = {atoms}
coordinates = "fractional"
[basis]
ecut = "{ecut} Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = "PseudoDojo"
kpoints = {{ {kpoints} }}
{smearing}
[scf]
energy_tolerance = "1e-11 Ha"
[relax]
force_tolerance = "{FORCE} eV/angstrom"
{relax}
"""


def wavegrid(name: str, place: Path, ranks: int) -> tuple[np.ndarray, np.ndarray]:
    """Return cell and fractional coordinates that our own command relaxes to."""
    command = [str(ROOT / ".venv/bin/wavegrid"), "run", f"{name}.toml", "--ranks", str(ranks), "--quiet"]
    timed(command, place, _LIMIT)
    structure = json.loads((place / name / "result.json").read_text())["structure"]
    return np.array(structure["cell"]), np.array(structure["fractional"])


def peer(case: Case, place: Path, ranks: int, *, moves: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return what pw.x relaxes to, each time from the result before."""
    cell, atoms = np.array(case.cell), case.atoms
    for time in range(_PASSES if moves else 1):
        before = cell
        of_run = {"grid": None, "forces": False, "stress": False, "tolerance": _TOLERANCE}
        files = espresso.files(dataclasses.replace(case, cell=cell.tolist(), atoms=atoms, **of_run))
        kind = "vc-relax" if moves else "relax"
        force = 2 * FORCE / HARTREE_PER_BOHR_IN_EV_PER_ANGSTROM
        control = f"calculation='{kind}', forc_conv_thr={force:.3e}, etot_conv_thr=1e-9, nstep=200"
        text = files[espresso.MAIN].replace("calculation='scf'", control)
        sections = "&ions\n/\n" + (f"&cell\n  press_conv_thr={10 * PRESSURE}\n/\n" if moves else "")
        files[espresso.MAIN] = text.replace("ATOMIC_SPECIES", f"{sections}ATOMIC_SPECIES")
        folder = place / f"pwx{time}"
        write.save(folder, files)
        output = timed([*launcher(ranks), "pw.x", "-in", espresso.MAIN], folder, _LIMIT).output
        if "Begin final coordinates" not in output:
            raise SystemExit("pw.x did not relax\n" + "\n".join(output.splitlines()[-15:]))
        last = output[output.rfind("Begin final coordinates") :].partition("End final coordinates")[0]
        if moves:
            rows = re.search(r"CELL_PARAMETERS.*\n((?:.*\n){3})", last)[1].splitlines()
            cell = np.array([[float(word) for word in row.split()] for row in rows])
        rows = re.search(r"ATOMIC_POSITIONS.*\n((?:[A-Z]\w* .*\n)+)", last)[1].splitlines()
        places = [[float(word) for word in row.split()[1:4]] for row in rows]
        atoms = [(species, found) for (species, _), found in zip(case.atoms, places, strict=True)]
        if np.abs(cell - before).max() < CLOSE / 5:
            break
    return cell, np.array([found for _, found in atoms])


def lengths(cell: np.ndarray, fractional: np.ndarray) -> dict[str, float]:
    """Return edges and volume^(1/3) of a cell, and the shortest distances of the atoms, bohr."""
    shifts = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])
    pairs = {
        float(np.linalg.norm((one - other + shift) @ cell))
        for at, one in enumerate(fractional)
        for other in fractional[at:]
        for shift in shifts
    }
    shortest = sorted(pair for pair in pairs if pair > 1e-6)
    answer = {"a": float(np.linalg.norm(cell[0])), "c": float(np.linalg.norm(cell[2]))}
    answer["V^(1/3)"] = float(abs(np.linalg.det(cell)) ** (1 / 3))
    count = 0
    for at, pair in enumerate(shortest):
        if at == 0 or pair - shortest[at - 1] > 5e-3:
            count += 1
            answer[f"d{count}"] = pair
        if count == _DISTANCES:
            break
    return answer


if __name__ == "__main__":
    sys.exit(main())
