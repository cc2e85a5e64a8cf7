"""The crystal of an input file: inline or read by ASE, in bohr and fractional coordinates, as a supercell."""

import itertools
import math
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from ase.data import atomic_names, chemical_symbols

from wavegrid.errors import InputError, nearest
from wavegrid.input import structure_file
from wavegrid.input.document import Document
from wavegrid.input.fields import MOST_ATOMS, valid_values
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import Structure
from wavegrid.text import counted
from wavegrid.units import BOHR_IN_ANGSTROM, LENGTH_UNITS

CLOSEST_DISTANCE = 0.5  # bohr; smaller distances are a mistake in the input
SMALLEST_HEIGHT, LONGEST_VECTOR = 0.1, 100_000  # bohr, of the cell
FARTHEST_CELL = 1000  # fractional coordinates
_FLATTEST = 1e-6  # volume of the cell over that of a box with the same edges
_INLINE = ("cell", "unit", "atoms", "coordinates")
_ELEMENTS = {symbol: name for symbol, name in zip(chemical_symbols, atomic_names, strict=False) if symbol != "X"}


@dataclass(frozen=True)
class Crystal:
    """Periodic cell and atoms."""

    cell: np.ndarray  # (3, 3), bohr, lattice vectors as rows
    symbols: list[str]
    fractional: np.ndarray  # (atoms, 3)

    def species(self) -> list[str]:
        """Return the elements in order of their first appearance."""
        return list(dict.fromkeys(self.symbols))

    def as_dict(self) -> dict[str, Any]:
        """Return cell, species and atoms as the core reads them."""
        species = self.species()
        places = zip(self.symbols, self.fractional.tolist(), strict=True)
        return {
            "cell": self.cell.tolist(),
            "species": species,
            "atoms": [(species.index(symbol), *position) for symbol, position in places],
        }


def build(core: ModuleType, document: Document, spec: Structure, notes: list[str]) -> Crystal:
    """Return the crystal that the [structure] section describes; raises InputError naming the line."""
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
        crystal = _from_file(document, document.path.parent / spec.file, spec.frame, notes)
    _check_count(document, crystal, spec.supercell)
    _check_places(document, crystal, key)
    _check_distances(core, document, crystal, key)
    return _repeat(crystal, spec.supercell)


def check_element(document: Document, key: KeyPath, symbol: str) -> None:
    """Refuse a symbol that is not a chemical element and suggest the nearest."""
    if symbol in _ELEMENTS:
        return
    by_name = {name: element for element, name in _ELEMENTS.items()}
    found = [by_name[name] for name in nearest(symbol, by_name, 1, 0.75)] or nearest(symbol, _ELEMENTS, 3, 0.5)
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
    cell = np.array(spec.cell) * LENGTH_UNITS[spec.unit]
    _check_cell(document, cell, ("structure", "cell"))
    positions = np.array([atom[1:] for atom in spec.atoms])
    if spec.coordinates == "cartesian":
        positions = positions * LENGTH_UNITS[spec.unit] @ np.linalg.inv(cell)
    return Crystal(cell, [atom[0] for atom in spec.atoms], positions)


def _from_file(document: Document, path: Path, frame: int | None, notes: list[str]) -> Crystal:
    key = ("structure", "file")
    try:
        atoms = structure_file.read(path, frame, notes)
    except InputError as fault:
        raise document.error(key, str(fault)) from None
    for symbol in dict.fromkeys(atoms.get_chemical_symbols()):
        check_element(document, key, symbol)
    cell = np.array(atoms.cell.array) / BOHR_IN_ANGSTROM
    _check_cell(document, cell, key)
    return Crystal(cell, atoms.get_chemical_symbols(), atoms.get_scaled_positions(wrap=False))


def heights(cell: np.ndarray) -> np.ndarray:
    """Return the distances between opposite faces of a cell (rows, bohr)."""
    return 1 / np.linalg.norm(np.linalg.inv(cell), axis=0)


def _check_cell(document: Document, cell: np.ndarray, key: KeyPath) -> None:
    lengths = np.linalg.norm(cell, axis=1)
    if lengths.min() == 0 or abs(np.linalg.det(cell / lengths[:, None])) < _FLATTEST:
        raise document.error(
            key, "the lattice vectors span no volume; valid: three vectors that do not lie in one plane"
        )
    lowest = heights(cell).min()
    if lowest < SMALLEST_HEIGHT or lengths.max() > LONGEST_VECTOR:
        found = f"faces {lowest:.3g} bohr apart, vectors up to {lengths.max():.3g} bohr long"
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
    far = np.abs(crystal.fractional).max(axis=1) > FARTHEST_CELL
    if far.any():
        index = int(np.argmax(far))
        place = ", ".join(f"{x:.6g}" for x in crystal.fractional[index])
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
    counts = np.array(times)
    shifts = np.array(list(itertools.product(*map(range, times))))
    fractional = (shifts[:, None, :] + crystal.fractional) / counts
    return Crystal(crystal.cell * counts[:, None], crystal.symbols * len(shifts), fractional.reshape(-1, 3))
