"""Compute with GPAW (Debian's python3): dzp orbitals, and plane waves: python3 gpaw_dzp.py SYSTEM; LDA, Ha."""

import json
import sys

from ase import Atoms
from ase.units import Bohr, Hartree
from gpaw import GPAW, PW, FermiDirac
from systems import SYSTEMS, WIDTH

name = sys.argv[1]
system = SYSTEMS[name]
positions = [[x * Bohr for x in atom[1:]] for atom in system.atoms]
atoms = Atoms(
    [atom[0] for atom in system.atoms],
    positions=positions,
    cell=[[x * Bohr for x in vector] for vector in system.cell],
    pbc=True,
)
shared = {
    "xc": "LDA",
    "kpts": {"size": (system.mesh,) * 3, "gamma": True},
    "occupations": FermiDirac(WIDTH * Hartree) if system.is_metal else {"name": "fixed-uniform"},
    "convergence": {"energy": 1e-6, "density": 1e-5},
    "symmetry": "off" if system.mesh == 1 else {},
    "txt": None,
}
found = {}
for kind, mode in (
    ("dzp", {"mode": "lcao", "basis": "dzp", "h": 0.12}),
    ("plane waves", {"mode": PW(900)}),
):
    atoms.calc = GPAW(**shared, **mode)
    found[kind] = atoms.get_potential_energy(force_consistent=True) / Hartree
found["dzp above plane waves, mHa per atom"] = 1000 * (found["dzp"] - found["plane waves"]) / len(atoms)
print(json.dumps({name: found}), flush=True)
