#!/usr/bin/env python3
"""GPAW's gap of gallium arsenide at Gamma with hybrid functionals, for gaps.py; run by a Python that has GPAW.

    python3 benchmarks/exact_exchange/gaps_gpaw.py 4 HSE06,PBE0

Bands of PBE on MESH x MESH x MESH points, exchange with the frozen cores' as in the datasets. Prints a JSON object:
the gap in eV by functional.
"""

import json
import sys

from ase.build import bulk
from gpaw import GPAW, PW
from gpaw.hybrids.eigenvalues import non_self_consistent_eigenvalues

mesh = int(sys.argv[1])
atoms = bulk("GaAs", "zincblende", a=5.648)
atoms.calc = GPAW(
    mode=PW(400),
    xc="PBE",
    kpts={"size": (mesh, mesh, mesh), "gamma": True},
    occupations={"name": "fermi-dirac", "width": 0.001},
    convergence={"eigenstates": 1e-9, "bands": "CBM+1.0"},
    txt=None,
)
atoms.get_potential_energy()
top = int(atoms.calc.get_number_of_electrons()) // 2 - 1
gamma = [i for i, k in enumerate(atoms.calc.get_ibz_k_points()) if abs(k).max() < 1e-9]
gaps = {}
for functional in sys.argv[2].split(","):
    bands, pbe, hybrid = non_self_consistent_eigenvalues(atoms.calc, functional, n1=top, n2=top + 2, kpt_indices=gamma)
    bands_of_hybrid = bands - pbe + hybrid
    gaps["PBE"] = bands[0, 0, 1] - bands[0, 0, 0]
    gaps[functional] = bands_of_hybrid[0, 0, 1] - bands_of_hybrid[0, 0, 0]
print(json.dumps(gaps))
