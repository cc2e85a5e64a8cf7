#!/usr/bin/env python3
"""Ultrasoft potentials and PAW compared with pw.x, ABINIT and GPAW on the same datasets, and with themselves.

    make study-paw                                                # all parts and systems whose datasets are found
    make study-paw ARGS="pwx --systems al4_us ni_paw --repeats 3 --json paw.json"

pwx      systems/: differences, steps and CPU time of the whole process
abinit   abinit_systems/, PAW XML: differences from ABINIT with pawxcdev 0, and usexcnhat 0 and 1
gpaw     gpaw_systems/: volumes of equations of state, and the energy of a reaction
refined  pw.x on finer radial meshes (refine.py): what its integrals are worth
radial   ABINIT on finer radial meshes (refine_xml.py) and with higher density cutoffs
files    one dataset as XML and UPF: what the two conventions of exchange and correlation are worth
splits   three systems on 1, 2 and 3 ranks and several layouts, without symmetry, and restarted

Inputs of other codes follow from ours as those of `wavegrid compare --input-for`: same files, cutoffs, grids, k-points.
Differences are taken at 1e-10 Ha, also of the energy between each geometry and the same 2% longer in all directions;
steps and time at --tolerance with twice the k-points along each axis. All runs but those of `splits` have one rank.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "python"), str(HERE.parent / "common"), str(HERE)]

import against_abinit  # noqa: E402
import against_gpaw  # noqa: E402
import against_itself  # noqa: E402
import against_pwx  # noqa: E402
from inputs import FOLDERS, names  # noqa: E402
from processes import MissingError, RunError  # noqa: E402

# Of each part: systems, head of the table, and cells of a row.
PARTS: dict[str, tuple[list[str], str, Callable[[dict[str, Any]], list[str]]]] = {
    "pwx": (names("systems"), against_pwx.HEAD, against_pwx.cells),
    "abinit": (names("abinit_systems"), against_abinit.HEAD, against_abinit.cells),
    "gpaw": (names("gpaw_systems"), against_gpaw.HEAD, against_gpaw.cells),
    "refined": (against_pwx.REFINED, against_pwx.REFINED_HEAD, against_pwx.refined_cells),
    "radial": (against_abinit.REFINED, against_abinit.REFINED_HEAD, against_abinit.refined_cells),
    "files": (["si2"], against_itself.FILES_HEAD, against_itself.file_cells),
    "splits": (against_itself.SPLIT, against_itself.SPLITS_HEAD, against_itself.split_cells),
}
SUMMARIES = {"pwx": against_pwx.summary, "gpaw": against_gpaw.summary}


def parse_arguments() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--systems", nargs="+", metavar="NAME", help="of the parts (default: all)")
    parser.add_argument("--potentials", type=Path, nargs="*", default=[], help="more folders of datasets")
    parser.add_argument("--repeats", type=int, default=1, help="of the runs for steps and time; 0: none (default: 1)")
    parser.add_argument("--tolerance", type=float, default=1e-8, help="Ha, of those runs (default: 1e-8)")
    parser.add_argument("--timeout", type=float, default=1200, help="seconds per run (default: 1200)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    arguments = parser.parse_args()
    arguments.parts = arguments.parts or list(PARTS)
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; valid: {', '.join(PARTS)}")
    valid = sorted({name for part in arguments.parts for name in PARTS[part][0]})
    if unknown := set(arguments.systems or ()) - set(valid):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; valid: {', '.join(valid)}")
    return arguments


def rows_of(part: str, arguments: argparse.Namespace) -> Callable[[str], dict[str, Any]]:
    """Return the function that computes the row of a system."""
    folders, timeout = [*arguments.potentials, *FOLDERS], arguments.timeout
    measured = {"repeats": arguments.repeats, "tolerance": arguments.tolerance}
    return {
        "pwx": functools.partial(against_pwx.row, folders=folders, timeout=timeout, **measured),
        "abinit": functools.partial(against_abinit.row, folders=folders, timeout=timeout),
        "gpaw": functools.partial(against_gpaw.row, folders=folders, timeout=timeout),
        "refined": functools.partial(against_pwx.refined_row, folders=folders, timeout=timeout),
        "radial": functools.partial(against_abinit.refined_row, folders=folders, timeout=timeout),
        "files": functools.partial(against_itself.file_row, folders=folders, timeout=timeout),
        "splits": functools.partial(against_itself.split_row, folders=folders, timeout=timeout),
    }[part]


def main() -> int:
    """Run and print."""
    arguments = parse_arguments()
    answer: dict[str, list[dict[str, Any]]] = {}
    for part in arguments.parts:
        systems, head, cells = PARTS[part]
        row, rows = rows_of(part, arguments), answer.setdefault(part, [])
        print(f"\n| {head} |\n|{'---|' * (head.count('|') + 1)}", flush=True)
        for name in systems if arguments.systems is None else [one for one in systems if one in arguments.systems]:
            try:
                rows.append(row(name))
            except (MissingError, RunError) as fault:
                print(f"{name}: left out: {fault}", file=sys.stderr, flush=True)
                continue
            print(f"| {' | '.join(cells(rows[-1]))} |", flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps(answer, indent=1) + "\n")
        if part in SUMMARIES:
            print(SUMMARIES[part](rows))
    return 0 if any(answer.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
