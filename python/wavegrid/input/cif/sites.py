"""The cell and the sites of a CIF file."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError
from wavegrid.input.cif.syntax import Block, Value
from wavegrid.input.structure import FARTHEST_CELL, LONGEST_VECTOR

_MULTIPLICITY = ("_atom_site_site_symmetry_multiplicity", "_atom_site_symmetry_multiplicity")
_CELL = (
    *(f"_cell_length_{axis}" for axis in "abc"),
    *(f"_cell_angle_{axis}" for axis in ("alpha", "beta", "gamma")),
)
_FRACTIONAL = tuple(f"_atom_site_fract_{axis}" for axis in "xyz")
_CARTESIAN = tuple(f"_atom_site_cartn_{axis}" for axis in "xyz")


@dataclass(frozen=True)
class Site:
    """A site of the file."""

    name: str
    symbol: str
    fractional: np.ndarray  # (3,)
    multiplicity: int | None


def has_sites(block: Block) -> bool:
    """Return whether a data block holds coordinates."""
    return bool(block.column(*_FRACTIONAL, *_CARTESIAN))


def cell_parameters(block: Block) -> list[float]:
    """Return three lengths (angstrom) and three angles (degrees); raises InputError for those of no cell."""
    numbers = [_positive(name, block.one(name)) for name in _CELL]
    a, b, c = (math.cos(math.radians(angle)) for angle in numbers[3:])
    if max(numbers[3:]) >= 180 or 1 - a * a - b * b - c * c + 2 * a * b * c < 1e-9:
        shown = ", ".join(f"{angle:g}" for angle in numbers[3:])
        raise InputError(f"no cell has the angles {shown}; valid: angles of three vectors that span a volume")
    return numbers


def _positive(name: str, value: Value | None) -> float:
    if value is None:
        raise InputError(f"{name} is missing, so that the file holds no cell; valid: three lengths and angles")
    number = value.number()
    if number is None or not 0 < number <= LONGEST_VECTOR:
        raise InputError(
            f"line {value.line}: {name} is '{value.shown()}'; valid: a number above zero, at most {LONGEST_VECTOR}"
        )
    return number


def sites(block: Block, cell: np.ndarray, notes: list[str]) -> Iterator[Site]:
    """Yield the sites; refuse those that are not ordered atoms at known places."""
    if (modulated := block.one("_cell_modulation_dimension")) is not None and modulated.number() != 0:
        raise InputError(f"line {modulated.line}: a modulated structure; valid: one that its cell repeats")
    names = _FRACTIONAL if block.column(_FRACTIONAL[0]) else _CARTESIAN
    columns = [block.column(name) for name in names]
    rows = len(columns[0] or [])
    symbols = block.column("_atom_site_type_symbol")
    labels = block.column("_atom_site_label", "_atom_site_id") or symbols
    optional = [block.column("_atom_site_occupancy"), block.column("_atom_site_attached_hydrogens")]
    multiplicities = block.column(*_MULTIPLICITY)
    for column in (*columns, labels, symbols, *optional, multiplicities):
        if column is not None and len(column) != rows:
            raise InputError(f"line {column[0].line}: the columns of the sites differ in length; valid: one loop")
    if labels is None or None in columns:
        raise InputError(f"the sites have no {'symbols' if labels is None else ' or no '.join(names)}; valid: all")
    for row in range(rows):
        name = labels[row].shown()
        symbol = _element(name, labels[row], None if symbols is None else symbols[row], notes)
        _check_whole_atom(name, *(None if column is None else column[row] for column in optional))
        place = [_coordinate(name, axis, column[row]) for axis, column in zip("xyz", columns, strict=True) if column]
        if names is _CARTESIAN:
            place = np.linalg.solve(cell.T, place).tolist()
        if max(map(abs, place)) > FARTHEST_CELL:
            raise InputError(
                f"line {labels[row].line}: site {name} is at {max(place, key=abs):.6g} lattice vectors; valid: "
                f"fractional coordinates from -{FARTHEST_CELL} to {FARTHEST_CELL}"
            )
        known = None if multiplicities is None else multiplicities[row].number()
        yield Site(name, symbol, np.array(place), None if known is None else round(known))


def _coordinate(site: str, axis: str, value: Value) -> float:
    number = value.number()
    if number is None or value.unknown:
        raise InputError(
            f"line {value.line}: the coordinate {axis} of site {site} is '{value.shown()}'; valid: a number"
        )
    return number


def _element(site: str, label: Value, symbol: Value | None, notes: list[str]) -> str:
    """Return the element of a type symbol such as "Fe3+", or of a label such as "Fe1"."""
    if symbol is not None and not symbol.unknown:
        match = re.fullmatch(r"([A-Za-z]{1,2})[^A-Za-z(]*(?:\(.*\))?", symbol.text)
        found = match[1].capitalize() if match else symbol.text
        place = symbol
    else:
        match = re.match(r"[A-Za-z]{1,2}", label.text)
        letters, place = match[0] if match else "", label
        found = letters.capitalize() if letters.capitalize() in ELEMENTS else letters[:1].upper()
        if len(found) == 2 and letters.isupper():  # "CA1" may be calcium, or a carbon named A1
            found = ""
    if found == "D":
        notes.append(f"site {site} is deuterium: it is computed as hydrogen")
        return "H"
    if found not in ELEMENTS:
        raise InputError(
            f"line {place.line}: site {site} has the element '{place.shown()}'; valid: _atom_site_type_symbol with "
            "chemical symbols from H to Og"
        )
    return found


def _check_whole_atom(site: str, occupancy: Value | None, hydrogens: Value | None) -> None:
    if occupancy is not None and not occupancy.unknown:
        share = occupancy.number()
        if share is None or abs(share - 1) > 1e-6:
            raise InputError(
                f"line {occupancy.line}: site {site} is a partly occupied site ({occupancy.shown()}); valid: an "
                "ordered structure"
            )
    if hydrogens is not None and not hydrogens.unknown and hydrogens.number() != 0:
        raise InputError(
            f"line {hydrogens.line}: site {site} has {hydrogens.shown()} hydrogen atoms without coordinates; valid: a "
            "site for each"
        )
