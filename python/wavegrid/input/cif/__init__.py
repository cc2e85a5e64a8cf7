"""Reads CIF files: the sites, and the operations that make all atoms from them.

The operations are those that the file writes out. Without them the symbol of the space group decides, Hall's before
Hermann and Mauguin's, and without a symbol the number; each by spglib's table of all settings. What comes out has to
fit the cell, and what the file says of formula, multiplicities and volume.

- `syntax`: names and values with their lines
- `sites`: the cell and the sites
- `space_groups`: the settings that a symbol may mean; `symmetry`: the operations of a file, or of its space group
- `orbits`: the atoms that operations make from sites
- `contents`: what the file says of its formula, multiplicities and volume; magnetic moments are refused
"""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from wavegrid.errors import InputError
from wavegrid.input import compressed
from wavegrid.input.cif import contents, sites, symmetry, syntax
from wavegrid.process import core_loader

if TYPE_CHECKING:
    from ase import Atoms


def frames(path: Path) -> "Iterator[tuple[Atoms, list[str]]]":
    """Yield structure and notes of each data block that holds sites; raises InputError with the line or the site."""
    data = compressed.contents(path)
    try:
        blocks = syntax.parse(_text(data))
        for block in blocks:
            contents.check_magnetic(block)
        for block in filter(sites.has_sites, blocks):
            found: list[str] = []
            atoms = _atoms(core_loader.load(), block, found)
            yield atoms, [f"{path}: {note}" for note in found]
    except InputError as fault:
        raise InputError(f"'{path}': {fault}") from None


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _atoms(core: ModuleType, block: syntax.Block, notes: list[str]) -> "Atoms":
    from ase import Atoms  # half a second: only where a file asks for it
    from ase.cell import Cell

    cell = Cell.fromcellpar(sites.cell_parameters(block))
    contents.check_volume(block, cell.volume)
    structure = symmetry.expanded(core, block, list(sites.sites(block, cell.array, notes)), cell.array)
    notes += structure.notes
    return Atoms(structure.symbols(), scaled_positions=structure.fractional, cell=cell, pbc=True)
