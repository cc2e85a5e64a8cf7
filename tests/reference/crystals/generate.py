#!/usr/bin/env python3
"""Make the reference values of this folder with ABINIT and, where it can, with pw.x.

    python generate.py --list
    python generate.py al4_444 si2_444     # rewrite the inputs, run, rewrite reference.json
    python generate.py --derivatives al111_slab_441   # forces and stress alone: derivatives.json
    python generate.py --inputs-only       # rewrite the inputs and the GTH potentials of all cases

Needs Debian's `abinit` (9.6.2) and `quantum-espresso` (6.7), and Python of .venv. The tests read the folders,
never this script. cases.py holds the cases, codes.py runs the two programs.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys

from cases import (
    CASES,
    FUNCTIONALS,
    HERE,
    Case,
    abinit_derivatives_input,
    abinit_input,
    element,
    mesh_points,
    pwx_derivatives_input,
    pwx_input,
    scaled,
    table_name,
)
from cases import toml_input as toml
from codes import run_abinit, run_pwx
from derivatives import abinit_derivatives, pwx_derivatives
from potentials import write_potentials

HARTREE_PER_BOHR3_IN_GPA = 29421.02648438959


def write_inputs(name: str) -> None:
    """Write the inputs of a case; the potentials go to the folder `pseudopotentials`."""
    case, folder = CASES[name], HERE / name
    folder.mkdir(exist_ok=True)
    write_potentials(case)
    (folder / "input.abi").write_text(abinit_input(case))
    (folder / "case.toml").write_text(toml(case))
    if "pwx" in case.codes:
        (folder / "pw.in").write_text(pwx_input(case))
    if case.derivatives:
        (folder / "derivatives.abi").write_text(abinit_derivatives_input(case))
        if "pwx" in case.codes:
            (folder / "derivatives.in").write_text(pwx_derivatives_input(case))


def settings(case: Case) -> dict:
    """What both codes were given."""
    points = mesh_points(case.mesh, case.shift)
    answer = {
        "about": case.about,
        "structure": {
            "cell_bohr": case.cell,
            "atoms": [[element(kind), *position] for kind, position in case.atoms],
            "coordinates": "fractional",
            "pseudopotentials": {element(kind): table_name(case, kind) for kind in case.kinds},
        },
        "mesh": case.mesh,
        "shift": case.shift,
        "kpoints": [point for point, _ in points],
        "weights": [weight for _, weight in points],
        "ecut_Ha": case.ecut,
        "grid": case.grid,
        "bands": case.bands,
        "smearing": case.smearing and {"kind": case.smearing, "width_Ha": case.width},
        "xc": FUNCTIONALS[case.xc][0],
        "unconverged_top_bands": case.buffer,
    }
    if case.moments is not None:
        answer["spin"] = {"moments": case.moments, "total_moment": case.moment}
    if case.charge:
        answer["charge"] = case.charge
    return answer


def largest(case: Case, run: dict, other: dict) -> float:
    """The largest difference of two runs' eigenvalues, top bands apart, two digits."""

    def flat(values: list) -> list[list[float]]:
        return values if case.moments is None else values[0] + values[1]

    kept = case.bands - case.buffer
    pairs = zip(flat(run["eigenvalues_Ha"]), flat(other["eigenvalues_Ha"]), strict=True)
    worst = max(abs(x - y) for row, others in pairs for x, y in zip(row[:kept], others[:kept], strict=True))
    return float(f"{worst:.1e}")


def difference(case: Case, pwx: dict, abinit: dict) -> dict:
    """What pw.x gives minus what ABINIT gives."""
    theirs = dict(abinit["energies_Ha"])
    if case.charge:
        theirs["free"] = abinit["core_by_electrons_Ha"]["free"]
    answer = {key: value - theirs[key] for key, value in pwx["energies_Ha"].items() if key in theirs}
    if pwx["fermi_Ha"] is not None and abinit["fermi_Ha"] is not None:
        answer["fermi"] = pwx["fermi_Ha"] - abinit["fermi_Ha"]
    if "moment" in pwx:
        answer["moment"] = pwx["moment"] - abinit["moment"]
    answer["eigenvalues_largest"] = largest(case, pwx, abinit)
    return {key: float(f"{value:.3e}") for key, value in answer.items()}


def birch_murnaghan(volumes: list[float], energies: list[float], atoms: int) -> dict:
    """Fit E = sum_j c_j x^j, x = V^(-2/3), j = 0..3 (third-order Birch-Murnaghan) by least squares."""
    middle = volumes[len(volumes) // 2]
    rows = [[(middle / v) ** (2 * j / 3) for j in range(4)] for v in volumes]
    matrix = [[math.fsum(r[i] * r[j] for r in rows) for j in range(4)] for i in range(4)]
    right = [math.fsum(r[i] * (e - energies[0]) for r, e in zip(rows, energies, strict=True)) for i in range(4)]
    c = solve(matrix, right)

    def slope(x: float) -> float:
        return c[1] + 2 * c[2] * x + 3 * c[3] * x * x

    root = math.sqrt(c[2] ** 2 - 3 * c[1] * c[3])
    x = min(((-c[2] + sign * root) / (3 * c[3]) for sign in (1, -1)), key=lambda x: abs(x - 1))
    assert abs(slope(x)) < 1e-9
    volume = middle * x**-1.5
    bulk = (4 * x**2 / 9) * (2 * c[2] + 6 * c[3] * x) * x**1.5 / middle  # V d2E/dV2 where dE/dx = 0
    fit = [math.fsum(cj * rj for cj, rj in zip(c, r, strict=True)) + energies[0] for r in rows]
    return {
        "volume_bohr3": volume,
        "energy_Ha": math.fsum(cj * x**j for j, cj in enumerate(c)) + energies[0],
        "bulk_modulus_GPa": bulk * HARTREE_PER_BOHR3_IN_GPA,
        "lattice_constant_bohr": (4 * volume / atoms) ** (1 / 3) if atoms == 1 else (4 * volume) ** (1 / 3),
        "largest_residual_Ha": max(abs(a - b) for a, b in zip(fit, energies, strict=True)),
    }


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, size):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    answer = [0.0] * size
    for i in reversed(range(size)):
        answer[i] = (rows[i][-1] - math.fsum(rows[i][j] * answer[j] for j in range(i + 1, size))) / rows[i][i]
    return answer


def volume(cell: list[list[float]]) -> float:
    """Volume of a cell."""
    a, b, c = cell
    return abs(
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


def equation_of_state(name: str) -> dict:
    """Run all volumes of a case with ABINIT."""
    case = CASES[name]
    cells = [scaled(case, factor) for factor in case.volumes]
    runs = [run_abinit(name, cell) for cell in cells]
    volumes = [volume(cell.cell) for cell in cells]
    free = [run["energies_Ha"]["free"] for run in runs]
    points = [
        {"volume_scale": factor, "volume_bohr3": v, "energies_Ha": run["energies_Ha"], "fermi_Ha": run["fermi_Ha"]}
        for factor, v, run in zip(case.volumes, volumes, runs, strict=True)
    ]
    middle = {key: runs[0][key] for key in ("code", "version", "command")}
    fit = birch_murnaghan(volumes, free, len(case.atoms))
    return middle | settings(case) | {"volumes": points, "birch_murnaghan": fit}


def run(name: str) -> dict:
    """Run the codes on a case and write its reference.json."""
    case = CASES[name]
    write_inputs(name)
    if case.volumes:
        reference = equation_of_state(name)
    else:
        abinit = run_abinit(name, case)
        head = {key: abinit.pop(key) for key in ("code", "version", "command")}
        reference = head | settings(case) | abinit
        for line in case.controls:
            other = run_abinit(name, case, line)
            kept = {key: other[key] for key in ("energies_Ha", "fermi_Ha", "moment") if key in other}
            kept["eigenvalues_largest_difference_Ha"] = largest(case, other, abinit)
            reference.setdefault("abinit_controls", []).append({"input_line": line} | kept)
        if "pwx" in case.codes:
            reference["pwx"] = run_pwx(name, case, abinit)
            reference["pwx_minus_abinit_Ha"] = difference(case, reference["pwx"], abinit)
    write_json(name, "reference.json", reference)
    return reference


def run_derivatives(name: str) -> str:
    """Run the codes on a case for forces and stress, write its derivatives.json, return one line about it."""
    case = CASES[name]
    write_inputs(name)
    found = abinit_derivatives(name, case)
    if "pwx" in case.codes:
        found["pwx"] = pwx_derivatives(name, case)
    write_json(name, "derivatives.json", found)
    largest_force = max(abs(x) for force in found["forces_Ha_per_bohr"] for x in force)
    line = f"F {found['free_energy_Ha']:.10f} Ha, largest force {largest_force:.3e}"
    for key in ("forces_Ha_per_bohr", "stress_Ha_per_bohr3") if "pwx" in found else ():
        pairs = zip(found[key], found["pwx"][key], strict=True)
        worst = max(abs(x - y) for a, b in pairs for x, y in zip(a, b, strict=True))
        line += f", pw.x differs by {worst:.1e} in {key}"
    return line


def write_json(name: str, file: str, content: dict) -> None:
    """Write a file of a case, innermost lists in one line."""
    text = json.dumps(content, indent=2)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m.group(1)) + "]", text)
    (HERE / name / file).write_text(text + "\n")


def summary(reference: dict) -> str:
    """One line about a run."""
    if "volumes" in reference:
        return ", ".join(f"{key} {value:.9g}" for key, value in reference["birch_murnaghan"].items())
    energies = reference["energies_Ha"]
    drift = energies["free"] - math.fsum(value for key, value in energies.items() if key != "free")
    line = f"F {energies['free']:.10f} Ha, terms off by {drift:.1e}, boxcut {reference['boxcut']}"
    line += f", moment {reference['moment']:.6f}" if "moment" in reference else ""
    line += f"\n    {reference['convergence']}"
    for control in reference.get("abinit_controls", []):
        line += f"\n    {control['input_line']}: {control['energies_Ha']['free'] - energies['free']:.3e}"
    if "pwx" in reference:
        pwx = reference["pwx"]
        line += f"\n    pw.x {pwx['energies_Ha']['free']:.10f}, minus ABINIT {reference['pwx_minus_abinit_Ha']}"
        line += f"\n    {pwx['convergence']}"
    return line


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to make (default: all)")
    parser.add_argument("--list", action="store_true", help="print the cases and stop")
    parser.add_argument("--inputs-only", action="store_true", help="write inputs, run nothing")
    parser.add_argument(
        "--derivatives", action="store_true", help="forces and stress alone, of the cases that keep them"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.cases) - set(CASES):
        parser.error(f"unknown case {sorted(unknown)}; known: {', '.join(CASES)}")
    chosen = arguments.cases or [name for name in CASES if CASES[name].derivatives or not arguments.derivatives]
    for name in chosen:
        if arguments.list:
            print(f"{name:32} {'+'.join(CASES[name].codes):12} {CASES[name].about}")
        elif arguments.inputs_only:
            write_inputs(name)
        elif arguments.derivatives:
            print(f"{name:28} {run_derivatives(name)}", flush=True)
        else:
            print(f"{name:28} {summary(run(name))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
