#!/usr/bin/env python3
"""Ten small systems with many k-points: CPU time of wavegrid, pw.x and ABINIT on one rank, start included.

    make study-small                                            # five runs of each, about 25 minutes
    python3 benchmarks/convergence/small.py --systems al,mgo --codes wavegrid --repeats 3

The inputs are in `small/`; files, cutoffs, k-points and tolerances of the other codes are those of run.py, which also
says what a tolerance bounds. Runs of the codes alternate; the CPU time is the median of those of all processes, so
that other work on the machine does little harm. The last columns divide the time of our run among the phases that
the program measures; "start" is all before and after the calculation, Python first of all.

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

from wavegrid.process import core_loader, machine  # noqa: E402

PHASES = ("fft", "linear_algebra", "nonlocal", "other")
LONG = 30.0  # seconds: a code that takes longer runs once
EXIT_MISSING = 3


def parse_arguments() -> argparse.Namespace:
    """Command line."""
    names = sorted(path.stem for path in (HERE / "small").glob("*.toml"))
    parser = shared.parser(__doc__, names, tolerance=1e-9, repeats=5)
    return shared.parsed(parser, names)


def measure(codes: dict, system: System, arguments: argparse.Namespace, scratch: Path) -> dict:
    """Return the figures of each code on one system: those of the last run, but the median CPU time."""
    found: dict[str, list[Result]] = {name: [] for name in codes}
    for _ in range(arguments.repeats):
        for name, run in codes.items():
            if any(result.cpu > LONG for result in found[name]):
                continue
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                try:
                    found[name].append(run(system, arguments.tolerance, Path(folder), arguments.timeout))
                except RunError as error:
                    print(f"{system.name} {name}: {error}", file=sys.stderr)
    return {
        name: dataclasses.asdict(results[-1]) | {"cpu": statistics.median(result.cpu for result in results)}
        for name, results in found.items()
        if results
    }


def shares(ours: dict) -> list[str]:
    """Return the percentages of start and phases."""
    seconds = ours["seconds"]
    start = seconds - ours["phases"]["total"]
    return [f"{100 * part / seconds:.0f}" for part in (start, *(ours["phases"][phase] for phase in PHASES))]


def ratio(row: dict) -> float | None:
    """Return our CPU time over that of the faster code that converged."""
    others = [row[code]["cpu"] for code in shared.CODES[1:] if row.get(code, {}).get("converged")]
    return row["wavegrid"]["cpu"] / min(others) if others and "wavegrid" in row else None


def table(rows: dict[str, dict]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "| system | wavegrid, s | pw.x, s | ABINIT, s | to the faster | steps | start | transforms | linear algebra | "
        "projectors | rest |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        seconds = [f"{row[code]['cpu']:.2f}" if code in row else "-" for code in shared.CODES]
        steps = ", ".join(str(row[code]["steps"]) if code in row else "-" for code in shared.CODES)
        quotient = ratio(row)
        parts = shares(row["wavegrid"]) if "wavegrid" in row else ["-"] * (1 + len(PHASES))
        cells = [name, *seconds, "-" if quotient is None else f"{quotient:.2f}", steps, *parts]
        lines.append(f"| {' | '.join(cells)} |")
    found = [quotient for row in rows.values() if (quotient := ratio(row)) is not None]
    if found:
        lines += ["", f"to the faster code: {statistics.median(found):.2f} in the median, {max(found):.2f} at most"]
    return "\n".join(lines)


def main() -> int:
    """Run what the command line asks for and print the table."""
    arguments = parse_arguments()
    core = core_loader.load()
    core.mpi_start()
    systems = [System(core, HERE / "small" / f"{name}.toml") for name in arguments.systems]
    core.mpi_stop()
    makers = {"wavegrid": lambda: Wavegrid(arguments.wavegrid), "pwx": Pwx, "abinit": Abinit}
    try:
        codes = {name: makers[name]() for name in arguments.codes}
    except MissingError as missing:
        print(missing, file=sys.stderr)
        return EXIT_MISSING
    rows = json.loads(arguments.peers.read_text())["systems"] if arguments.peers else {}
    rows = {system.name: rows.get(system.name, {}) for system in systems}
    with tempfile.TemporaryDirectory(prefix="small_systems_") as scratch:
        for system in systems:
            rows[system.name] |= measure(codes, system, arguments, Path(scratch))
            print(
                system.name, {code: row["cpu"] for code, row in rows[system.name].items()}, file=sys.stderr, flush=True
            )
            if arguments.json:
                report = {"machine": machine.describe(), "tolerance_Ha": arguments.tolerance, "systems": rows}
                arguments.json.write_text(json.dumps(report, indent=1))
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
