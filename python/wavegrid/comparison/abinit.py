"""The main output of ABINIT, for comparisons; Ha and bohr."""

import re
from typing import Any

from wavegrid.comparison import functionals
from wavegrid.comparison.calculation import Calculation, Matrix
from wavegrid.comparison.numbers import first, numbers

_TERMS = {
    "kinetic": "kinetic",
    "hartree": "hartree",
    "xc": "xc",
    "ewald": "Ewald energy",
    "local_g0": "psp_core",
    "local": "local_psp",
    "nonlocal": "non_local_psp",
    "smearing": r"'?-kT\*entropy'?",
    "internal": "internal",
    "free": "total_energy",
}
# By occopt. 4 and 5 are the cubic functions of Marzari's thesis, not our cold smearing.
_SMEARING = {
    "3": "fermi-dirac",
    "4": "marzari (a = -0.5634)",
    "5": "marzari (a = -0.8165)",
    "6": "methfessel-paxton",
    "7": "gaussian",
}


def is_output(text: str) -> bool:
    """Whether a text is an output of ABINIT."""
    return "of ABINIT" in text[:2000]


def parse(text: str, file: str) -> Calculation:
    """Return the calculation; of several data sets the last."""
    version = first(r"Version\s+(\S+)\s+of ABINIT", text) or ""
    found = Calculation(file, f"ABINIT {version}".strip())
    terms, summary = _block(text, "EnergyTerms"), _block(text, "ResultsGS")
    found.energies = {
        name: float(value)
        for name, label in _TERMS.items()
        if (value := first(rf"^{label}\s*:\s*(\S+)", terms)) is not None
    }
    if "free" in found.energies:
        found.energies.setdefault("internal", found.energies["free"])
        found.energies.setdefault("smearing", 0.0)
    if fermi := first(r"^fermie\s*:\s*(\S+)", summary):
        found.fermi = float(fermi)
    found.forces = _rows(summary, "cartesian_forces")
    found.stress = _rows(summary, "cartesian_stress_tensor")
    found.kpoints, found.eigenvalues = _bands(text)
    steps = re.findall(r"^ ETOT\s*(\d+)\s", text, re.M)
    found.steps = int(steps[-1]) if steps else None
    found.converged = re.search(r"At SCF step.*\n?.*(?:second time|converged)", text) is not None
    if seconds := first(r"^\+Overall time at end \(sec\)\s*:.*wall=\s*(\S+)", text):
        found.seconds = float(seconds)
    _settings(found, text)
    return found


def _settings(found: Calculation, text: str) -> None:
    echo = text[text.find("outvars: echo values of preprocessed") :].partition("chkinp")[0]

    def variable(name: str) -> str:
        return first(rf"^[-P\s]*{name}\d?\s+(\S.*?)\s*$", echo) or ""

    found.atoms = int(variable("natom") or 1)
    occupations = variable("occopt")
    given: dict[str, Any] = {
        "functional": functionals.of_abinit(variable("ixc")),
        "cutoff (Ha)": next(iter(numbers(variable("ecut"))), None),
        "k-points": len(found.kpoints),
        "bands": int(numbers(variable("nband"))[0]) if variable("nband") else None,
        "FFT grid": [int(n) for n in numbers(variable("ngfft"))[:3]] or None,
        "smearing": _SMEARING.get(occupations, "none"),
    }
    if given["smearing"] != "none":
        given["smearing width (Ha)"] = next(iter(numbers(variable("tsmear"))), 0.01)
    found.settings = {name: value for name, value in given.items() if value not in (None, "")}


def _block(text: str, name: str) -> str:
    """Return the last YAML document of a kind."""
    start = text.rfind(f"--- !{name}")
    return "" if start < 0 else text[start : text.find("\n...", start)]


def _rows(block: str, name: str) -> Matrix | None:
    match = re.search(rf"^{name}\s*:[^\n]*\n((?:- \[.*\n)+)", block + "\n", re.M)
    return [numbers(row) for row in match[1].splitlines()] if match else None


def _bands(text: str) -> tuple[Matrix, list[Matrix]]:
    """Return k-points and eigenvalues by spin, k-point and band, Ha."""
    points: Matrix = []
    spins: list[Matrix] = []
    for part in re.split(r"^ Eigenvalues \(hartree\) for nkpt=", text, flags=re.M)[1:]:
        found = re.findall(r"kpt=([^(]*)\(reduced coord\)\n((?: +-?[\d.].*\n)+)", part)
        points = [numbers(point) for point, _ in found]
        levels = [numbers(rows) for _, rows in found]
        spins = [*spins, levels] if "SPIN DOWN" in part.partition("\n")[0] else [levels]
    return points, spins
