#!/usr/bin/env python3
"""What `wavegrid plan` predicts, compared with runs on this computer.

    make study-plan
    .venv/bin/python benchmarks/plan/run.py --cases Al32,Si8 --ranks 1,2

The network is this computer, measured by `wavegrid bench machine` with as many ranks. More ranks than cores share the
cores: their computing is predicted as many times longer, and these rows are marked. Nothing else may run meanwhile.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from wavegrid.job import time_estimate
from wavegrid.process import machine

COMMAND = [str(Path(sys.executable).parent / "wavegrid")]
ALUMINIUM = """
[structure]
cell = [[7.6533909,0,0],[0,7.6533909,0],[0,0,7.6533909]]
unit = "bohr"
atoms = [["Al",0,0,0],["Al",0,0.5,0.5],["Al",0.5,0,0.5],["Al",0.5,0.5,0]]
coordinates = "fractional"
supercell = [{cells}]
[basis]
ecut = "8.8309 Ha"
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
bands = {bands}
kpoints = {{ mesh = [{mesh}] }}
smearing = {{ kind = "fermi-dirac", width = "0.00735 Ha" }}
[scf]
energy_tolerance = "1e-7 Ha"
"""
SILICON = """
[structure]
cell = [[10.26,0,0],[0,10.26,0],[0,0,10.26]]
unit = "bohr"
atoms = [["Si",0,0,0],["Si",0.5,0.5,0],["Si",0.5,0,0.5],["Si",0,0.5,0.5],
  ["Si",0.25,0.25,0.25],["Si",0.75,0.75,0.25],["Si",0.75,0.25,0.75],["Si",0.25,0.75,0.75]]
coordinates = "fractional"
supercell = [{cells}]
[basis]
ecut = "{ecut} Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = [{mesh}] }}
"""
CASES = {
    "Al108": ALUMINIUM.format(cells="3,3,3", bands=217, mesh="1,1,1"),
    "Al32": ALUMINIUM.format(cells="2,2,2", bands=85, mesh="1,1,1"),
    "Al4, 4x4x4 k": ALUMINIUM.format(cells="1,1,1", bands=14, mesh="4,4,4"),
    "Si8, 3x3x3 k": SILICON.format(cells="1,1,1", ecut=15, mesh="3,3,3"),
    "Si64": SILICON.format(cells="2,2,2", ecut=12, mesh="1,1,1"),
}


@dataclass(frozen=True)
class Row:
    """A run and its prediction, seconds."""

    case: str
    ranks: int
    shared: float  # ranks on a core
    predicted: float
    measured: float
    steps: int


def main() -> int:
    """Run all cases on all numbers of ranks and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=";".join(CASES), help="names with ; between")
    parser.add_argument("--ranks", default="1,2,4,16")
    parser.add_argument("--repeats", type=int, default=3, help="predictions and runs, in turn; their medians count")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    print(f"{'case':<14} {'ranks':>5} {'predicted':>10} {'measured':>9} {'ratio':>6} {'steps':>6}")
    rows = []
    for case in arguments.cases.split(";"):
        for ranks in map(int, arguments.ranks.split(",")):
            row = compare(case, ranks, arguments.repeats)
            rows.append(row)
            label = " (ranks share cores)" if row.shared > 1 else ""
            print(
                f"{case:<14} {ranks:>5} {row.predicted:>10.2f} {row.measured:>9.2f} "
                f"{row.predicted / row.measured:>6.2f} {row.steps:>6}{label}",
                flush=True,
            )
    if arguments.json:
        arguments.json.write_text(json.dumps([vars(row) for row in rows], indent=1) + "\n")
    return 0


def compare(case: str, ranks: int, repeats: int) -> Row:
    """Return prediction and run of a case."""
    cores = machine.usable_cores()
    shared = max(1.0, ranks / cores)
    with tempfile.TemporaryDirectory() as folder:
        file, network = Path(folder) / "input.toml", Path(folder) / "machine.toml"
        file.write_text(CASES[case])
        answer("bench", "machine", "--ranks", max(2, ranks), "--repeats", 5, "--out", network, "--json")
        predictions, times = [], []
        for _ in range(repeats):
            (row,) = answer("plan", file, "--nodes", 1, "--cores", ranks, "--network", network, "--json")["rows"]
            computing = row["computing"] - time_estimate.start(ranks, ranks)
            predictions.append(time_estimate.start(ranks, cores) + computing * shared + row["communication"])
            start = time.monotonic()
            result = answer("run", file, "--ranks", ranks, "--output", Path(folder) / "out", "--json")
            times.append(time.monotonic() - start)
    return Row(case, ranks, shared, median(predictions), median(times), result["scf_steps"])


def answer(*words: object) -> dict:
    """Return what a command prints as JSON."""
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}:\n{done.stderr}")
    return dict(json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
