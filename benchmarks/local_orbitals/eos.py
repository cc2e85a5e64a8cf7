"""Write inputs of equations of state of silicon, plane waves and local orbitals: python3 eos.py FOLDER."""

import sys
from pathlib import Path

TEXT = """[structure]
cell = [[0,5.1,5.1],[5.1,0,5.1],[5.1,5.1,0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si",0,0,0],["Si",0.25,0.25,0.25]]
[task]
kind = "eos"
[basis]
ecut = "16 Ha"
{basis}[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = [4,4,4] }}
[scf]
energy_tolerance = "1e-8 Ha"
"""
LOCAL = 'method = "local-orbitals"\n'
BASES = {
    "waves": "",
    "optimised": LOCAL + "orbitals = { optimise = true }\n",
    "double_zeta_polarised": LOCAL,
    "minimal": LOCAL + 'orbitals = { functions = "minimal" }\n',
}
for name, basis in BASES.items():
    (Path(sys.argv[1]) / f"{name}.toml").write_text(TEXT.format(basis=basis))
