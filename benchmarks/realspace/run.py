#!/usr/bin/env python3
"""Meshes in real space compared with plane waves of the same accuracy, and with GPAW's finite differences.

    make study-realspace                         # Si64, Al108 and benzene on one rank
    .venv/bin/python benchmarks/realspace/run.py --cases si64,benzene --repeats 3 --json realspace.json
    .venv/bin/python benchmarks/realspace/run.py --cases accuracy --systems si2,lih --coarsest 2

Si64 and Al108 (Gamma): a mesh and plane waves, both within about 1e-4 Ha per atom of converged plane waves of the cubic
cell with the k-points that fold to Gamma, where the same errors are computed. Benzene (free boundaries, 0.333 bohr):
whole runs of wavegrid and GPAW with the same cell and points, in turn; GPAW (Debian: gpaw) has its own potentials and
its default criteria, wavegrid ends at 1e-4 Ha. It is left out, with a line that says so, where GPAW is missing.
accuracy (only on request: hours): the errors of seven systems at several spacings, with atoms on and between points.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks" / "common"))
import accuracy  # noqa: E402
from processes import Process, timed  # noqa: E402

FCC = accuracy.FCC
BOHR = 0.529177210903  # angstrom
SPACING = 0.3333  # bohr, of benzene
TIMEOUT = 3600
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n"]
WAVEGRID = str(ROOT / ".venv" / "bin" / "wavegrid")

GPAW = """
import json
from ase import Atoms
from gpaw import GPAW
case = json.load(open("case.json"))
atoms = Atoms(case["symbols"], case["positions"], cell=case["cell"], pbc=False)
atoms.calc = GPAW(mode="fd", h=case["spacing"], xc="LDA", txt="gpaw.txt")
atoms.get_potential_energy()
print(*atoms.calc.wfs.gd.N_c)
"""


@dataclasses.dataclass
class Crystal:
    """A cubic cell, repeated, and the bases in which it is computed."""

    element: str
    side: float  # bohr
    sites: list[list[float]]
    repeats: int
    bases: dict[str, str]
    converged: str
    electrons: str = ""

    def text(self, basis: str, repeats: int) -> str:
        """Return the input of the cell repeated so often, with the k-points that fold to Gamma of `self.repeats`."""
        kpoints = self.repeats // repeats
        atoms = [[self.element, *site] for site in self.sites]
        cell = [[self.side if i == j else 0 for j in range(3)] for i in range(3)]
        return f"""[structure]
cell = {cell}
unit = "bohr"
coordinates = "fractional"
atoms = {json.dumps(atoms)}
supercell = {[repeats] * 3}
[basis]
{basis}
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = {[kpoints] * 3} }}
{self.electrons}
"""


CRYSTALS = {
    "si64": Crystal(
        "Si",
        10.26,
        FCC + [[x + 0.25 for x in site] for site in FCC],
        2,
        {"mesh": 'method = "realspace"\nspacing = "0.4276 bohr"', "plane waves": 'ecut = "22 Ha"'},
        'ecut = "50 Ha"',
    ),
    "al108": Crystal(
        "Al",
        7.6533909,
        FCC,
        3,
        {"mesh": 'method = "realspace"\nspacing = "0.4252 bohr"', "plane waves": 'ecut = "19 Ha"'},
        'ecut = "35 Ha"',
        'smearing = { kind = "fermi-dirac", width = "0.00735 Ha" }',
    ),
}


def run(text: str, folder: Path, ranks: int = 1) -> tuple[Process, dict[str, Any]]:
    """Run one input. Raises RunError if it does not converge."""
    (folder / "in.toml").write_text(text)
    process = timed([WAVEGRID, "run", "in.toml", "--ranks", str(ranks), "--quiet", "--output", "out"], folder, TIMEOUT)
    result: dict[str, Any] = json.loads((folder / "out" / "result.json").read_text())
    return process, result


def check(text: str, folder: Path) -> dict[str, Any]:
    """Return what `wavegrid check --json` prints for one input."""
    (folder / "in.toml").write_text(text)
    figures: dict[str, Any] = json.loads(timed([WAVEGRID, "check", "in.toml", "--json"], folder, TIMEOUT).output)
    return figures


def compare_crystal(name: str, folder: Path) -> list[dict[str, Any]]:
    """Print and return one row per basis."""
    crystal = CRYSTALS[name]
    atoms = len(crystal.sites)
    reference = run(crystal.text(crystal.converged, 1), folder)[1]["energy"]["free"]
    rows = []
    for basis, keys in crystal.bases.items():
        small = run(crystal.text(keys, 1), folder)[1]["energy"]["free"]
        process, result = run(crystal.text(keys, crystal.repeats), folder)
        error = (small - reference) / atoms
        rows.append(
            {
                "case": name,
                "basis": basis,
                "keys": keys,
                "error_per_atom": error,
                "cpu": process.cpu,
                "wall": process.elapsed,
                "mib": process.peak_mib,
                "predicted_mib": result["memory"]["predicted_mib_per_rank"],
                "steps": result["scf_steps"],
            }
        )
        print(
            f"{name:8} {basis:12} {1e4 * error:6.2f}e-4 Ha/atom  {process.cpu:7.1f} s CPU {process.elapsed:7.1f} s wall"
            f" {process.peak_mib:6.0f} MiB  {result['scf_steps']} steps",
            flush=True,
        )
    print(f"{name:8} mesh / plane waves: {rows[0]['cpu'] / rows[1]['cpu']:.1f} in CPU time")
    return rows


def benzene() -> tuple[str, dict[str, Any]]:
    """Return wavegrid's input and GPAW's case: the molecule in the middle of a cell of 18 x 18 x 12 bohr."""
    structure = tomllib.loads((ROOT / "examples" / "benzene_mesh.toml").read_text())["structure"]
    edges = [18.0, 18.0, 12.0]
    places = [atom[1:] for atom in structure["atoms"]]
    middle = [(min(along) + max(along)) / 2 for along in zip(*places, strict=True)]
    atoms = [
        [atom[0], *(x - m + edge / 2 for x, m, edge in zip(place, middle, edges, strict=True))]
        for atom, place in zip(structure["atoms"], places, strict=True)
    ]
    text = f"""[structure]
cell = [[18, 0, 0], [0, 18, 0], [0, 0, 12]]
unit = "bohr"
coordinates = "cartesian"
atoms = {json.dumps(atoms)}
[basis]
method = "realspace"
spacing = "{SPACING} bohr"
boundary = "free"
region = {{ kind = "cell" }}
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
[scf]
energy_tolerance = "1e-4 Ha"
"""
    case = {
        "symbols": [atom[0] for atom in atoms],
        "positions": [[x * BOHR for x in atom[1:]] for atom in atoms],
        "cell": [edge * BOHR for edge in edges],
        "spacing": SPACING * BOHR,
    }
    return text, case


def compare_gpaw(ranks: int, repeats: int, folder: Path) -> list[dict[str, Any]]:
    """Print and return medians of both programs on so many ranks, run in turn."""
    python = "/usr/bin/python3"  # Debian's, which has Debian's GPAW
    if subprocess.run([python, "-c", "import gpaw"], capture_output=True, check=False).returncode != 0:
        print("benzene  left out: Debian's gpaw is not installed")
        return []
    text, case = benzene()
    (folder / "case.json").write_text(json.dumps(case))
    (folder / "case.py").write_text(GPAW)
    processes: dict[str, list[Process]] = {"wavegrid": [], "GPAW": []}
    for _ in range(repeats):
        processes["wavegrid"].append(run(text, folder, ranks)[0])
        processes["GPAW"].append(timed([*MPIRUN, str(ranks), python, "case.py"], folder, TIMEOUT))
    rows = []
    for code, several in processes.items():
        row = {
            "case": "benzene",
            "code": code,
            "ranks": ranks,
            "cpu": statistics.median(one.cpu for one in several),
            "wall": statistics.median(one.elapsed for one in several),
            "mib": max(one.peak_mib for one in several),
        }
        rows.append(row)
        times = f"{row['cpu']:7.1f} s CPU {row['wall']:7.1f} s wall {row['mib']:6.0f} MiB"
        print(f"benzene  {code:12} {ranks} ranks {times}", flush=True)
    ratios = " and ".join(f"{rows[0][name] / rows[1][name]:.2f} in {name} time" for name in ("cpu", "wall"))
    print(f"benzene  wavegrid / GPAW: {ratios}, medians of {repeats}")
    return rows


def chosen(parser: argparse.ArgumentParser, what: str, text: str, valid: list[str]) -> list[str]:
    """Return the names of an option; ends the program for one that is unknown."""
    names = text.split(",")
    if unknown := sorted(set(names) - set(valid)):
        parser.error(f"unknown {what} {unknown[0]!r}; valid: {', '.join(valid)}")
    return names


def main() -> int:
    """Run the chosen cases."""
    standard = [*CRYSTALS, "benzene"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(standard), help="default: all but accuracy")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each program on benzene (default 3)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2], help="of benzene (default 1 2)")
    parser.add_argument("--systems", default=",".join(accuracy.SYSTEMS), help="of accuracy; default: all")
    parser.add_argument("--coarsest", type=int, default=5, help="spacings of each system of accuracy (default 5: all)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    cases = chosen(parser, "case", options.cases, [*standard, "accuracy"])
    systems = chosen(parser, "system", options.systems, [*accuracy.SYSTEMS])
    for name in ("repeats", "coarsest"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} {getattr(options, name)}: at least 1")
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in cases:
            if name == "accuracy":
                rows += accuracy.compare(
                    systems, options.coarsest, lambda text: check(text, folder), lambda text: run(text, folder)[1]
                )
            elif name == "benzene":
                for ranks in options.ranks:
                    rows += compare_gpaw(ranks, options.repeats, folder)
            else:
                rows += compare_crystal(name, folder)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
