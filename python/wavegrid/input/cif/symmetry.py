"""The symmetry operations of a CIF file, or of its space group, and the atoms that they make."""

import re
from types import ModuleType

import numpy as np

from wavegrid.base.text import counted
from wavegrid.errors import InputError
from wavegrid.input.cif import contents, orbits, space_groups
from wavegrid.input.cif.orbits import Structure
from wavegrid.input.cif.sites import Site
from wavegrid.input.cif.space_groups import Operations, Setting
from wavegrid.input.cif.syntax import Block, Value

_OPERATIONS = ("_space_group_symop_operation_xyz", "_symmetry_equiv_pos_as_xyz")
_HALL = ("_space_group_name_hall", "_symmetry_space_group_name_hall")
_SYMBOL = ("_space_group_name_h-m_alt", "_symmetry_space_group_name_h-m", "_space_group_name_h-m_full")
_NUMBER = ("_space_group_it_number", "_symmetry_int_tables_number")

_MOST_OPERATIONS = 1000
_TERM = re.compile(r"([+-]?)(?:([xyz])|(\d{1,9}\.?\d{0,9}|\.\d{1,9})(?:/(\d{1,9}))?)")


def expanded(core: ModuleType, block: Block, sites: list[Site], cell: np.ndarray) -> Structure:
    """Return all atoms of the cell."""
    if given := [value for value in block.column(*_OPERATIONS) or [] if not value.unknown]:
        return _by_operations(core, block, _written(given, cell), sites, cell)
    if settings := _settings(core, block):
        return _by_settings(core, block, settings, sites, cell)
    structure = orbits.apply(Operations(np.eye(3, dtype=int)[None], np.zeros((1, 3))), sites, cell)
    contents.check(block, structure)
    structure.notes.append("neither operations nor a space group: the sites are taken as all atoms of the cell")
    return structure


def _written(given: list[Value], cell: np.ndarray) -> Operations:
    """Return the operations that the file writes out; refuse what is no group of the cell."""
    if len(given) > _MOST_OPERATIONS:
        raise InputError(
            f"line {given[0].line}: {len(given)} operations are written out; valid: at most {_MOST_OPERATIONS}"
        )
    rotations, translations = zip(*map(_operation, given), strict=True)
    operations = Operations(np.array(rotations), np.array(translations))
    if (wrong := operations.distorting(cell)) is not None:
        raise InputError(
            f"line {given[wrong].line}: the operation '{given[wrong].shown()}' changes lengths or angles of the cell; "
            "valid: operations of this cell"
        )
    if (pair := operations.missing_product()) is not None:
        first, second = (given[index] for index in pair)
        raise InputError(
            f"line {first.line}: the product of the operations '{first.shown()}' and '{second.shown()}' is missing; "
            "valid: all operations of a group"
        )
    return operations


def _operation(value: Value) -> tuple[np.ndarray, np.ndarray]:
    """Return W and w of a text such as "-x, y+1/2, 1/2-z"."""
    rotation, translation = np.zeros((3, 3), dtype=int), np.zeros(3)
    rows = "".join(value.text.split()).casefold().split(",")
    faulty = len(rows) != 3
    for row, text in enumerate(rows[:3]):
        terms = list(_TERM.finditer(text))
        faulty |= not text or "".join(term[0] for term in terms) != text or not all(term[1] for term in terms[1:])
        for sign, letter, number, divisor in (term.groups() for term in terms):
            if letter:
                rotation[row, "xyz".index(letter)] += -1 if sign == "-" else 1
            else:
                faulty |= divisor is not None and int(divisor) == 0
                size = float(number) / (float(divisor) if divisor and int(divisor) else 1)
                translation[row] += -size if sign == "-" else size
    if faulty or abs(round(np.linalg.det(rotation))) != 1:
        raise InputError(f"line {value.line}: '{value.shown()}' is no symmetry operation; valid: such as -x,y+1/2,-z")
    return rotation, translation


def _settings(core: ModuleType, block: Block) -> list[Setting]:
    """Return the settings that symbols and number allow; nothing where the file has neither."""
    hall, symbol, number = (block.one(*names) for names in (_HALL, _SYMBOL, _NUMBER))
    found = [] if symbol is None else space_groups.by_symbol(core, symbol.text)
    if hall is not None and (exact := space_groups.by_hall(core, hall.text)):
        if found and exact[0] not in found:
            raise InputError(
                f"line {hall.line}: the Hall symbol '{hall.shown()}' is not of the space group of line "
                f"{symbol.line if symbol else 0}; valid: symbols of one setting"
            )
        found = exact
    elif hall is not None and "," in hall.text:
        raise InputError(
            f"line {hall.line}: the Hall symbol '{hall.shown()}' has axes of its own; valid: one of the 530 of the "
            "International Tables, or all operations written out"
        )
    elif symbol is not None and not found:
        raise InputError(
            f"line {symbol.line}: unknown space group '{symbol.shown()}'; valid: a Hermann-Mauguin symbol of the "
            "International Tables such as 'P 1 21/n 1', 'R -3 m :H' or 'F d -3 m :2', or all operations written out"
        )
    if number is not None:
        found = _settings_by_number(core, number, found)
    return found


def _settings_by_number(core: ModuleType, value: Value, found: list[Setting]) -> list[Setting]:
    number = value.number()
    if number is None or number not in range(1, 231):
        raise InputError(f"line {value.line}: the space group number is '{value.shown()}'; valid: from 1 to 230")
    if not found:
        return space_groups.by_number(core, int(number))
    if kept := [setting for setting in found if setting.number == number]:
        return kept
    raise InputError(
        f"line {value.line}: the space group number is {number:g}, the symbol is that of {found[0].number} "
        f"({found[0].described()}); valid: symbol and number of one group"
    )


def _by_operations(
    core: ModuleType, block: Block, operations: Operations, sites: list[Site], cell: np.ndarray
) -> Structure:
    """Return the atoms that operations written out make; a note says where the symbol of the file is not theirs."""
    structure = orbits.apply(operations, sites, cell)
    contents.check(block, structure)
    try:
        settings = _settings(core, block)
    except InputError as fault:
        structure.notes.append(f"the operations written out are used ({fault})")
    else:
        _compare(core, operations, settings, structure, cell)
    return structure


def _compare(
    core: ModuleType, operations: Operations, settings: list[Setting], structure: Structure, cell: np.ndarray
) -> None:
    """Note that operations written out are not those of the symbol; refuse them where atoms are missing."""
    if not settings or any(operations.equal(setting.operations(core)) for setting in settings):
        return
    size = len(settings[0].operations(core))
    if len(operations) == size:
        structure.notes.append(
            f"the operations written out are used; they are those of another setting than {settings[0].described()}"
        )
    elif not any(orbits.has_symmetry(structure, setting.operations(core), cell) for setting in settings):
        raise InputError(
            f"{counted(len(operations), 'operation is', 'operations are')} written out, {settings[0].described()} has "
            f"{size}, and the atoms lack that symmetry; valid: all operations, or the symbol of those that are written "
            "out"
        )


def _by_settings(
    core: ModuleType, block: Block, settings: list[Setting], sites: list[Site], cell: np.ndarray
) -> Structure:
    """Return the atoms of the setting that fits cell, formula and multiplicities; the first where several do."""
    fitting = [setting for setting in settings if setting.operations(core).distorting(cell) is None]
    if not fitting:
        raise InputError(
            f"the cell does not have the symmetry of {settings[0].described()}; valid: a space group that keeps its "
            "lengths and angles, or all operations written out"
        )
    possible, faults = [], []
    for setting in fitting:
        try:
            structure = orbits.apply(setting.operations(core), sites, cell)
            contents.check(block, structure)
            possible.append((setting, structure))
        except InputError as fault:
            faults.append(fault)
    if not possible:
        raise faults[0]
    (chosen, structure), *others = possible
    differing = [setting for setting, other in others if not orbits.same_atoms(structure, other, cell)]
    if differing and block.one(*_SYMBOL, *_HALL) is None:
        raise InputError(
            f"space group {chosen.number} has several settings that fit the cell and give other atoms; valid: its "
            f"symbol such as '{chosen.symbol.replace('_', '')}', or all operations written out"
        )
    if differing:
        structure.notes.append(
            f"the symbol of the space group leaves its setting open: taken is {chosen.described()}, not "
            f"{' or '.join(setting.described() for setting in differing)}"
        )
    return structure
