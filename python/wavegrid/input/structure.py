"""The crystal of an input file: inline or read by ASE, in bohr and fractional coordinates, as a supercell."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from wavegrid.base import vectors
from wavegrid.base.text import counted
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError, nearest
from wavegrid.input.document import Document
from wavegrid.input.fields import MOST_ATOMS, valid_values
from wavegrid.input.initial_state import InitialState
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import Structure
from wavegrid.model.problem import CellAndAtoms
from wavegrid.units import BOHR_IN_ANGSTROM, LENGTH_UNITS

if TYPE_CHECKING:
    from ase import Atoms

CLOSEST_DISTANCE = 0.5  # bohr; smaller distances are a mistake in the input
SMALLEST_HEIGHT, LONGEST_VECTOR = 0.1, 100_000  # bohr, of the cell
FARTHEST_CELL = 1000  # fractional coordinates
_INLINE = ("cell", "unit", "atoms", "coordinates")


@dataclass(frozen=True)
class Crystal:
    """Periodic cell and atoms."""

    cell: list[list[float]]  # (3, 3), bohr, lattice vectors as rows
    symbols: list[str]
    fractional: list[list[float]]  # (atoms, 3)
    initial: InitialState = InitialState()

    def species(self) -> list[str]:
        """Return the elements in order of their first appearance."""
        return list(dict.fromkeys(self.symbols))

    def as_dict(self) -> CellAndAtoms:
        """Return cell, species and atoms as the core reads them."""
        species = self.species()
        places = zip(self.symbols, self.fractional, strict=True)
        return {
            "cell": self.cell,
            "species": species,
            "atoms": [(species.index(symbol), *position) for symbol, position in places],
        }


def build(
    core: ModuleType,
    document: Document,
    spec: Structure,
    notes: list[str],
    repeated: Sequence[bool] = (True, True, True),
) -> Crystal:
    """Return the crystal that the [structure] section describes; raises InputError naming the line.

    `repeated`: along which lattice vectors the calculation is periodic.
    """
    given = [name for name in _INLINE if getattr(spec, name) is not None]
    if spec.file is None:
        if spec.frame is not None:
            raise document.error(("structure", "frame"), "'frame' without 'file'; valid: frame together with file")
        crystal, key = _inline(document, spec, given), ("structure", "atoms")
    elif given:
        raise document.error(
            ("structure", given[0]),
            f"'{given[0]}' together with file = \"{spec.file}\"; valid: either file or {', '.join(_INLINE)}",
        )
    else:
        key = ("structure", "file")
        crystal = _from_file(document, document.path.parent / spec.file, spec.frame, notes, repeated)
    _check_count(document, crystal, spec.supercell)
    _check_places(document, crystal, key)
    _check_distances(core, document, crystal, key)
    return _repeat(crystal, spec.supercell)


def check_element(document: Document, key: KeyPath, symbol: str) -> None:
    """Refuse a symbol that is not a chemical element and suggest the nearest."""
    if symbol in ELEMENTS:
        return
    by_name = {element.name: known for known, element in ELEMENTS.items()}
    found = [by_name[name] for name in nearest(symbol, by_name, 1, 0.75)] or nearest(symbol, ELEMENTS, 3, 0.5)
    hint = f"; did you mean {' or '.join(repr(element) for element in found)}?" if found else ""
    raise document.error(key, f"unknown element '{symbol}'; valid: chemical symbols from H to Og{hint}")


def _inline(document: Document, spec: Structure, given: list[str]) -> Crystal:
    for name in _INLINE:
        if name not in given:
            valid = valid_values(Structure.model_fields[name])
            missing = "missing unit: " if name == "unit" else ""
            raise document.error(("structure",), f"{missing}[structure] lacks '{name}'; valid: {valid} (or file = ...)")
    assert spec.atoms is not None and spec.unit is not None
    for index, atom in enumerate(spec.atoms):
        check_element(document, ("structure", "atoms", index), atom[0])
    assert spec.cell is not None
    cell = vectors.scaled(spec.cell, LENGTH_UNITS[spec.unit])
    _check_cell(document, cell, ("structure", "cell"))
    positions = [list(atom[1:]) for atom in spec.atoms]
    if spec.coordinates == "cartesian":
        inverse = vectors.reciprocal(cell)
        positions = [vectors.fractional(place, inverse) for place in vectors.scaled(positions, LENGTH_UNITS[spec.unit])]
    return Crystal(cell, [atom[0] for atom in spec.atoms], positions)


def _from_file(
    document: Document, path: Path, frame: int | None, notes: list[str], repeated: Sequence[bool]
) -> Crystal:
    from wavegrid.input import structure_file  # imports numpy

    key = ("structure", "file")
    try:
        atoms = structure_file.read(path, frame, notes, repeated)
        initial = structure_file.initial_state(path, atoms, notes)
    except InputError as fault:
        raise document.error(key, str(fault)) from None
    for symbol in dict.fromkeys(atoms.get_chemical_symbols()):
        check_element(document, key, symbol)
    _check_cell(document, _cell_of(atoms), key)
    return replace(from_atoms(atoms), initial=initial)


def _cell_of(atoms: "Atoms") -> list[list[float]]:
    return vectors.scaled(atoms.cell.array.tolist(), 1 / BOHR_IN_ANGSTROM)


def from_atoms(atoms: "Atoms") -> Crystal:
    """Return the crystal of ASE's atoms, which may lie outside the cell."""
    return Crystal(_cell_of(atoms), atoms.get_chemical_symbols(), atoms.get_scaled_positions(wrap=False).tolist())


def with_initial_state(crystal: Crystal, atoms: "Atoms", notes: list[str]) -> Crystal:
    """Return the crystal with what ASE's atoms, which are its own, say besides their places; raises InputError."""
    from wavegrid.input import ase_atoms  # imports numpy

    return replace(crystal, initial=ase_atoms.initial_state(atoms, "atoms", notes, from_file=False))


def _check_cell(document: Document, cell: list[list[float]], key: KeyPath) -> None:
    if vectors.are_flat(cell):
        raise document.error(
            key, "the lattice vectors span no volume; valid: three vectors that do not lie in one plane"
        )
    lengths = vectors.lengths(cell)
    lowest = min(map(math.prod, zip(lengths, vectors.heights(vectors.directions(cell)), strict=True)))
    if lowest < SMALLEST_HEIGHT or max(lengths) > LONGEST_VECTOR:
        found = f"faces {lowest:.3g} bohr apart, vectors up to {max(lengths):.3g} bohr long"
        raise document.error(
            key, f"a cell with {found}; valid: at least {SMALLEST_HEIGHT} and at most {LONGEST_VECTOR} bohr"
        )


def _check_count(document: Document, crystal: Crystal, times: list[int]) -> None:
    """Refuse a structure of too many atoms before the supercell is built."""
    atoms, copies = len(crystal.symbols), math.prod(times)
    if atoms * copies > MOST_ATOMS:
        key = ("structure", "file") if copies == 1 else ("structure", "supercell")
        made = f"{atoms} atoms" if copies == 1 else f"{copies} copies of {counted(atoms, 'atom')}"
        raise document.error(key, f"{made}: too many; valid: at most {MOST_ATOMS} atoms in all")


def _check_places(document: Document, crystal: Crystal, key: KeyPath) -> None:
    """Refuse atoms that are so far from the cell that rounding moves them."""
    for index, position in enumerate(crystal.fractional):
        if max(map(abs, position)) > FARTHEST_CELL:
            place = ", ".join(f"{x:.6g}" for x in position)
            raise document.error(
                key,
                f"atom {index + 1} ({crystal.symbols[index]}) is at ({place}) lattice vectors; valid: fractional "
                f"coordinates from -{FARTHEST_CELL} to {FARTHEST_CELL}",
            )


def _check_distances(core: ModuleType, document: Document, crystal: Crystal, key: KeyPath) -> None:
    """Refuse atoms closer than CLOSEST_DISTANCE to another atom or to a periodic image, also of themselves."""
    closest = core.closest_pair(crystal.as_dict(), CLOSEST_DISTANCE)
    if closest is not None:
        first, second, distance = closest
        names = f"atom {first + 1} ({crystal.symbols[first]}) and "
        names += "its own periodic image" if first == second else f"atom {second + 1} ({crystal.symbols[second]})"
        raise document.error(
            key, f"overlapping atoms: {names} are {distance:.3g} bohr apart; valid: at least {CLOSEST_DISTANCE} bohr"
        )


def _repeat(crystal: Crystal, times: list[int]) -> Crystal:
    """Return the supercell; the copies of an atom's cell follow each other, its third index fastest."""
    shifts = list(itertools.product(*map(range, times)))
    fractional = [
        [(x + cell) / count for x, cell, count in zip(position, shift, times, strict=True)]
        for shift in shifts
        for position in crystal.fractional
    ]
    cell = [[count * x for x in vector] for count, vector in zip(times, crystal.cell, strict=True)]
    return Crystal(cell, crystal.symbols * len(shifts), fractional, crystal.initial.repeated(len(shifts)))
