"""The crystal of an input file: inline or read by ASE, in bohr and fractional coordinates, as a supercell."""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ase.data import atomic_names, chemical_symbols

from wavegrid.errors import nearest
from wavegrid.input.document import Document
from wavegrid.input.fields import valid_values
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import Structure
from wavegrid.units import BOHR_IN_ANGSTROM, LENGTH_UNITS

CLOSEST_DISTANCE = 0.5  # bohr; smaller distances are a mistake in the input
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


def build(document: Document, spec: Structure) -> Crystal:
    """Return the crystal that the [structure] section describes; raises InputError naming the line."""
    given = [name for name in _INLINE if getattr(spec, name) is not None]
    if spec.file is None:
        crystal, key = _inline(document, spec, given), ("structure", "atoms")
    elif given:
        raise document.error(
            ("structure", given[0]),
            f"'{given[0]}' together with file = \"{spec.file}\"; valid: either file or {', '.join(_INLINE)}",
        )
    else:
        key = ("structure", "file")
        crystal = _from_file(document, document.path.parent / spec.file)
    _check_distances(document, crystal, key)
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


def _from_file(document: Document, path: Path) -> Crystal:
    from ase import Atoms  # half a second: only where a file asks for it
    from ase.io import read

    key = ("structure", "file")
    if not path.is_file():
        siblings = [entry.name for entry in path.parent.glob("*")] if path.parent.is_dir() else []
        found = nearest(path.name, siblings)
        hint = f"; did you mean '{found[0]}'?" if found else ""
        raise document.error(key, f"no such file: '{path}'; valid: a structure file that ASE reads{hint}")
    try:
        atoms = read(str(path), do_not_split_by_at_sign=True)
    except Exception as fault:  # ASE's readers raise whatever they meet
        reason = " ".join(str(fault).split())[:200] or type(fault).__name__
        raise document.error(
            key, f"ASE cannot read '{path}': {reason}; valid: a structure file that ASE reads"
        ) from None
    if not isinstance(atoms, Atoms) or len(atoms) == 0:
        raise document.error(key, f"'{path}' holds no atoms; valid: a structure file with a cell and atoms")
    for symbol in dict.fromkeys(atoms.get_chemical_symbols()):
        check_element(document, key, symbol)
    _check_occupancy(document, path, atoms.info.get("occupancy"))
    cell = np.array(atoms.cell.array) / BOHR_IN_ANGSTROM
    _check_cell(document, cell, key)
    return Crystal(cell, atoms.get_chemical_symbols(), atoms.get_scaled_positions(wrap=False))


def _check_occupancy(document: Document, path: Path, occupancy: dict[str, Any] | None) -> None:
    for site in (occupancy or {}).values():
        if any(abs(share - 1) > 1e-6 for share in site.values()):
            raise document.error(
                ("structure", "file"), f"'{path}' has a partly occupied site {site}; valid: an ordered structure"
            )


def _check_cell(document: Document, cell: np.ndarray, key: KeyPath) -> None:
    lengths = np.linalg.norm(cell, axis=1)
    if np.min(lengths) == 0 or abs(np.linalg.det(cell)) < 1e-6 * np.prod(lengths):
        raise document.error(
            key, "the lattice vectors span no volume; valid: three vectors that do not lie in one plane"
        )


def _check_distances(document: Document, crystal: Crystal, key: KeyPath) -> None:
    """Refuse atoms closer than CLOSEST_DISTANCE to another atom or to a periodic image, also of themselves."""
    heights = 1 / np.linalg.norm(np.linalg.inv(crystal.cell), axis=0)  # distances between opposite faces
    # A point closer than d has |fraction| < d / height along each axis, so these images suffice.
    reach = [int(CLOSEST_DISTANCE / height + 0.5) for height in heights]
    images = np.array(list(itertools.product(*(range(-n, n + 1) for n in reach))))
    for first in range(len(crystal.symbols)):
        offsets = crystal.fractional[first:] - crystal.fractional[first]
        offsets -= np.round(offsets)
        vectors = (offsets[:, None, :] + images) @ crystal.cell
        distances = np.linalg.norm(vectors, axis=2)
        distances[0, len(images) // 2] = np.inf  # the atom itself
        if distances.min() < CLOSEST_DISTANCE:
            second = first + int(np.unravel_index(distances.argmin(), distances.shape)[0])
            raise document.error(key, _too_close(crystal, first, second, float(distances.min())))


def _too_close(crystal: Crystal, first: int, second: int, distance: float) -> str:
    names = f"atom {first + 1} ({crystal.symbols[first]}) and "
    names += "its own periodic image" if first == second else f"atom {second + 1} ({crystal.symbols[second]})"
    return f"overlapping atoms: {names} are {distance:.3g} bohr apart; valid: at least {CLOSEST_DISTANCE} bohr"


def _repeat(crystal: Crystal, times: list[int]) -> Crystal:
    """Return the supercell; the copies of an atom's cell follow each other, its third index fastest."""
    counts = np.array(times)
    shifts = np.array(list(itertools.product(*map(range, times))))
    fractional = (shifts[:, None, :] + crystal.fractional) / counts
    return Crystal(crystal.cell * counts[:, None], crystal.symbols * len(shifts), fractional.reshape(-1, 3))
