"""A vacancy in aluminium: relaxed neighbours and formation energy.

python vacancy.py [--quick]
"""

import sys

from ase.build import bulk
from ase.optimize import BFGS

from wavegrid.ase import WaveGrid

QUICK = "--quick" in sys.argv  # coarse, to see that it runs

calculator = WaveGrid(
    basis={"ecut": "6 Ha" if QUICK else "10 Ha"},
    electrons={
        "xc": "LDA-PW",
        "pseudopotentials": "gth-lda",
        "smearing": {"kind": "cold", "width": "0.3 eV"},
        "kpoints": {"mesh": [1] * 3 if QUICK else [3] * 3},
    },
    ranks=1 if QUICK else 2,
)
perfect = bulk("Al", a=3.98, cubic=True) * (1 if QUICK else 2)
vacancy = perfect[1:]
with calculator:
    perfect.calc = calculator
    whole = perfect.get_potential_energy(force_consistent=True)
    vacancy.calc = calculator
    rigid = vacancy.get_potential_energy(force_consistent=True)
    BFGS(vacancy, logfile=None).run(fmax=0.01, steps=1 if QUICK else 50)
    relaxed = vacancy.get_potential_energy(force_consistent=True)
formation = relaxed - whole * len(vacancy) / len(perfect)
print(f"formation energy {formation:.3f} eV, of which relaxation {relaxed - rigid:.3f} eV")
