"""What molecular dynamics start with: momenta and masses of the structure, and whether anything can move."""

from typing import Any

import numpy as np
from ase.data import atomic_masses, atomic_numbers

from wavegrid.base.text import counted
from wavegrid.crystal.degrees_of_freedom import DegreesOfFreedom
from wavegrid.crystal.fixed_coordinates import FixedCoordinates
from wavegrid.input.document import Document
from wavegrid.input.initial_state import InitialState
from wavegrid.input.models import Md
from wavegrid.input.structure import Crystal

_SMALL = 1e-6  # of a kinetic energy


def start(
    document: Document,
    settings: Md,
    crystal: Crystal,
    fixed: FixedCoordinates | None,
    notes: list[str],
    *,
    continued: bool,
    in_potential: bool,
) -> dict[str, Any]:
    """Return the momenta of the structure and its masses, None where they are random and the standard ones.

    `continued`: a trajectory has the momenta; `in_potential`: the atoms are in a potential from outside. Raises
    InputError where nothing can move, and for 0 K with a chain.
    """
    if settings.ensemble in ("nose-hoover", "npt") and settings.temperature == 0:
        raise document.error(
            ("md", "temperature"), 'temperature = 0 K with the Nose-Hoover chain; valid: above 0 K, or "langevin"'
        )
    _check_cell(document, settings, fixed)
    degrees = DegreesOfFreedom.of(fixed, crystal.cell, _masses(crystal), in_potential=in_potential)
    if degrees.count() == 0:
        raise document.error(("md", "fixed_atoms") if settings.fixed_atoms else ("md",), _nothing_moves(fixed))
    momenta = None if continued else _momenta(crystal.initial, settings, notes)
    if momenta is not None:
        notes.append(f"{crystal.initial.source}: velocities of the start, {_described(degrees, np.array(momenta))}")
    return {"momenta": momenta, "masses": crystal.initial.masses}


def _check_cell(document: Document, settings: Md, fixed: FixedCoordinates | None) -> None:
    """Refuse keys of a cell that does not change, and atoms that are fixed in one that does."""
    if settings.ensemble != "npt":
        for name in ("cell", "pressure", "barostat_time"):
            if name in settings.model_fields_set:
                raise document.error(
                    ("md", name), f'{name} with ensemble = "{settings.ensemble}"; valid: ensemble = "npt"'
                )
    elif fixed is not None:
        raise document.error(
            ("md", "ensemble"), 'ensemble = "npt" with fixed atoms; valid: fixed_atoms = [], or another ensemble'
        )


def _masses(crystal: Crystal) -> np.ndarray:
    """Return the mass of each atom, amu: as the structure says, else the standard one."""
    standard = [atomic_masses[atomic_numbers[symbol]] for symbol in crystal.symbols]
    return np.array(crystal.initial.masses or standard)


def _nothing_moves(fixed: FixedCoordinates | None) -> str:
    if fixed is not None and len(fixed.whole()) == len(fixed.fractional):
        return "all atoms are fixed; valid: at least one that moves"
    return (
        "no degree of freedom is left, since the total momentum is zero; valid: at least two atoms, which move against "
        "each other"
    )


def _momenta(initial: InitialState, settings: Md, notes: list[str]) -> list[list[float]] | None:
    """Return the momenta of the structure; None, with a note, where random ones replace them."""
    if initial.momenta is None:
        return None
    why = "" if any(map(any, initial.momenta)) else "which are all zero"
    if settings.ensemble == "nve" and "temperature" in settings.model_fields_set:
        why = "replaced by random ones of [md] temperature"
    if why:
        notes.append(f"{initial.source}: not used: velocities, {why}")
    return None if why else initial.momenta


def _described(degrees: DegreesOfFreedom, given: np.ndarray) -> str:
    """Return the kinetic energy and temperature of momenta, and what fixed directions and the total momentum take."""
    before, after = degrees.kinetic_energy(given), degrees.kinetic_energy(degrees.of_momenta(given))
    words = f"kinetic energy {after:.7f} eV, {degrees.temperature(after):.2f} K with "
    words += counted(degrees.count(), "degree", "degrees") + " of freedom"
    if before - after > _SMALL * before:
        words += f"; {before - after:.7f} eV are left out, of the total momentum and along fixed directions"
    return words
