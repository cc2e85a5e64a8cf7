"""Elastic constants of silicon from stresses at small strains, with the atoms relaxed in each strained cell.

python elastic_constants.py [--quick]
"""

import sys

import numpy as np
from ase.build import bulk
from ase.optimize import BFGS
from ase.units import GPa
from matplotlib.figure import Figure

from wavegrid.ase import WaveGrid

QUICK = "--quick" in sys.argv  # coarse, to see that it runs
STRAINS = [-0.005, 0.005] if QUICK else [-0.01, -0.005, 0.005, 0.01]
XX, YZ = [1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]  # Voigt: xx, yy, zz, yz, xz, xy; shear strains are twice the tensor's


def strained(strain: list[float]):
    """Return silicon with this strain (Voigt)."""
    xx, yy, zz, yz, xz, xy = strain
    silicon = bulk("Si", a=5.395)  # of the lowest energy at this cutoff, so that the stress without strain is small
    tensor = np.array([[xx, xy / 2, xz / 2], [xy / 2, yy, yz / 2], [xz / 2, yz / 2, zz]])
    silicon.set_cell(silicon.cell.array @ (np.eye(3) + tensor), scale_atoms=True)
    return silicon


calculator = WaveGrid(
    basis={"ecut": "8 Ha" if QUICK else "20 Ha"},
    electrons={"xc": "LDA-PW", "pseudopotentials": "gth-lda", "kpoints": {"mesh": [2] * 3 if QUICK else [6] * 3}},
    ranks=1 if QUICK else 2,
)
found = {}
figure = Figure()
axes = figure.subplots()
with calculator:
    for name, direction, component in (("C11", XX, 0), ("C12", XX, 1), ("C44", YZ, 3)):
        stresses = []
        for size in STRAINS:
            silicon = strained([size * x for x in direction])
            silicon.calc = calculator
            BFGS(silicon, logfile=None).run(fmax=0.1 if QUICK else 0.001)
            stresses.append(silicon.get_stress()[component] / GPa)
        slope, offset = np.polyfit(STRAINS, stresses, 1)
        found[name] = slope
        axes.plot(STRAINS, stresses, "o", label=f"{name} {slope:.1f} GPa")
        axes.plot(STRAINS, np.polyval([slope, offset], STRAINS), color="grey", linewidth=0.8)
print(", ".join(f"{name} {value:.1f} GPa" for name, value in found.items()))
axes.set(xlabel="strain", ylabel="stress (GPa)")
axes.legend()
figure.savefig("elastic_constants.png")
