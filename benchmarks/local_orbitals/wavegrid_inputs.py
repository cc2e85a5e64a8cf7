"""Write inputs of wavegrid, plane waves and local orbitals: python3 wavegrid_inputs.py FOLDER."""

import sys
from pathlib import Path

from systems import SYSTEMS, WIDTH, System

LOCAL = 'method = "local-orbitals"\n'


def text(system: System, basis: str) -> str:
    """Return the input of a system."""
    kpoints = f"kpoints = {{ mesh = {[system.mesh] * 3} }}\n"
    smeared = kpoints + (f'smearing = {{ kind = "fermi-dirac", width = "{WIDTH} Ha" }}' if system.is_metal else "")
    all_electrons = any(atom[0] == "Li" for atom in system.atoms)
    potentials = '{ Li = "gth-lda-q3", H = "gth-lda" }' if all_electrons else '"gth-lda"'
    return f"""[structure]
cell = {[list(vector) for vector in system.cell]}
unit = "bohr"
coordinates = "cartesian"
atoms = {[list(atom) for atom in system.atoms]}
[basis]
ecut = "{system.ecut} Ha"
{basis}[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = {potentials}
{smeared if system.mesh > 1 else ""}
[scf]
energy_tolerance = "1e-7 Ha"
"""


for name, system in SYSTEMS.items():
    for kind, basis in (("waves", ""), ("local", LOCAL)):
        (Path(sys.argv[1]) / f"{name}_{kind}.toml").write_text(text(system, basis))
