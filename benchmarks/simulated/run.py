#!/usr/bin/env python3
"""Parts of the library on simulated clusters, compared with what was published.

    make study-scale
    .venv/bin/python benchmarks/simulated/run.py --studies gao,cp2k --json scale.json

SimGrid runs the library's own plans and transports; messages take time, computing takes none unless a study says so.
All times are simulated, none is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import castep
import cp2k
import gao
import octopus
import onetep
import scf
from cluster import PROGRAM, SimulationError

# The longest ones first.
STUDIES = {
    "castep": castep.run,
    "cp2k": cp2k.run,
    "gao": gao.run,
    "octopus": octopus.run,
    "onetep": onetep.run,
    "scf": scf.run,
}


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", default=",".join(STUDIES))
    parser.add_argument("--full", action="store_true", help="also what takes long")
    parser.add_argument("--jobs", type=int, default=2, help="studies at the same time; each simulation needs one core")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    if not PROGRAM.exists():
        print(f"{PROGRAM} is missing: make study-scale builds it", file=sys.stderr)
        return 3
    names = arguments.studies.split(",")
    for name in names:
        if name not in STUDIES:
            print(f'--studies: unknown "{name}"; valid: {", ".join(STUDIES)}', file=sys.stderr)
            return 2
    found: dict[str, Any] = {}
    with ProcessPoolExecutor(arguments.jobs) as pool:
        running = [pool.submit(study, name, arguments.full) for name in names]
        for name, one in zip(names, running, strict=True):
            text, found[name], fault = one.result()
            print(text, flush=True)
            if fault:
                print(f"{name}: {fault}", file=sys.stderr)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    return 4 if None in found.values() else 0


def study(name: str, full: bool) -> tuple[str, Any, str]:
    """Return what a study printed, its figures (none if a simulation did not come to its end), and the fault."""
    start, used = time.monotonic(), processor_seconds()
    text, found, fault = io.StringIO(), None, ""
    with contextlib.redirect_stdout(text):
        try:
            found = STUDIES[name](full)
        except SimulationError as error:
            fault = str(error)
        print(f"({name}: {time.monotonic() - start:.0f} s, {processor_seconds() - used:.0f} s of a core)")
    return text.getvalue(), found, fault


def processor_seconds() -> float:
    """Return what the simulations of this process have used so far: a busy computer does not change it much."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
