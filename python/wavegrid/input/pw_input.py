"""The magnetic moments of an input of pw.x. ASE gives all atoms of an element those of its last label."""

import io
from pathlib import Path
from typing import Any

from ase.io.espresso import get_atomic_positions, get_atomic_species, read_fortran_namelist

from wavegrid.errors import InputError
from wavegrid.input import compressed

_UNIT_CELL = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]  # the places do not matter here
_UNUSED_CARDS = ("ATOMIC_VELOCITIES", "ATOMIC_FORCES", "CONSTRAINTS")


def moments(path: Path, symbols: list[str], notes: list[str]) -> tuple[list[float], list[float]] | None:
    """Return for each atom a moment (mu_B) and one per valence electron, which add up; None where there are none.

    The file has been read by ASE; `symbols`: the elements that it found. Raises InputError, naming the file.
    """
    namelists, cards = read_fortran_namelist(io.StringIO(compressed.text(path)))
    system = {name.replace(" ", "").lower(): value for name, value in namelists["system"].items()}
    species = get_atomic_species(cards, n_species=system["ntyp"])
    places = get_atomic_positions(cards, n_atoms=system["nat"], cell=_UNIT_CELL, alat=1.0)
    labels = [place[0] for place in places]
    kinds = {label: index for index, (label, _, _) in enumerate(species)}
    for number, label in enumerate(labels, 1):
        if label not in kinds:
            raise InputError(f"'{path}': atom {number} is of '{label}'; valid: {', '.join(kinds)} of ATOMIC_SPECIES")
    _check_potentials(path, labels, symbols, {label: name for label, _, name in species})
    notes += [f"{path}: not used: {card}" for card in _UNUSED_CARDS if any(line.startswith(card) for line in cards)]
    given = _given(path, system, kinds)
    if not any(given[label] for label in labels):
        return None
    if system.get("nspin", 1) != 2:
        notes.append(f"{path}: not used: starting_magnetization, as in pw.x without nspin = 2")
        return None
    whole = {label: value if abs(value) > 1 else 0.0 for label, value in given.items()}
    return [whole[label] for label in labels], [given[label] - whole[label] for label in labels]


def _given(path: Path, system: dict[str, Any], kinds: dict[str, int]) -> dict[str, float]:
    """Return starting_magnetization of each label; refuse directions other than along z."""
    found = {label: system.get(f"starting_magnetization({index + 1})", 0.0) for label, index in kinds.items()}
    for label, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"'{path}': starting_magnetization of {label} is '{value}'; valid: a number")
    if any(found.values()) and (system.get("noncolin") is True or system.get("nspin") == 4):
        raise InputError(f"'{path}': noncollinear magnetic moments; valid: nspin = 2")
    return {label: float(value) for label, value in found.items()}


def _check_potentials(path: Path, labels: list[str], symbols: list[str], potentials: dict[str, str]) -> None:
    """Refuse labels of one element with different pseudopotentials, which would become one."""
    first: dict[str, str] = {}
    for label, symbol in zip(labels, symbols, strict=True):
        other = first.setdefault(symbol, label)
        if potentials[label] != potentials[other]:
            raise InputError(
                f"'{path}': {other} and {label} have the pseudopotentials {potentials[other]} and {potentials[label]}; "
                f"valid: one for each element"
            )
