#!/usr/bin/env python3
"""Compute the molecules of molecules.json again: python molecules.py (pip install pyscf==2.14.0).

Hartree-Fock, PBE0 and, for H2O, PBE in Gaussian functions with GTH potentials of PBE, as the built-in "gth-pbe" of
wavegrid. The functions are uncontracted; the change from one basis to the larger one is about the error of that.
"""

import json
from pathlib import Path

import pyscf
from pyscf import dft, gto, scf

HERE = Path(__file__).parent
MOLECULES = {
    "H2": [["H", 0, 0, -0.7], ["H", 0, 0, 0.7]],
    "N2": [["N", 0, 0, -1.04], ["N", 0, 0, 1.04]],
    "H2O": [["O", 0, 0, 0], ["H", 0, 1.4304, 1.1077], ["H", 0, -1.4304, 1.1077]],
}
BASES = ("unc-aug-cc-pVTZ", "unc-aug-cc-pVQZ")


def energy_and_highest_level(atoms: list, basis: str, functional: str) -> tuple[float, float]:
    mol = gto.M(atom=atoms, unit="bohr", basis=basis, pseudo="gth-pbe", verbose=0)
    method = scf.RHF(mol) if functional == "HF" else dft.RKS(mol, xc=functional)
    method.conv_tol = 1e-10
    if functional != "HF":
        method.grids.level = 5
    energy = method.kernel()
    return energy, float(method.mo_energy[mol.nelectron // 2 - 1])


def main() -> None:
    found = {"program": f"pyscf {pyscf.__version__}", "pseudopotentials": "gth-pbe", "molecules": {}}
    for name, atoms in MOLECULES.items():
        for functional in ("HF", "PBE0", "PBE")[: 3 if name == "H2O" else 2]:
            rows = {}
            for basis in BASES:
                energy, homo = energy_and_highest_level(atoms, basis, functional)
                rows[basis] = {"energy_Ha": energy, "homo_Ha": homo}
                print(name, functional, basis, energy, homo, flush=True)
            found["molecules"][f"{name} {functional}"] = {"atoms_bohr": atoms, **rows}
            (HERE / "molecules.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
