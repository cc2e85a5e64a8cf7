#!/usr/bin/env python3
"""Spectra next to those of other codes: inputs and references of tests/reference/propagation.

    .venv/bin/python benchmarks/propagation/spectra.py                       # all
    .venv/bin/python benchmarks/propagation/spectra.py --systems si --plots docs/lab/plots
    .venv/bin/python benchmarks/propagation/spectra.py --keep DIR            # keeps results, and uses those in DIR

Crystals: the dielectric function from the current after a kick, damped by exp(-t 0.3 eV), next to that of independent
particles and of the adiabatic LDA. Molecules: lines of Casida's equation in plane waves and on a mesh with equal bands,
and of propagation. sih4: the dipole, its error by the step, and CPU time for a femtosecond. The potentials of ch4, co
and benzene are made by ld1.x of Quantum ESPRESSO (the inputs are there); H.pz-vbc.UPF and Si.pz-vbc.UPF are looked for
in --pseudopotentials.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from wavegrid.files.propagation import Propagated, read
from wavegrid.spectrum.absorption import absorption
from wavegrid.spectrum.dielectric import dielectric
from wavegrid.units import HARTREE_IN_EV

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tests/reference/propagation"
BROADENING = 0.3  # eV
CRYSTALS = ("si", "si_222", "diamond")
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Runs:
    """Runs inputs in a folder of their own; results that are there are used."""

    def __init__(self, folder: Path, potentials: Path) -> None:
        """Results go to `folder`; potentials that are not made come from `potentials`."""
        self.folder, self.potentials = folder, potentials

    def __call__(self, system: str, name: str) -> Path:
        """Return the folder with the result of an input of the system."""
        place = self.folder / system
        out = place / name
        if (out / "result.json").exists():
            return out
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(REFERENCE / system / f"{name}.toml", place)
        self.make_potentials(system, place)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "wavegrid", "run", f"{name}.toml", "--output", name, "--ranks", "1", "--quiet"]
        subprocess.run(command, cwd=place, check=True, capture_output=True, env=os.environ | ENVIRONMENT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = sum(after[i] - before[i] for i in (0, 1))  # user and system
        (out / "cpu.json").write_text(json.dumps(seconds))
        return out

    def make_potentials(self, system: str, place: Path) -> None:
        """Make or copy the UPF files that the inputs name."""
        for source in sorted((REFERENCE / "co").glob("*.ld1")) if system in ("ch4", "co", "benzene") else []:
            if not (place / f"{source.stem}.soft.UPF").exists():
                with source.open() as text:
                    subprocess.run(["ld1.x"], stdin=text, cwd=place, check=True, capture_output=True)
        for name in ("H.pz-vbc.UPF", "Si.pz-vbc.UPF") if system in ("benzene", "sih4") else ():
            shutil.copy(self.potentials / name, place)


def maxima(energies: np.ndarray, values: np.ndarray, least: float) -> list[tuple[float, float]]:
    """Return places and heights of the maxima above a share of the highest."""
    inner = (values[1:-1] > values[:-2]) & (values[1:-1] >= values[2:]) & (values[1:-1] > least * values.max())
    return [(float(energies[i]), float(values[i])) for i in np.flatnonzero(inner) + 1]


def crystal(name: str, runs: Runs, plots: Path | None) -> None:
    """Print peaks, values at 1 eV and mean differences; draw the curves."""
    reference = json.loads((REFERENCE / name / "reference.json").read_text())
    found = read(runs(name, name))
    curves = {one: np.array(reference[one]) for one in ("independent", "alda") if one in reference}  # eV, Re, Im
    energies = curves["independent"][0]
    ours = dielectric(found, energies / HARTREE_IN_EV, "exponential", BROADENING / HARTREE_IN_EV).epsilon
    curves = {"wavegrid": np.array([energies, ours.real, ours.imag]), **curves}
    for one, values in reference.get("gpaw", {}).items():
        e, real, imaginary = np.array(values)  # of other pseudopotentials: moved to our levels
        curves[f"gpaw_{one}"] = np.array([e + reference["gpaw_shift_eV"], real, imaginary])
    print(f"\n{name}: maxima of Im epsilon (eV: height), Re epsilon at 1 eV, root mean square difference up to 8 eV")
    for label, (e, real, imaginary) in curves.items():
        peaks = ", ".join(f"{place:.2f}: {height:.1f}" for place, height in maxima(e, imaginary, 0.15)[:5])
        low = (e > 1) & (e < 8)
        mine = np.interp(e[low], energies, ours.imag)
        difference = np.sqrt(np.mean((imaginary[low] - mine) ** 2))
        print(f"| {label} | {peaks} | {np.interp(1, e, real):.2f} | {difference:.2f} |")
    if plots is not None:
        draw(plots / f"dielectric-{name}.png", curves)


def draw(path: Path, curves: dict[str, np.ndarray]) -> None:
    """Plot the imaginary parts, and the real ones."""
    from matplotlib.figure import Figure

    names = {
        "wavegrid": "propagation, LDA",
        "independent": "independent particles, ABINIT optic",
        "alda": "adiabatic LDA, turbo_eels",
        "gpaw_alda": "adiabatic LDA, GPAW",
        "gpaw_rpa": "RPA, GPAW",
    }
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for label, (energies, real, imaginary) in curves.items():
        if label not in names:
            continue
        shown = (energies > 0.5) & (energies < 14)
        style = {"color": "C0"} if label == "wavegrid" else {"color": "0.3", "linestyle": "--", "linewidth": 1}
        if label.endswith("alda"):
            style |= {"color": "C1", "linestyle": ":", "linewidth": 2}
        if label == "gpaw_rpa":
            style |= {"color": "C2", "linestyle": "-."}
        left.plot(energies[shown], imaginary[shown], label=names[label], **style)
        right.plot(energies[shown], real[shown], **style)
    left.set_ylabel("Im epsilon")
    right.set_ylabel("Re epsilon")
    for axis in (left, right):
        axis.set_xlabel("eV")
    left.legend(frameon=False, fontsize=7)
    figure.savefig(path, dpi=150)


def bright(folder: Path, axis: str, least: float) -> float:
    """Return the lowest line (eV) of Casida's equation with a strength along an axis above the least."""
    with (folder / "casida.csv").open() as text:
        rows = csv.DictReader(line for line in text if not line.startswith("#"))
        return next(float(row["energy_eV"]) for row in rows if float(row[f"strength_{axis}"]) > least)


def peak(folder: Path, near: float) -> tuple[float, float, float]:
    """Return the peak (eV) next to an energy, what the step lowers it by, and the sum rule of all energies: the current
    just after the kick over that of free electrons, from which nonlocal potentials differ.
    """
    run: Propagated = read(folder)
    energies = np.arange(1, 1001) * 0.02 / HARTREE_IN_EV
    found = absorption([run], energies, "polynomial", 0)
    place = min((one for one, _ in found.peaks(0.02)), key=lambda one: abs(one * HARTREE_IN_EV - near))
    result = json.loads((folder / "result.json").read_text())["propagation"]
    is_midpoint = result["propagator"] == "crank-nicolson"  # exponentials turn a band by its energy, whatever the step
    step = run.columns["time"][1] - run.columns["time"][0]
    assert run.momentum is not None
    free = -run.electrons * np.linalg.norm(run.momentum) / run.volume
    lowered = place * (place * step) ** 2 / 12 if is_midpoint else 0.0
    return place * HARTREE_IN_EV, lowered * HARTREE_IN_EV, float(run.columns["current_x"][0] / free)


def molecule(name: str, runs: Runs) -> None:
    """Print the first line along x of each way."""
    reference = json.loads((REFERENCE / name / "reference.json").read_text())
    print(f"\n{name}: first line along x with a strength above {reference['least']} (eV)")
    if "turbo_davidson" in reference:
        print(f"| turbo_davidson | {reference['turbo_davidson']:.3f} | |")
    for one in reference["casida"]:
        print(f"| {one} | {bright(runs(name, one), 'x', reference['least']):.3f} | |", flush=True)
    for one in reference["propagation"]:
        place, lowered, rule = peak(runs(name, one), reference["near"])
        print(f"| {one} | {place:.3f} + {lowered:.3f} | sum rule {rule:.3f} |", flush=True)


def errors(runs: Runs) -> None:
    """Print steps, errors and CPU times of SiH4, and those of ce-tddft."""
    reference = json.loads((REFERENCE / "sih4/reference.json").read_text())
    signals = {}
    for one in ("exact", "etrs", "magnus4", "midpoint"):
        columns = read(runs("sih4", one)).columns
        signals[one] = np.array(columns["time"]), np.array(columns["dipole_x"]) - columns["dipole_x"][0]
    ground = json.loads((runs("sih4", "ground") / "cpu.json").read_text())
    time, exact = signals["exact"]
    print("\nsih4: error of the dipole, CPU seconds for a femtosecond (without the ground state)")
    for name, (t, dipole) in signals.items():
        late = t > 0.5 * t[-1]
        error = np.sqrt(np.mean((dipole[late] - np.interp(t[late], time, exact)) ** 2)) / np.ptp(exact)
        cpu = json.loads((runs("sih4", name) / "cpu.json").read_text()) - ground
        print(f"| {name} | {error:.1e} | {cpu / reference['time_fs']:.1f} |")
    for step, (error, cpu) in reference["ce_tddft"].items():
        print(f"| ce-tddft, {step} as | {error:.1e} | {cpu:.1f} |")


def main() -> None:
    """Run all, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", default="si,si_222,diamond,ch4,co,benzene,sih4")
    parser.add_argument("--plots", type=Path, help="folder of the plots")
    parser.add_argument("--keep", type=Path, help="folder for results; those in it are used")
    parser.add_argument("--pseudopotentials", type=Path, default=Path("/usr/share/espresso/pseudo"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(given.keep or Path(folder), given.pseudopotentials)
        for system in given.systems.split(","):
            if system in CRYSTALS:
                crystal(system, runs, given.plots)
            elif system == "sih4":
                errors(runs)
            else:
                molecule(system, runs)


if __name__ == "__main__":
    main()
