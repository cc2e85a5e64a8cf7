"""Energy as a function of volume by wavegrid and ABINIT at the same cutoff, grid and mesh, with the same fit."""

from __future__ import annotations

import numpy as np
from ase.eos import EquationOfState
from calculations import changed, each, markdown, reference, run, stored

AGREEMENT = 1e-7  # Ha per atom
GPA = 29421.02648438959  # of 1 Ha/bohr^3


def scaled(case: dict, factor: float) -> dict:
    """Return the case with `factor` times its volume."""
    cell = (np.array(case["structure"]["cell"]) * factor ** (1 / 3)).tolist()
    return changed(case, structure={"cell": cell})


def fit(volumes: list[float], energies: list[float]) -> dict:
    """Return the lattice constant of the cubic cell (bohr) and the bulk modulus (GPa) of a primitive fcc cell."""
    volume, energy, bulk = EquationOfState(volumes, energies, eos="birchmurnaghan").fit(warn=False)
    return {"lattice_constant": (4 * volume) ** (1 / 3), "bulk_modulus": bulk * GPA, "energy": energy}


def study(jobs: int) -> dict:
    """Run both crystals at all volumes."""
    crystals = {}
    for name in ("al1_eos", "si2_eos"):
        case, known = stored(name), reference(name)
        atoms = len(case["structure"]["atoms"])
        points = known["volumes"]
        volumes = [point["volume_bohr3"] for point in points]
        theirs = [point["energies_Ha"]["free"] for point in points]
        results = each(run, [scaled(case, point["volume_scale"]) for point in points], jobs)
        ours = [result["energy"]["free"] for result in results]
        crystals[name] = {
            "volumes": volumes,
            "ours_Ha": ours,
            "abinit_Ha": theirs,
            "largest_per_atom_Ha": max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) / atoms,
            "ours": fit(volumes, ours),
            "abinit": fit(volumes, theirs),
        }
    worst = max(crystal["largest_per_atom_Ha"] for crystal in crystals.values())
    return {"crystals": crystals, "worst_Ha": worst, "agrees": worst < AGREEMENT}


def show(answer: dict) -> str:
    """Return the lattice constants and moduli, and the energies of every volume."""
    rows, points = [], []
    for name, crystal in answer["crystals"].items():
        for code in ("ours", "abinit"):
            found = crystal[code]
            rows.append([name, code, f"{found['lattice_constant']:.7f}", f"{found['bulk_modulus']:.5f}"])
        rows[-1].append(f"{crystal['largest_per_atom_Ha']:.1e}")
        rows[-2].append("")
        for volume, ours, theirs in zip(crystal["volumes"], crystal["ours_Ha"], crystal["abinit_Ha"], strict=True):
            points.append([name, f"{volume:.4f}", f"{ours:.10f}", f"{theirs:.10f}", f"{ours - theirs:.1e}"])
    return "\n\n".join(
        [
            markdown("crystal | code | a0 (bohr) | bulk modulus (GPa) | largest difference (Ha/atom)", rows),
            markdown("crystal | volume (bohr^3) | ours (Ha/cell) | ABINIT | difference", points),
        ]
    )
