#!/usr/bin/env python3
"""Comparison of the eigensolvers: applications of H per band until the free energy is converged to 1e-8 Ha.

    make study-eigensolvers                                         # all cases and solvers, about 10 minutes
    python3 benchmarks/eigensolvers/run.py --cases si64,fe2 --solvers lobpcg,chebyshev --json study.json

Cases, each for another reason: Al108 (many bands at Gamma, a metal), Si64 (an insulator whose highest band is filled),
Fe2 (semicore states and spin: a wide spectrum, few bands), an Al(111) slab (few bands, many plane waves, vacuum).
Everything in double precision on one rank with one thread, so that energies of single steps can be compared. Counted
are refreshes of H psi too, as in `result.json`. Exit code: 0 done, 2 wrong arguments.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from wavegrid.job.prepare import prepare  # noqa: E402
from wavegrid.process import core_loader, machine  # noqa: E402

SOLVERS = ("rmm-diis", "lobpcg", "davidson", "chebyshev")
TARGET, TOLERANCE, TIGHT = 1e-8, 1e-9, 1e-11  # Ha

SI64 = """
[structure]
cell = [[10.26,0,0],[0,10.26,0],[0,0,10.26]]
unit = "bohr"
coordinates = "fractional"
supercell = [2, 2, 2]
atoms = [["Si",0,0,0],["Si",0,0.5,0.5],["Si",0.5,0,0.5],["Si",0.5,0.5,0],
         ["Si",0.25,0.25,0.25],["Si",0.25,0.75,0.75],["Si",0.75,0.25,0.75],["Si",0.75,0.75,0.25]]
[basis]
ecut = "12 Ha"
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = { Si = "gth-lda-q4" }
"""
FE2 = """
[structure]
cell = [[5.4,0,0],[0,5.4,0],[0,0,5.4]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Fe",0,0,0],["Fe",0.5,0.5,0.5]]
[basis]
ecut = "40 Ha"
[electrons]
xc = "GGA_X_PBE+GGA_C_PBE"
pseudopotentials = { Fe = "gth-pbe-q16" }
bands = 28
kpoints = { mesh = [2, 2, 2] }
smearing = { kind = "fermi-dirac", width = "0.01 Ha" }
spin = "collinear"
initial_magnetic_moments = { Fe = 3.0 }
"""
CASES = {
    "al108": (ROOT / "examples/al108.toml").read_text(),
    "si64": SI64,
    "fe2": FE2,
    "al_slab": (ROOT / "tests/reference/crystals/al111_slab_441/case.toml").read_text(),
}


def without_scf(text: str) -> str:
    """Return an input without its [scf] and [output] sections."""
    kept, keep = [], True
    for line in text.splitlines():
        if line.startswith("["):
            keep = line.strip() not in ("[scf]", "[output]", "[parallel]")
        if keep:
            kept.append(line)
    return "\n".join(kept)


def solve(core, case: str, solver: str, tolerance: float, start: str) -> tuple[dict, list[dict]]:
    """Run a case; returns the result and its steps."""
    text = without_scf(CASES[case])
    text += f'\n[scf]\neigensolver = "{solver}"\nenergy_tolerance = "{tolerance:g} Ha"\nprecision = "double"\n'
    text += f'initial_wavefunctions = "{start}"\nmax_steps = 100\n'
    steps: list[dict] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.toml"
        path.write_text(text)
        job = prepare(core, path, threads=1, directory=folder, ranks=1)
        result = core.Session(job.problem, keep_plans=False).solve(steps.append)
    result["states"] = sum(len(of_k) for of_spin in result["eigenvalues"] for of_k in of_spin)
    return result, steps


def row_of(case: str, solver: str, result: dict, steps: list[dict], converged: float) -> dict:
    """Return the figures of one run."""
    errors = [abs(step["free_energy"] - converged) for step in steps]
    there = next((i for i in range(len(steps)) if max(errors[i:]) < TARGET), None)
    at = steps[there] if there is not None else None
    return {
        "case": case,
        "solver": solver,
        "steps": at and at["step"],
        "h_per_band": at and at["h_applications"] / result["states"],
        "seconds": at and at["seconds"],
        "end": {
            "converged": result["converged"],
            "steps": result["scf_steps"],
            "h_per_band": result["h_applications"] / result["states"],
            "nonlocal_per_band": result["nonlocal_applications"] / result["states"],
            "seconds": steps[-1]["seconds"],
            "estimate": result["error_estimate"],
            "error": errors[-1],
            "recovered": result["recovered_states"],
            "largest_residual": max(max(k) for spin in result["residuals"] for k in spin),
        },
        "course": [
            (step["h_applications"] / result["states"], error, step["error_estimate"])
            for step, error in zip(steps, errors, strict=True)
        ],
    }


def cell(value: float | None, pattern: str) -> str:
    """Return a table cell; a missing value is a dash."""
    return "-" if value is None else format(value, pattern)


def table(rows: list[dict]) -> str:
    """Return the rows as Markdown."""
    lines = [
        "| case | solver | H per band | SCF steps | seconds | H per band, seconds to an estimate of 1e-9 | "
        "estimate, error at the end |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        end = row["end"]
        lines.append(
            f"| {row['case']} | `{row['solver']}` | {cell(row['h_per_band'], '.1f')} | {cell(row['steps'], 'd')} | "
            f"{cell(row['seconds'], '.1f')} | {end['h_per_band']:.1f}, {end['seconds']:.1f} | "
            f"{end['estimate']:.0e}, {end['error']:.0e} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Run what the command line asks for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES), help="of " + ", ".join(CASES))
    parser.add_argument("--solvers", default=",".join(SOLVERS), help="of " + ", ".join(SOLVERS))
    parser.add_argument("--start", default="lcao", choices=["lcao", "random"])
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    arguments = parser.parse_args()
    cases, solvers = arguments.cases.split(","), arguments.solvers.split(",")
    for given, valid in ((cases, CASES), (solvers, SOLVERS)):
        for name in given:
            if name not in valid:
                parser.error(f"'{name}'; valid: {', '.join(valid)}")
    core = core_loader.load()
    core.mpi_start()
    rows = []
    for case in cases:
        converged = solve(core, case, "lobpcg", TIGHT, "lcao")[0]["energy"]["free"]
        print(f"{case}: F = {converged:.11f} Ha", file=sys.stderr, flush=True)
        for solver in solvers:
            began = time.perf_counter()
            rows.append(row_of(case, solver, *solve(core, case, solver, TOLERANCE, arguments.start), converged))
            print(f"  {solver}: {time.perf_counter() - began:.1f} s, {rows[-1]['end']}", file=sys.stderr, flush=True)
    core.mpi_stop()
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine.describe(), "rows": rows}, indent=1))
    print(f"{machine.describe()['processor']}, 1 rank, 1 thread, double precision, start {arguments.start}")
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
