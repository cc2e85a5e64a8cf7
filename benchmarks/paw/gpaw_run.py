"""Energies of GPAW with plane waves and its own datasets: JSON in, JSON out; runs under Debian's Python.

In: {"ecut": Ha, "width": Ha or null, "cases": [{"cell", "atoms", "mesh", "moments"}]}, bohr and fractional coordinates.
Out: free energies (Ha).
"""

import json
import sys

from ase import Atoms
from ase.units import Bohr, Hartree
from gpaw import GPAW, PW
from gpaw.occupations import FermiDirac

given = json.load(sys.stdin)
energies = []
for case in given["cases"]:
    atoms = Atoms(
        [symbol for symbol, *_ in case["atoms"]],
        scaled_positions=[place for _, *place in case["atoms"]],
        cell=[[x * Bohr for x in row] for row in case["cell"]],
        magmoms=case.get("moments"),
        pbc=True,
    )
    atoms.calc = GPAW(
        mode=PW(given["ecut"] * Hartree),
        xc="PBE",
        kpts={"size": case["mesh"], "gamma": True},
        occupations=FermiDirac((given["width"] or 0) * Hartree),
        convergence={"energy": 1e-7, "density": 1e-7},
        gpts=case.get("grid"),
        txt=None,
    )
    atoms.get_potential_energy(force_consistent=True)
    energies.append(atoms.calc.get_potential_energy(force_consistent=True) / Hartree)
json.dump(energies, sys.stdout)
