"""Phonon bands of silicon with phonopy: forces on displaced atoms of a supercell, all in one session.

python phonons.py [--quick]            needs phonopy: pip install phonopy
"""

import sys

from ase import Atoms
from ase.build import bulk
from matplotlib.figure import Figure
from phonopy import Phonopy
from phonopy.phonon.band_structure import get_band_qpoints
from phonopy.structure.atoms import PhonopyAtoms

from wavegrid.ase import WaveGrid

QUICK = "--quick" in sys.argv  # coarse, to see that it runs
PATH = {"G": [0, 0, 0], "X": [0.5, 0, 0.5], "K": [0.375, 0.375, 0.75], "L": [0.5, 0.5, 0.5]}

silicon = bulk("Si", a=5.395)
cell = PhonopyAtoms(silicon.get_chemical_symbols(), cell=silicon.cell.array, positions=silicon.positions)
count = 1 if QUICK else 2
phonons = Phonopy(cell, [[-count, count, count], [count, -count, count], [count, count, -count]])  # cubic
phonons.generate_displacements(distance=0.03)
forces = []
with WaveGrid(
    basis={"ecut": "8 Ha" if QUICK else "15 Ha"},
    electrons={"xc": "LDA-PW", "pseudopotentials": "gth-lda", "kpoints": {"mesh": [1] * 3 if QUICK else [2] * 3}},
    ranks=1 if QUICK else 2,
) as calculator:
    for moved in phonons.supercells_with_displacements:
        atoms = Atoms(moved.symbols, cell=moved.cell, scaled_positions=moved.scaled_positions, pbc=True)
        atoms.calc = calculator
        forces.append(atoms.get_forces())
phonons.forces = forces
phonons.produce_force_constants()
phonons.symmetrize_force_constants()

names = ["G", "X", "K", "G", "L"]
phonons.run_band_structure(get_band_qpoints([[PATH[name] for name in names]], npoints=31))
found = phonons.band_structure
at_gamma = found.frequencies[0][0]
print(f"optical phonons at Gamma {at_gamma[-1]:.2f} THz, acoustic ones {at_gamma[:3].round(3) + 0.0} THz")
figure = Figure()
axes = figure.subplots()
corners = []
for distances, frequencies in zip(found.distances, found.frequencies, strict=True):
    axes.plot(distances, frequencies, color="C0")
    corners += [distances[0]] if not corners else []
    corners.append(distances[-1])
axes.set(ylabel="frequency (THz)", xlim=(corners[0], corners[-1]), xticks=corners, xticklabels=names)
axes.grid(axis="x")
figure.savefig("phonons.png")
