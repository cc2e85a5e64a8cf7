"""What the command lines of both studies share."""

import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODES = ("wavegrid", "pwx", "abinit")


def parser(description: str | None, names: list[str], *, tolerance: float, repeats: int) -> argparse.ArgumentParser:
    """Return the parser of the shared options with these defaults; `names`: of the systems."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--systems", default=",".join(names), help="of " + ", ".join(names))
    found.add_argument("--codes", default=",".join(CODES), help="of " + ", ".join(CODES))
    words = f"Ha, asked of every code (default: {tolerance:.0e})"
    found.add_argument("--tolerance", type=float, default=tolerance, help=words)
    words = f"runs of each, the median time counts (default: {repeats})"
    found.add_argument("--repeats", type=int, default=repeats, help=words)
    found.add_argument("--peers", type=Path, help="take the figures of the other codes from this report")
    found.add_argument("--wavegrid", type=Path, default=ROOT / ".venv/bin/wavegrid", help="our command")
    found.add_argument("--timeout", type=float, default=600, help="seconds per run (default: 600)")
    found.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    return found


def parsed(of: argparse.ArgumentParser, names: list[str]) -> argparse.Namespace:
    """Return the arguments with systems and codes as lists; ends with exit code 2 where one is unknown."""
    arguments = of.parse_args()
    arguments.systems, arguments.codes = arguments.systems.split(","), arguments.codes.split(",")
    for given, valid in ((arguments.systems, names), (arguments.codes, CODES)):
        if unknown := set(given) - set(valid):
            of.error(f"unknown: {', '.join(sorted(unknown))}; valid: {', '.join(valid)}")
    return arguments
