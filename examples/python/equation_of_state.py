"""Equation of state of aluminium: lattice constant and bulk modulus from energies at seven volumes.

python equation_of_state.py [--quick]
"""

import sys

import numpy as np
from ase.build import bulk
from ase.eos import EquationOfState
from ase.units import GPa
from matplotlib.figure import Figure

from wavegrid.ase import WaveGrid

QUICK = "--quick" in sys.argv  # coarse, to see that it runs

calculator = WaveGrid(
    basis={"ecut": "8 Ha" if QUICK else "15 Ha"},
    electrons={
        "xc": "LDA-PW",
        "pseudopotentials": "gth-lda",
        "smearing": {"kind": "cold", "width": "0.3 eV"},
        "kpoints": {"mesh": [3] * 3 if QUICK else [8] * 3},
    },
    ranks=1 if QUICK else 2,
)
volumes, energies = [], []
with calculator:
    for scale in np.linspace(0.97, 1.03, 5 if QUICK else 7):
        aluminium = bulk("Al", a=3.98 * scale)
        aluminium.calc = calculator
        energies.append(aluminium.get_potential_energy(force_consistent=True))
        volumes.append(aluminium.get_volume())
state = EquationOfState(volumes, energies, eos="birchmurnaghan")
volume, energy, modulus = state.fit()
print(f"lattice constant {(4 * volume) ** (1 / 3):.4f} Angstrom, bulk modulus {modulus / GPa:.1f} GPa")
figure = Figure()
state.plot(ax=figure.subplots())
figure.savefig("equation_of_state.png")
