#!/usr/bin/env python3
"""What an equation of state saves: seven volumes in one run of `[eos]`, compared with seven runs of one volume.

    make study-session ARGS=--series                        # Si2, Al1 with many k-points, MgO
    python3 benchmarks/session/series.py --only si al --json series.json

CPU time (user and system) of whole processes of the command, one rank with one thread; the separate runs have the cells
and the FFT grid of the series. The energies have to agree to ten times the tolerance, else the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks/crystals"))

from calculations import WAVEGRID, changed, document, markdown  # noqa: E402

RATIOS = [0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06]


def _fcc(a: float, atoms: list[list], basis: dict, electrons: dict) -> dict:
    cell = [[0, a / 2, a / 2], [a / 2, 0, a / 2], [a / 2, a / 2, 0]]
    structure = {"cell": cell, "unit": "angstrom", "coordinates": "fractional", "atoms": atoms}
    return {
        "structure": structure,
        "basis": basis,
        "electrons": {"xc": "PBE", "pseudopotentials": "gth-pbe"} | electrons,
    }


COLD = {"kind": "cold", "width": "0.2 eV"}
SYSTEMS = {
    "si": _fcc(
        5.43, [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]], {"ecut": "15 Ha"}, {"kpoints": {"mesh": [16, 16, 16]}}
    ),
    "al": _fcc(4.04, [["Al", 0, 0, 0]], {"ecut": "12 Ha"}, {"kpoints": {"mesh": [20, 20, 20]}, "smearing": COLD}),
    "mgo": _fcc(4.21, [["Mg", 0, 0, 0], ["O", 0.5, 0.5, 0.5]], {"ecut": "100 Ha"}, {"kpoints": {"mesh": [6, 6, 6]}}),
}


def run(case: dict, folder: Path, options: list[str]) -> tuple[dict, float]:
    """Run a case; return its result.json and the CPU time, s."""
    (folder / "in.toml").write_text(document(case))
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [WAVEGRID, "run", folder / "in.toml", "--ranks", "1", "--output", folder / "out", "--quiet", *options]
    subprocess.run(command, env=environment, check=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime
    return json.loads((folder / "out/result.json").read_text()), seconds


def measure(case: dict, tolerance: float) -> dict:
    """Run the series and its volumes."""
    case = changed(case, scf={"energy_tolerance": f"{tolerance} Ha"}, output={"checkpoint": False})
    with tempfile.TemporaryDirectory(prefix="series_") as name:
        folder = Path(name)
        series, seconds = run(case | {"eos": {"volumes": RATIOS}}, folder, [])
        volumes = series["equation_of_state"]["volumes"]
        separate = []
        for ratio in RATIOS:
            cell = [[x * ratio ** (1 / 3) for x in vector] for vector in case["structure"]["cell"]]
            separate.append(run(changed(case, structure={"cell": cell}, basis={"grid": series["grid"]}), folder, []))
    alone = sum(spent for _, spent in separate)
    pairs = zip(volumes, separate, strict=True)
    return {
        "kpoints": len(series["kpoints"]),
        "series_seconds": seconds,
        "separate_seconds": alone,
        "ratio": seconds / alone,
        "steps": [one["scf_steps"] for one in reversed(volumes)],
        "separate_steps": [result["scf_steps"] for result, _ in reversed(separate)],
        "largest_difference": max(abs(one["free_energy"] - result["energy"]["free"]) for one, (result, _) in pairs),
        "series_wall_seconds": series["wall_seconds"],
        "derivative_seconds": series.get("derivative_seconds"),
        "h_applications": [series["h_applications"], separate[0][0]["h_applications"]],  # of the smallest volume
    }


def main() -> int:
    """Measure and print; 0 where the energies agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--tolerance", type=float, default=1e-7, help="of the energy, Ha")
    parser.add_argument("--json", type=Path, help="file for all numbers")
    arguments = parser.parse_args()
    answer, rows = {}, []
    for name in arguments.only:
        found = answer[name] = measure(SYSTEMS[name], arguments.tolerance)
        found["ok"] = found["largest_difference"] < 10 * arguments.tolerance
        rows.append(
            [
                name,
                str(found["kpoints"]),
                f"{found['series_seconds']:.2f}",
                f"{found['separate_seconds']:.2f}",
                f"{found['ratio']:.2f}",
                " ".join(map(str, found["steps"])),
                " ".join(map(str, found["separate_steps"])),
                f"{found['largest_difference']:.0e}",
            ]
        )
        print(json.dumps(found), file=sys.stderr)
    head = "system | k-points | series (s) | separate (s) | ratio | SCF steps | of separate runs | difference (Ha)"
    print(markdown(head, rows))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(answer, indent=1) + "\n")
    return 0 if all(found["ok"] for found in answer.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
