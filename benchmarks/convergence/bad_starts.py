#!/usr/bin/env python3
"""Convergence of wavegrid from bad starts: random bands, wrong moments, a preconditioner of twice the right length.

    .venv/bin/python benchmarks/convergence/bad_starts.py                    # all, some minutes
    .venv/bin/python benchmarks/convergence/bad_starts.py --only nickel,tio2

Each calculation of `systems/` runs with its good start and with the bad one, to 1e-7 Ha, one rank, everything else at
its default; a bad one may end in another state, which the difference of the energies shows. Exit code: 0 done; 2 wrong
arguments; 3 the command is missing.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "python"), str(HERE.parent / "common")]

from processes import timed  # noqa: E402

RANDOM = 'initial_wavefunctions = "random"\n'


@dataclasses.dataclass(frozen=True)
class Start:
    """A start: of which system, what it changes in its input, and what it adds to [scf]."""

    what: str
    system: str
    change: tuple[str, str] = ("", "")
    settings: str = ""


STARTS = (
    Start("random bands", "o2", settings=RANDOM),
    Start("random bands", "tio2", settings=RANDOM),
    Start("random bands", "iron", settings=RANDOM),
    Start("ferromagnetic, is antiferromagnetic", "nio", ("[2.0, -2.0, 0.0, 0.0]", "[2.0, 2.0, 0.0, 0.0]")),
    Start("no moment, is ferromagnetic", "iron", ("{ Fe = 3.0 }", "{ Fe = 0.0 }")),
    Start("a tenth of the moment", "iron", ("{ Fe = 3.0 }", "{ Fe = 0.3 }")),
    Start("five times the moment", "nickel", ("{ Ni = 1.0 }", "{ Ni = 5.0 }")),
    Start("Kerker, twice the length", "calcium_long", settings='mixing = { preconditioner = "kerker", k0 = 0.6 }\n'),
    Start("Kerker, twice the length", "al_long", settings='mixing = { preconditioner = "kerker", k0 = 0.6 }\n'),
    Start("Kerker, half the length", "al_long", settings='mixing = { preconditioner = "kerker", k0 = 2.4 }\n'),
    Start("no preconditioner", "calcium_long", settings='mixing = { preconditioner = "none" }\n'),
    Start("metal's preconditioner", "tio2", settings='mixing = { preconditioner = "kerker" }\n'),
    Start(
        "twice the dielectric constant", "gaas", settings='mixing = { preconditioner = "dielectric", epsilon = 20 }\n'
    ),
)


def run(program: Path, start: Start, folder: Path) -> dict:
    """Return result.json of a calculation from this start."""
    text = (HERE / "systems" / f"{start.system}.toml").read_text()
    if start.change[0] not in text:
        raise SystemExit(f"{start.system}: there is no '{start.change[0]}' to change")
    text = text.replace(*start.change) if start.change[0] else text
    folder.mkdir()
    (folder / "in.toml").write_text(f'{text}directory = "out"\n[scf]\n{start.settings}')
    timed([str(program), "run", "in.toml", "--ranks", "1"], folder, 1200, codes=(0, 1))
    return json.loads((folder / "out" / "result.json").read_text())


def row(start: Start, good: dict, bad: dict) -> str:
    """Return a row of the table."""
    states = sum(len(of_k) for of_spin in good["eigenvalues"] for of_k in of_spin)
    of_both = " / ".join(f"{result['scf_steps']}, {result['h_applications'] / states:.0f}" for result in (good, bad))
    end = "yes" if bad["converged"] else f"no: {bad.get('advice', '')}"
    changes = "; ".join(f"step {change['step']}: {change['what']}" for change in bad.get("scf_changes", []))
    difference = bad["energy"]["free"] - good["energy"]["free"]
    return f"| {start.system}: {start.what} | {of_both} | {end} | {difference:.0e} | {changes or '-'} |"


def main() -> int:
    """Run what the command line asks for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = sorted({start.system for start in STARTS})
    parser.add_argument("--only", default=",".join(names), help="systems, of " + ", ".join(names))
    parser.add_argument("--wavegrid", type=Path, default=ROOT / ".venv/bin/wavegrid", help="our command")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    if unknown := set(wanted) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; valid: {', '.join(names)}")
    program = arguments.wavegrid.resolve()
    if not program.is_file():
        print(f"{program} is missing: make build", file=sys.stderr)
        return 3
    print("| start | steps, H per band: good / bad | converged | difference, Ha | changes of method |")
    print("|---|---|---|---|---|", flush=True)
    good: dict[str, dict] = {}
    with tempfile.TemporaryDirectory(prefix="bad_starts_") as scratch:
        for number, start in enumerate(STARTS):
            if start.system not in wanted:
                continue
            if start.system not in good:
                good[start.system] = run(program, Start("", start.system), Path(scratch, start.system))
            print(row(start, good[start.system], run(program, start, Path(scratch, str(number)))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
