"""GPAW's datasets in wavegrid and in GPAW's plane waves: equations of state, and the energy of a reaction."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from comparing import TIGHT
from inputs import scaled, text_of, with_tolerance
from other_codes import NICE, run_wavegrid
from processes import MissingError, RunError, run_environment

from wavegrid.results import equation_of_state
from wavegrid.units import HARTREE_IN_EV, HARTREE_PER_BOHR3_IN_GPA

PYTHON = "/usr/bin/python3"  # GPAW is a package of Debian
FACTORS = (0.98, 0.99, 1.0, 1.01, 1.02)  # of all lengths
REACTION = ({"si": -1, "diamond": -1, "sic": 2}, "Si + C -> SiC")  # coefficients of energies per atom of 2 atoms
HEAD = "system | V0 (bohr^3), GPAW's | difference | B0 (GPa), GPAW's"


def gpaw(text: str, timeout: float) -> list[float]:
    """Return GPAW's free energies (Ha) of the geometries of an input."""
    if subprocess.run([PYTHON, "-c", "import gpaw"], capture_output=True, check=False).returncode:
        raise MissingError("GPAW is missing: apt-get install gpaw gpaw-data")
    case = tomllib.loads(text)
    cells = [tomllib.loads(scaled(text, factor))["structure"]["cell"] for factor in FACTORS]
    shared = {"atoms": case["structure"]["atoms"], "mesh": case["electrons"]["kpoints"]["mesh"]}
    width = case["electrons"].get("smearing", {}).get("width")
    given = {
        "ecut": float(case["basis"]["ecut"].split()[0]),
        "width": width and float(width.split()[0]),
        "cases": [shared | {"cell": cell} for cell in cells],
    }
    done = subprocess.run(
        [*NICE, PYTHON, str(Path(__file__).with_name("gpaw_run.py"))],
        input=json.dumps(given),
        env=run_environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    if done.returncode:
        raise RunError(done.stderr[-1500:])
    energies: list[float] = json.loads(done.stdout)
    return energies


def row(name: str, folders: list[Path], timeout: float) -> dict[str, Any]:
    """Return energies (Ha) and fits of both codes."""
    text = text_of("gpaw_systems", name, folders)
    volume = abs(np.linalg.det(np.array(tomllib.loads(text)["structure"]["cell"])))
    found: dict[str, Any] = {"system": name, "input": text, "atoms": len(tomllib.loads(text)["structure"]["atoms"])}
    found["volumes"] = [volume * factor**3 for factor in FACTORS]
    with TemporaryDirectory(prefix="paw_") as place:
        found["ours"] = [
            run_wavegrid(with_tolerance(scaled(text, factor), TIGHT), Path(place), timeout).found.energies["free"]
            for factor in FACTORS
        ]
    found["gpaw"] = gpaw(text, timeout)
    for code in ("ours", "gpaw"):
        fit = equation_of_state.fit(np.array(found["volumes"]), np.array(found[code]))
        if fit is None:
            raise RunError(f"{name}: no equation of state through {found[code]}")
        found[f"{code}_fit"] = {"volume": fit.volume, "energy": fit.energy, "bulk_modulus": fit.bulk_modulus}
    return found


def cells(found: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    (ours, theirs) = (found[f"{code}_fit"] for code in ("ours", "gpaw"))
    moduli = ", ".join(f"{fit['bulk_modulus'] * HARTREE_PER_BOHR3_IN_GPA:.2f}" for fit in (ours, theirs))
    volumes = f"{ours['volume']:.3f}, {theirs['volume']:.3f}"
    return [found["system"], volumes, f"{ours['volume'] / theirs['volume'] - 1:.3%}", moduli]


def summary(rows: list[dict[str, Any]]) -> str:
    """Return the energy of the reaction in both codes."""
    by_name = {row["system"]: row for row in rows}
    coefficients, title = REACTION
    if set(coefficients) - set(by_name):
        return ""
    energies = [
        sum(
            count * by_name[name][f"{code}_fit"]["energy"] / by_name[name]["atoms"]
            for name, count in coefficients.items()
        )
        for code in ("ours", "gpaw")
    ]
    return f"{title}: {energies[0] * HARTREE_IN_EV:.5f} eV, GPAW's {energies[1] * HARTREE_IN_EV:.5f} eV"
