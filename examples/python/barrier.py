"""Inversion of ammonia: the energy barrier between its two pyramids by a nudged elastic band.

python barrier.py [--quick]
"""

import sys

from ase import Atoms
from ase.mep import NEB, NEBTools
from ase.optimize import BFGS
from matplotlib.figure import Figure

from wavegrid.ase import WaveGrid

QUICK = "--quick" in sys.argv  # coarse, to see that it runs

calculator = WaveGrid(
    basis={"ecut": "8 Ha" if QUICK else "40 Ha"},
    electrons={"xc": "PBE", "pseudopotentials": "gth-pbe"},
    ranks=1 if QUICK else 2,
)
first = Atoms("NH3", [[0, 0, 0.3], [0.94, 0, 0], [-0.47, 0.814, 0], [-0.47, -0.814, 0]], pbc=True)
first.set_cell([4.5 if QUICK else 7.0] * 3)
first.center()
with calculator:
    first.calc = calculator
    BFGS(first, logfile=None).run(fmax=0.01, steps=1 if QUICK else 50)
    last = first.copy()
    last.positions[0, 2] = 2 * first.positions[1:, 2].mean() - first.positions[0, 2]  # through the plane of hydrogen
    last.calc = calculator
    images = [first, *(first.copy() for _ in range(1 if QUICK else 3)), last]
    for image in images[1:-1]:
        image.calc = calculator
    band = NEB(images, climb=True, method="improvedtangent", allow_shared_calculator=True)
    band.interpolate()
    BFGS(band, logfile=None).run(fmax=0.03, steps=1 if QUICK else 50)
    tools = NEBTools(images)
    barrier, difference = tools.get_barrier(fit=False)
    print(f"barrier {barrier:.3f} eV, energy of the last image {difference:+.4f} eV")
    figure = Figure()
    tools.plot_band(ax=figure.subplots())
    figure.savefig("barrier.png")
