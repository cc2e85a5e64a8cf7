#!/usr/bin/env python3
"""Convergence of many kinds of systems: steps, work, time and error of wavegrid, pw.x and ABINIT, one rank, one run.

    make study-convergence                                    # all systems and codes, about half an hour
    python3 benchmarks/convergence/run.py --systems o2,si --codes wavegrid
    python3 benchmarks/convergence/run.py --inputs FOLDER     # write the inputs of all codes there, run none

`systems/` holds our inputs; the others follow from them (as those of `wavegrid compare --input-for`), with the same
pseudopotential files (PseudoDojo and ONCVPSP from Debian's abinit-data; UPF for pw.x, number by number), cutoff,
k-points and starting moments, everything else at its default. The tolerance is what each code's own
criterion bounds: our error estimate, pw.x's estimated accuracy, the change of the energy in two steps of ABINIT. The
error is measured: |F - F of a run with a tolerance of 1e-10 Ha|, each code with itself. A step of pw.x or ABINIT
contains several applications of H to each band; so may ours.

Exit code: 0 done; 2 wrong arguments; 3 a program or file is missing. A code that fails on a system has dashes there.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "python"), str(HERE.parent / "common")]

import arguments as shared  # noqa: E402
from codes import Abinit, Pwx, Result, Wavegrid  # noqa: E402
from other_codes import System  # noqa: E402
from processes import MissingError, RunError  # noqa: E402
from report import summary, table  # noqa: E402

from wavegrid.process import core_loader, machine  # noqa: E402

TIGHT = 1e-10  # Ha
# What is no property of the system is left to the codes.
OPEN = {"grid": None, "bands": None, "symmetric": True, "forces": False, "stress": False}
EXIT_MISSING = 3


def parse_arguments() -> argparse.Namespace:
    """Command line."""
    names = sorted(path.stem for path in (HERE / "systems").glob("*.toml"))
    parser = shared.parser(__doc__, names, tolerance=1e-7, repeats=1)
    parser.add_argument("--accuracy", action="store_true", help="also converged energies: twice the time")
    parser.add_argument("--settings", default="", help='more of our [scf], such as precision = "double"')
    parser.add_argument("--inputs", type=Path, metavar="FOLDER", help="write the inputs there instead of running them")
    return shared.parsed(parser, names)


def measure(run, system: System, arguments: argparse.Namespace, scratch: Path) -> dict:
    """Return the figures of one code on one system."""

    def once(tolerance: float) -> Result:
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            return run(system, tolerance, Path(folder), arguments.timeout)

    try:
        results = [once(arguments.tolerance) for _ in range(arguments.repeats)]
        figures = dataclasses.asdict(results[0])
        figures["seconds"] = statistics.median(result.seconds for result in results)
        if arguments.accuracy and figures["converged"]:
            exact = once(TIGHT)
            figures["error"] = abs(figures["free"] - exact.free) if exact.converged else None
    except RunError as error:
        return {"failed": str(error)}
    return figures


def main() -> int:
    """Run what the command line asks for and print the table."""
    arguments = parse_arguments()
    core = core_loader.load()
    core.mpi_start()
    systems = [System(core, HERE / "systems" / f"{name}.toml", **OPEN) for name in arguments.systems]
    core.mpi_stop()
    if arguments.inputs:
        for system in systems:
            system.write_inputs(arguments.inputs / system.name, arguments.tolerance)
        return 0
    makers = {"wavegrid": lambda: Wavegrid(arguments.wavegrid, arguments.settings), "pwx": Pwx, "abinit": Abinit}
    try:
        codes = {name: makers[name]() for name in arguments.codes}
    except MissingError as missing:
        print(missing, file=sys.stderr)
        return EXIT_MISSING
    rows = json.loads(arguments.peers.read_text())["systems"] if arguments.peers else {}
    rows = {system.name: rows.get(system.name, {}) for system in systems}
    with tempfile.TemporaryDirectory(prefix="convergence_") as scratch:
        for system in systems:
            for name, run in codes.items():
                found = rows[system.name][name] = measure(run, system, arguments, Path(scratch))
                print(f"{system.name:18} {name:9} {found.get('steps')} steps, {found.get('seconds')} s, "
                      f"F {found.get('free')} Ha {found.get('failed', '')}", file=sys.stderr, flush=True)  # fmt: skip
            if arguments.json:
                report = {"machine": machine.describe(), "tolerance_Ha": arguments.tolerance, "systems": rows}
                arguments.json.write_text(json.dumps(report, indent=1))
    print(table(rows), summary(rows), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
