"""Constraints of ASE on distances and angles, with our calculator."""

import numpy as np
import pytest
from ase import Atoms, units
from ase.constraints import FixBondLength, FixInternals
from ase.md.verlet import VelocityVerlet
from ase.optimize import BFGS

from wavegrid.ase import WaveGrid

SETTINGS = {
    "basis": {"ecut": "12 Ha"},
    "electrons": {"xc": "LDA-PZ", "pseudopotentials": "gth-lda"},
    "scf": {"energy_tolerance": "1e-8 Ha"},
}


def water() -> Atoms:
    """Return a water molecule with long bonds, in a small cell."""
    return Atoms("OHH", [[2.5, 2.5, 2.5], [3.5, 2.5, 2.5], [2.2, 3.45, 2.5]], cell=[5, 5, 5], pbc=True)


def test_a_distance_and_an_angle_are_kept_in_a_relaxation() -> None:
    """One bond and the angle stay, the other bond finds its length: no force is left along it."""
    atoms = water()
    angle, length = atoms.get_angle(1, 0, 2), atoms.get_distance(0, 1)
    free = atoms.get_distance(0, 2)
    atoms.set_constraint(FixInternals(bonds=[[length, [0, 1]]], angles_deg=[[angle, [1, 0, 2]]], epsilon=1e-9))
    with WaveGrid(**SETTINGS) as calculator:
        atoms.calc = calculator
        assert BFGS(atoms, logfile=None).run(fmax=0.05, steps=15)
        assert atoms.get_distance(0, 1) == pytest.approx(length, abs=1e-6)
        assert atoms.get_angle(1, 0, 2) == pytest.approx(angle, abs=1e-4)
        assert abs(atoms.get_distance(0, 2) - free) > 0.01
        raw = atoms.get_forces(apply_constraint=False)
    direction = atoms.positions[2] - atoms.positions[0]
    along = raw[2] @ direction / np.linalg.norm(direction)
    assert abs(along) < 0.1 < np.abs(raw).max()


def test_a_bond_is_rigid_in_dynamics() -> None:
    atoms = water()
    atoms.set_constraint(FixBondLength(0, 1))
    length = atoms.get_distance(0, 1)
    with WaveGrid(**SETTINGS) as calculator:
        atoms.calc = calculator
        VelocityVerlet(atoms, 0.5 * units.fs).run(3)
        assert atoms.get_distance(0, 1) == pytest.approx(length, abs=1e-9)
        assert np.linalg.norm(atoms.get_momenta()) > 0
