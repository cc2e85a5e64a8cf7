"""The main output of pw.x (Quantum ESPRESSO), for comparisons. Its energies are in Ry, its stress is a pressure."""

import re
from collections.abc import Callable
from typing import Any

from wavegrid.comparison.calculation import Calculation, Matrix
from wavegrid.comparison.functionals import of_espresso
from wavegrid.comparison.numbers import first, numbers
from wavegrid.units import HARTREE_IN_EV

_RY = 0.5  # Ha
_END = "End of self-consistent calculation"
_TERMS = {
    "free": r"^!\s+total energy\s+=\s+(\S+) Ry",
    "internal": r"internal energy E=F\+TS\s+=\s+(\S+) Ry",
    "smearing": r"smearing contrib. \(-TS\)\s+=\s+(\S+) Ry",
    "one-electron": r"one-electron contribution\s+=\s+(\S+) Ry",
    "hartree": r"hartree contribution\s+=\s+(\S+) Ry",
    "xc": r"xc contribution\s+=\s+(\S+) Ry",
    "dispersion": r"DFT-D3 Dispersion\s+=\s+(\S+) Ry",
    "ewald": r"ewald contribution\s+=\s+(\S+) Ry",
}
_SETTINGS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "functional": (r"Exchange-correlation=\s*(.+?)\s*$", of_espresso),
    "k-points": (r"number of k points=\s*(\d+)", int),
    "bands": (r"number of Kohn-Sham states\s*=\s*(\d+)", int),
    "ranks": (r"running on\s+(\d+) processors", int),
}
_SMEARING = {"marzari-vanderbilt": "cold"}
_CLOCK = re.compile(r"^\s*PWSCF\s+:.*CPU\s+(?:(\d+)h)?\s*(?:(\d+)m)?\s*(?:([\d.]+)s)?\s*WALL", re.M)


def is_output(text: str) -> bool:
    """Whether a text is an output of pw.x."""
    return "Program PWSCF" in text


def parse(text: str, file: str) -> Calculation:
    """Return the calculation; of several geometries the last."""
    version = first(r"Program PWSCF v[.]?(\S+)", text) or ""
    found = Calculation(file, f"pw.x {version}".strip())
    found.levels_with_g0 = True
    found.energies = {
        name: float(value) * _RY for name, pattern in _TERMS.items() if (value := first(pattern, text, last=True))
    }
    if "free" in found.energies:
        found.energies.setdefault("internal", found.energies["free"])
        found.energies.setdefault("smearing", 0.0)
    found.converged = "convergence has been achieved" in text
    if steps := first(r"convergence has been achieved in\s+(\d+) iterations", text, last=True):
        found.steps = int(steps)
    if atoms := first(r"number of atoms/cell\s+=\s+(\d+)", text):
        found.atoms = int(atoms)
    end = text[text.rfind(_END) :] if _END in text else ""
    axes = [numbers(row) for row in re.findall(r"^\s*b\(\d\) = \(([^)]*)\)", text, re.M)]
    found.kpoints, found.eigenvalues = _bands(end, axes)
    if fermi := first(r"the Fermi energy is\s+(\S+) ev", end):
        found.fermi = float(fermi) / HARTREE_IN_EV
    forces = re.findall(r"^\s*atom\s+\d+ type\s+\d+\s+force =(.*)$", end, re.M)[: found.atoms]
    found.forces = [[x * _RY for x in numbers(row)] for row in forces] or None
    if table := re.search(r"total\s+stress\s+\(Ry/bohr\*\*3\).*\n((?:.*\n){3})", end):
        found.stress = [[-x * _RY for x in numbers(row)[:3]] for row in table[1].splitlines()]
    if clock := _CLOCK.search(text):
        hours, minutes, seconds = (float(part or 0) for part in clock.groups())
        found.seconds = 3600 * hours + 60 * minutes + seconds
    found.settings = {name: kind(value) for name, (at, kind) in _SETTINGS.items() if (value := first(at, text))}
    if cutoff := first(r"kinetic-energy cutoff\s+=\s+(\S+)\s+Ry", text):
        found.settings["cutoff (Ha)"] = float(cutoff) * _RY
    if grid := first(r"FFT dimensions:\s+\(([^)]*)\)", text):
        found.settings["FFT grid"] = [int(n) for n in grid.split(",")]
    width = first(r"smearing, width \(Ry\)=\s+(\S+)", text)
    kind = (first(r"(\S+) smearing, width", text) or "").lower()
    found.settings["smearing"] = _SMEARING.get(kind, kind) if width else "none"
    if width:
        found.settings["smearing width (Ha)"] = float(width) * _RY
    return found


def _bands(text: str, axes: Matrix) -> tuple[Matrix, list[Matrix]]:
    """Return k-points, in units of the reciprocal vectors, and eigenvalues by spin, k-point and band, Ha."""
    points: Matrix = []
    levels: list[list[float]] = []
    for block in re.finditer(r"k =(.{24}).*bands \(ev\):\s*\n\s*\n((?:[ \t]*-?[\d.].*\n)+)", text):
        points.append(_reduced(numbers(block[1]), axes))
        levels.append([x / HARTREE_IN_EV for x in numbers(block[2])])
    spins = 2 if "SPIN DOWN" in text else 1
    each = len(points) // spins
    return points[:each], [levels[spin * each : (spin + 1) * each] for spin in range(spins)] if each else []


def _reduced(point: list[float], axes: Matrix) -> list[float]:
    """Return a k-point, in units of 2 pi / alat, in units of the reciprocal vectors, which are in the same."""
    import numpy as np

    return np.linalg.solve(np.array(axes).T, point).tolist() if len(axes) == 3 else point
