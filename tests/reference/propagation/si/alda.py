"""The dielectric function of silicon by GPAW 22.8, PAW: independent particles, RPA and adiabatic LDA with local fields.

    /usr/bin/python3 alda.py

Writes alda.json: energies (eV), Re and Im of epsilon along z, half width 0.3 eV. A mesh of even counts is shifted by
half a step: the 64 k-points of si.toml.
"""

import json

import numpy as np
from ase import Atoms
from ase.units import Bohr
from gpaw import GPAW, PW, FermiDirac
from gpaw.response.df import DielectricFunction

cell = 5.13 * Bohr * (np.ones((3, 3)) - np.eye(3))
atoms = Atoms("Si2", scaled_positions=[[0, 0, 0], [0.25] * 3], cell=cell, pbc=True)
atoms.calc = GPAW(
    mode=PW(300),
    xc="LDA",
    kpts=(4, 4, 4),
    nbands=40,
    occupations=FermiDirac(0.001),
    convergence={"bands": 32, "density": 1e-8},
    txt="ground.txt",
)
atoms.get_potential_energy()
atoms.calc.write("si.gpw", mode="all")
energies = np.arange(0.05, 12.001, 0.05)
found = {}
for xc in ("RPA", "ALDA"):
    options = {"frequencies": energies, "hilbert": False, "eta": 0.3, "ecut": 80, "nbands": 32}
    response = DielectricFunction("si.gpw", **options, txt=f"{xc}.txt")
    bare, local = response.get_dielectric_function(xc=xc, direction="z", filename=None)
    found["independent"] = [energies.tolist(), bare.real.tolist(), bare.imag.tolist()]
    found[xc.lower()] = [energies.tolist(), local.real.tolist(), local.imag.tolist()]
with open("alda.json", "w") as file:
    json.dump(found, file)
