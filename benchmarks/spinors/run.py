#!/usr/bin/env python3
"""Spinors compared with pw.x on the same files, and with collinear spin: steps, applications of H, time of one rank.

    .venv/bin/python benchmarks/spinors/run.py --potentials FOLDER          # FOLDER has PseudoDojo's files, for GaAs
    .venv/bin/python benchmarks/spinors/run.py --part collinear
    .venv/bin/python benchmarks/spinors/run.py --systems fept --scf 'eigensolver = "davidson"'

`systems` has the inputs of both codes. Potentials are those of ld1.x, which makes them from
`tests/reference/spinors`, of Debian's quantum-espresso-data, or of a folder. Seconds are those of the processors for
whole processes, ours with Python, codes in turns, so that a machine with other work will do. Exit code 1 where nothing
ran.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "benchmarks" / "common")]
from other_codes import require  # noqa: E402
from processes import MissingError, Process, RunError, timed  # noqa: E402

SYSTEMS = Path(__file__).parent / "systems"
LD1 = ROOT / "tests" / "reference" / "spinors"
DEBIAN = Path("/usr/share/espresso/pseudo")
WAVEGRID = ROOT / ".venv" / "bin" / "wavegrid"
COLLINEAR = ("fept", "iron", "mnau", "pb")
HEADS = {
    "pwx": "system | k-points | energy per atom, ours - pw.x (Ha) | steps | H per band | CPU time (s) | ratio",
    "collinear": "system | collinear, spinors: steps | H per band | CPU time of a step (s) | ratio of steps, of times",
}


def make_potential(name: str, folder: Path, given: list[Path]) -> None:
    """Put a file into the folder: of those given, of Debian, or by ld1.x; raises MissingError."""
    for place in (*given, DEBIAN, SYSTEMS):
        if (place / name).is_file():
            shutil.copy(place / name, folder)
            return
    source = LD1 / f"{name.split('.')[0]}.ld1"
    program = shutil.which("ld1.x")
    if not source.is_file() or program is None:
        raise MissingError(f"{name} is missing: give --potentials FOLDER, or apt-get install quantum-espresso")
    with source.open() as text:
        subprocess.run([program], stdin=text, cwd=folder, stdout=subprocess.DEVNULL, check=True)


def with_potentials(text: str, folder: Path, given: list[Path]) -> None:
    """Make all files of an input of ours; those of our tables stay names."""
    for name in tomllib.loads(text)["electrons"]["pseudopotentials"].values():
        if not name.startswith("gth"):
            make_potential(name, folder, given)
        else:
            shutil.copy(SYSTEMS / "Cr.gth", folder)


def run_ours(text: str, folder: Path, timeout: float) -> tuple[dict[str, Any], Process]:
    """Return the result and the process."""
    (folder / "in.toml").write_text(text)
    process = timed([str(WAVEGRID), "run", "in.toml", "--ranks", "1", "--output", "out"], folder, timeout)
    result: dict[str, Any] = json.loads((folder / "out" / "result.json").read_text())
    return result, process


def applications(result: dict[str, Any]) -> float:
    """Return those of H for each band of each k-point and spin."""
    levels = result["eigenvalues"]
    return float(result["h_applications"] / sum(len(bands) for spin in levels for bands in spin))


def with_scf(text: str, line: str) -> str:
    """Return an input with one more line in [scf]."""
    return text.replace("[scf]\n", f"[scf]\n{line}\n") if line else text


def row_pwx(name: str, arguments: argparse.Namespace, folder: Path) -> list[str]:
    """Return the cells of a system in both codes."""
    text = with_scf((SYSTEMS / f"{name}.toml").read_text(), arguments.scf)
    with_potentials(text, folder, arguments.potentials)
    shutil.copy(SYSTEMS / f"{name}.pwi", folder)
    program, seconds = require("pw.x"), ([], [])
    for _ in range(arguments.repeats):
        result, process = run_ours(text, folder, arguments.timeout)
        theirs = timed([program, "-in", f"{name}.pwi"], folder, arguments.timeout)
        seconds[0].append(process.cpu)
        seconds[1].append(theirs.cpu)
    energy = re.search(r"^!\s+total energy\s+=\s+(\S+) Ry", theirs.output, re.M)
    steps = re.search(r"convergence has been achieved in\s+(\d+) iterations", theirs.output)
    if not energy or not steps:
        raise RunError("pw.x did not converge")
    difference = (result["energy"]["free"] - float(energy[1]) / 2) / len(result["structure"]["species"])
    ours, other = min(seconds[0]), min(seconds[1])
    return [
        name, str(len(result["kpoints"])), f"{difference:.1e}", f"{result['scf_steps']}, {steps[1]}",
        f"{applications(result):.0f}", f"{ours:.1f}, {other:.1f}", f"{ours / other:.2f}",
    ]  # fmt: skip


def collinear(text: str) -> str:
    """Return the input with collinear spin in place of spinors along z, and half of the bands."""
    text = re.sub(r"^bands = (\d+)", lambda match: f"bands = {int(match[1]) // 2}", text, flags=re.M)
    text = re.sub(r"^(initial_.*)$", lambda match: re.sub(r"\[0, 0, (-?[\d.]+)\]", r"\1", match[1]), text, flags=re.M)
    return text.replace("spin_orbit = true\n", "").replace("noncollinear", "collinear")


def row_collinear(name: str, arguments: argparse.Namespace, folder: Path) -> list[str]:
    """Return the cells of a system with spinors and with collinear spin."""
    text = with_scf((SYSTEMS / f"{name}.toml").read_text(), arguments.scf)
    with_potentials(text, folder, arguments.potentials)
    one_step = with_scf(text, "max_steps = 1")
    cells = []
    for make in (collinear, str):
        result, process = run_ours(make(text), folder, arguments.timeout)
        start = timed_start(make(one_step), folder, arguments.timeout)
        steps = result["scf_steps"]
        cells.append((steps, applications(result), (process.cpu - start) / (steps - 1)))
    (steps, count, time), (more_steps, more, longer) = cells
    return [
        name, f"{steps}, {more_steps}", f"{count:.0f}, {more:.0f}", f"{time:.2f}, {longer:.2f}",
        f"{more_steps / steps:.2f}, {longer / time:.1f}",
    ]  # fmt: skip


def timed_start(text: str, folder: Path, timeout: float) -> float:
    """Return the CPU time of a run that ends after one step."""
    (folder / "start.toml").write_text(text)
    return timed([str(WAVEGRID), "run", "start.toml", "--ranks", "1"], folder, timeout, codes=(0, 1)).cpu


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=tuple(HEADS), default="pwx")
    parser.add_argument("--systems", type=lambda text: text.split(","), metavar="A,B", help="default: all")
    parser.add_argument("--potentials", type=Path, nargs="*", default=[], metavar="FOLDER")
    parser.add_argument("--repeats", type=int, default=1, help="of which the fastest counts (default: 1)")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds for a run")
    parser.add_argument("--scf", default="", metavar="LINE", help="a line for [scf] of our inputs")
    arguments = parser.parse_args()
    rows: dict[str, Callable[[str, argparse.Namespace, Path], list[str]]] = {"pwx": row_pwx, "collinear": row_collinear}
    names = sorted(path.stem for path in SYSTEMS.glob("*.toml")) if arguments.part == "pwx" else COLLINEAR
    head, done = HEADS[arguments.part], 0
    print(f"| {head} |\n|{'---|' * (head.count('|') + 1)}", flush=True)
    for name in [one for one in names if not arguments.systems or one in arguments.systems]:
        with tempfile.TemporaryDirectory(prefix="spinors_") as place:
            try:
                print(f"| {' | '.join(rows[arguments.part](name, arguments, Path(place)))} |", flush=True)
                done += 1
            except (MissingError, RunError) as fault:
                print(f"{name}: left out: {fault}", file=sys.stderr, flush=True)
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
