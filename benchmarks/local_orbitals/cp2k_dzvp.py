"""Write CP2K inputs with DZVP-MOLOPT-SR-GTH orbitals, potentials GTH-PADE: python3 cp2k_dzvp.py FOLDER."""

import itertools
import sys
from pathlib import Path

from systems import SYSTEMS, WIDTH, System

VALENCE = {"Si": 4, "H": 1, "O": 6, "Mg": 2, "C": 4, "Al": 3, "Li": 3}
BASIS = {"Mg": "DZVP-MOLOPT-SR-GTH-q2"}  # of BASIS_MOLOPT_UCL; others of BASIS_MOLOPT
KELVIN = 3.166811563e-6  # Ha

TEMPLATE = """&GLOBAL
  PROJECT {name}
  RUN_TYPE ENERGY
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD QS
  &DFT
    BASIS_SET_FILE_NAME BASIS_MOLOPT
    BASIS_SET_FILE_NAME BASIS_MOLOPT_UCL
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 600
      REL_CUTOFF 80
    &END MGRID
    &QS
      EPS_DEFAULT 1.0E-14
    &END QS
{kpoints}
    &SCF
      EPS_SCF 1.0E-7
      MAX_SCF 100
      {solver}
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
{cell}
    &END CELL
    &COORD
      UNIT bohr
{atoms}
    &END COORD
{kinds}
  &END SUBSYS
&END FORCE_EVAL
"""
DIAGONALISED = """ADDED_MOS 10
      &DIAGONALIZATION
      &END DIAGONALIZATION
      &MIXING
        METHOD BROYDEN_MIXING
        ALPHA 0.3
      &END MIXING"""
SMEARED = (
    DIAGONALISED
    + """
      &SMEAR
        METHOD FERMI_DIRAC
        ELECTRONIC_TEMPERATURE [K] {kelvin:.6f}
      &END SMEAR"""
)
FILLED = """&OT
        PRECONDITIONER FULL_SINGLE_INVERSE
      &END OT"""


def kpoints(mesh: int) -> str:
    """Return the section of a mesh with Gamma, which those of Monkhorst and Pack lack where the number is even."""
    if mesh == 1:
        return ""
    if mesh % 2 == 1:
        return f"    &KPOINTS\n      SCHEME MONKHORST-PACK {mesh} {mesh} {mesh}\n    &END KPOINTS"
    points = "".join(
        f"      KPOINT {x / mesh} {y / mesh} {z / mesh} 1.0\n" for x, y, z in itertools.product(range(mesh), repeat=3)
    )
    return f"    &KPOINTS\n      SCHEME GENERAL\n      UNITS B_VECTOR\n{points}    &END KPOINTS"


def text(name: str, system: System) -> str:
    """Return the input of a system."""
    elements = sorted({atom[0] for atom in system.atoms})
    kinds = [
        f"    &KIND {e}\n      BASIS_SET {BASIS.get(e, 'DZVP-MOLOPT-SR-GTH')}\n"
        f"      POTENTIAL GTH-PADE-q{VALENCE[e]}\n    &END KIND"
        for e in elements
    ]
    m = system.mesh
    return TEMPLATE.format(
        name=name,
        kpoints=kpoints(m),
        solver=SMEARED.format(kelvin=WIDTH / KELVIN) if system.is_metal else FILLED if m == 1 else DIAGONALISED,
        cell="\n".join(f"      {a} [bohr] {x} {y} {z}" for a, (x, y, z) in zip("ABC", system.cell, strict=True)),
        atoms="\n".join(f"      {e} {x:.10f} {y:.10f} {z:.10f}" for e, x, y, z in system.atoms),
        kinds="\n".join(kinds),
    )


for name, system in SYSTEMS.items():
    (Path(sys.argv[1]) / f"{name}.inp").write_text(text(name, system))
