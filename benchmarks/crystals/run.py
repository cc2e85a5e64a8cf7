#!/usr/bin/env python3
"""Whole calculations that must agree: with ABINIT, with supercells, without symmetry, on any ranks, with a dense H.

    make study-crystals                                          # all tables, about 40 minutes on 2 cores
    .venv/bin/python benchmarks/crystals/run.py supercells splits --json study.json

Tables: `equation_of_state` (Al and Si compared with ABINIT), `supercells` (with k-meshes), `symmetry` (on and off),
`splits` (every split of 1 to 8 ranks, transports, partitions, deterministic runs), `missed_states` (every eigensolver
against the whole matrix of H, and a free energy from that). Exit code: 0 everything agrees; 1 something does not;
2 wrong arguments. A run at a time uses both cores: give the machine to it alone where the seconds matter.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import equation_of_state  # noqa: E402
import missed_states  # noqa: E402
import splits  # noqa: E402
import supercells  # noqa: E402
import symmetry  # noqa: E402

import wavegrid  # noqa: E402
from wavegrid.process import core_loader, machine  # noqa: E402

STUDIES = {
    "equation_of_state": equation_of_state,
    "supercells": supercells,
    "symmetry": symmetry,
    "splits": splits,
    "missed_states": missed_states,
}


def main() -> int:
    """Run what the command line asks for, print the tables, store the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", metavar="TABLE", help="of " + ", ".join(STUDIES) + " (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time where times are not compared (default: 2)")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    if unknown := [name for name in options.studies if name not in STUDIES]:
        parser.error(f"unknown table '{unknown[0]}'; valid: {', '.join(STUDIES)}")
    versions = {"wavegrid": wavegrid.__version__, **core_loader.load().versions()}
    report = {"machine": machine.describe(), "versions": versions, "load_at_start": os.getloadavg()[0], "tables": {}}
    for name in options.studies or STUDIES:
        began = time.perf_counter()
        answer = STUDIES[name].study(options.jobs)
        answer["seconds"] = time.perf_counter() - began
        report["tables"][name] = answer
        verdict = "agrees" if answer["agrees"] else "DOES NOT AGREE"
        print(f"## {name}: {verdict}, largest {answer['worst_Ha']:.1e} Ha, {answer['seconds']:.0f} s\n")
        print(STUDIES[name].show(answer), end="\n\n", flush=True)
        if options.json:
            options.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if all(answer["agrees"] for answer in report["tables"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
