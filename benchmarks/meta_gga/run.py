#!/usr/bin/env python3
"""Meta-GGAs: compared with ABINIT and pw.x, steps and time compared with PBE, meshes compared with plane waves.

    make study-meta-gga                                         # all tables of docs/lab/studies.md
    .venv/bin/python benchmarks/meta_gga/run.py --cases si2_r2scan,al4_scan --repeats 3 --json meta_gga.json
    .venv/bin/python benchmarks/meta_gga/run.py --cases meshes

The cases and the stored values are those of tests/reference/meta_gga. Differences are taken at 1e-12 Ha, steps and time
per step at the tolerance of the case (1e-10 Ha) on one rank: of each functional the fastest of the repeats, which take
turns with those of PBE. Levels are those that hold electrons.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "benchmarks" / "common")]
from other_codes import run_wavegrid  # noqa: E402

META_GGA = ROOT / "tests" / "reference" / "meta_gga"
CASES = sorted(path.parent.name for path in META_GGA.glob("*/case.toml"))
TIMEOUT = 3600
OCCUPIED = 1e-4  # electrons; emptier states are not converged

# Of each system: cell and coordinates, electrons, cutoff of converged plane waves, spacings of the mesh (bohr).
SILICON = """[structure]
cell = [[0, 5.13, 5.13], [5.13, 0, 5.13], [5.13, 5.13, 0]]
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.26, 0.23, 0.28]]
coordinates = "fractional"
"""
ALUMINIUM = """[structure]
cell = [[7.6533909, 0, 0], [0, 7.6533909, 0], [0, 0, 7.6533909]]
unit = "bohr"
atoms = [["Al", 0.01, 0, 0], ["Al", 0, 0.5, 0.5], ["Al", 0.5, 0, 0.5], ["Al", 0.5, 0.49, 0.02]]
coordinates = "fractional"
"""
HYDROGEN = """[structure]
cell = [[8, 0, 0], [0, 8, 0], [0, 0, 8]]
unit = "bohr"
atoms = [["H", 4, 4, 3.2], ["H", 4, 4, 4.8]]
coordinates = "cartesian"
"""
TOLERANCE = '[scf]\nenergy_tolerance = "1e-9 Ha"\n'
METAL = 'smearing = { kind = "fermi-dirac", width = "0.00735 Ha" }\n'
MESHES: dict[str, tuple[str, str, int, tuple[float, ...]]] = {
    "Si2, 8 k-points": (SILICON, "kpoints = { mesh = [2, 2, 2], shift = [0.5, 0.5, 0.5] }\n", 50, (0.4031, 0.3628)),
    "Al4, 8 k-points, smearing": (ALUMINIUM, "kpoints = { mesh = [2, 2, 2] }\n" + METAL, 35, (0.4252, 0.3827)),
    "H2, cell of 8 bohr": (HYDROGEN, "", 140, (0.2223, 0.2)),
}


def run(text: str, folder: Path) -> dict[str, Any]:
    """Run an input on one rank and return result.json."""
    return json.loads((run_wavegrid(text, folder, TIMEOUT).folder / "result.json").read_text())


def level_difference(result: dict[str, Any], reference: dict[str, Any]) -> float:
    """Return the largest difference of a level that holds electrons, at the k-points of the result (Ha)."""
    theirs = np.array(reference["eigenvalues_Ha"])
    theirs = theirs if theirs.ndim == 3 else theirs[None]
    points = np.array(reference["kpoints"])
    largest = 0.0
    for spin, (levels, occupations) in enumerate(zip(result["eigenvalues"], result["occupations"], strict=True)):
        for point, ours, electrons in zip(result["kpoints"], levels, occupations, strict=True):
            apart = np.stack([points - point[:3], points + point[:3]])
            same = np.abs(apart - np.round(apart)).max(axis=2).min(axis=0).argmin()
            filled = np.abs(np.array(electrons)) / point[3] > OCCUPIED
            differences = np.abs(np.array(ours) - theirs[spin][same][: len(ours)])[filled]
            largest = max(largest, float(differences.max(initial=0.0)))
    return largest


def compared(name: str, repeats: int, folder: Path) -> dict[str, Any]:
    """Return the row of a case."""
    text = (META_GGA / name / "case.toml").read_text().replace('"../../', f'"{ROOT}/tests/reference/')
    reference = json.loads((META_GGA / name / "reference.json").read_text())
    tight = run(text.replace("1e-10 Ha", "1e-12 Ha") + "\n[output]\nforces = true\n", folder)
    ours, atoms = tight["energy"]["free"], len(reference["structure"]["atoms"])
    forces = np.subtract(tight["forces"]["total"], reference["forces_Ha_per_bohr"])
    row = {
        "case": name,
        "xc": reference["xc"],
        "energy": (ours - reference["energies_Ha"]["free"]) / atoms,
        "levels": level_difference(tight, reference),
        "forces": float(np.abs(forces).max()),
    }
    if "pwx" in reference:
        row["energy_pwx"] = (ours - reference["pwx"]["energies_Ha"]["free"]) / atoms
    functional = next(line for line in text.splitlines() if line.startswith("xc = "))
    timed_text = text + "\n[output]\ncheckpoint = false\n"  # which takes longer than the steps of some cases
    inputs = {"meta": timed_text, "pbe": timed_text.replace(functional, 'xc = "PBE"')}
    times: dict[str, list[float]] = {key: [] for key in inputs}
    for _ in range(repeats):
        for key, content in inputs.items():
            result = run(content, folder)
            row[f"steps_{key}"] = result["scf_steps"]
            times[key].append(result["wall_seconds"]["total"] / result["scf_steps"])
    return row | {f"seconds_{key}": min(found) for key, found in times.items() if found}


def print_compared(row: dict[str, Any]) -> None:
    """Print the row of a case as docs/lab/studies.md has it."""
    pwx = f"{row['energy_pwx']:.1e}" if "energy_pwx" in row else ""
    cells = [row["case"], f"{row['energy']:.1e}", pwx, f"{row['levels']:.1e}", f"{row['forces']:.1e}"]
    if "seconds_meta" in row:
        cells += [f"{row['steps_meta']}, {row['steps_pbe']}", f"{row['seconds_meta'] / row['seconds_pbe']:.2f}"]
    print(f"| {' | '.join(cells)} |", flush=True)


def meshes(name: str, folder: Path) -> dict[str, Any]:
    """Return the differences of meshes from plane waves (Ha per atom) by functional and spacing."""
    structure, electrons, ecut, spacings = MESHES[name]
    atoms = structure.count('["')
    row: dict[str, Any] = {"system": name, "ecut": ecut}
    for xc in ("PBE", "R2SCAN"):
        rest = f'[electrons]\nxc = "{xc}"\npseudopotentials = "gth-pbe"\n{electrons}{TOLERANCE}'
        waves = run(f'{structure}[basis]\necut = "{ecut} Ha"\n{rest}', folder)["energy"]["free"]
        for spacing in spacings:
            basis = f'[basis]\nmethod = "realspace"\nspacing = "{spacing} bohr"\n'
            row[f"{xc} {spacing}"] = (run(structure + basis + rest, folder)["energy"]["free"] - waves) / atoms
    return row


def print_meshes(row: dict[str, Any]) -> None:
    """Print the row of a system: of each spacing the difference with PBE and with R2SCAN, 1e-4 Ha per atom."""
    _, _, ecut, spacings = MESHES[row["system"]]
    cells = [f"{s}: {row[f'PBE {s}'] * 1e4:.2f}, {row[f'R2SCAN {s}'] * 1e4:.2f}" for s in spacings]
    print(f"| {row['system']} | {ecut} | {' | '.join(cells)} |", flush=True)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join([*CASES, "meshes"]), help=f"of {', '.join(CASES)}, meshes")
    parser.add_argument("--repeats", type=int, default=3, help="of the runs for steps and time; 0: none")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    chosen = arguments.cases.split(",")
    if unknown := set(chosen) - {*CASES, "meshes"}:
        parser.error(f"unknown case {', '.join(sorted(unknown))}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        print("| case | minus ABINIT | minus pw.x | levels | forces | steps, of PBE | time per step |", flush=True)
        for name in chosen:
            if name != "meshes":
                rows.append(compared(name, arguments.repeats, Path(folder)))
                print_compared(rows[-1])
        for system in MESHES if "meshes" in chosen else ():
            rows.append(meshes(system, Path(folder)))
            print_meshes(rows[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
