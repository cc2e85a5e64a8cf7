"""Rows of xyz files: their number, and columns that are what the title says, before ASE makes arrays of them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wavegrid.base.text import counted, printable
from wavegrid.errors import InputError
from wavegrid.input import compressed

_SUFFIXES = (".xyz", ".extxyz")
_PROPERTIES = re.compile(r"""(?:^|\s)Properties\s*=\s*["']?([^\s"']+)""")
_PROPERTY = re.compile(r"([^:]+):([RISL]):(\d{1,9})(?::|$)")
_DEFAULT = "species:S:1:pos:R:3"
_LOGICAL = {"T": True, "F": False, "True": True, "False": False}
_READERS: dict[str, Callable[[str], Any]] = {"R": float, "I": int, "S": str, "L": _LOGICAL.__getitem__}
_NAMES = {"R": "a number", "I": "a whole number", "L": "T or F"}


def check(path: Path, frame: int | None) -> None:
    """Refuse a number of atoms beyond the end of a file, and rows that lack columns or hold other types.

    Files with other suffixes pass. `frame`: whose rows are looked at, from 1; None for the first two. Raises InputError
    with file and line.
    """
    if compressed.plain_name(path).suffix.casefold() not in _SUFFIXES:
        return
    lines = compressed.text(path).splitlines()
    at, index = 0, 1
    while at < len(lines) and lines[at].strip().isdigit():
        atoms = int(lines[at].strip()[:20])
        if at + atoms + 2 > len(lines):
            raise InputError(
                f"'{path}': line {at + 1} says {atoms} atoms, {max(0, len(lines) - at - 2)} lines follow its title; "
                "valid: a line for each atom"
            )
        if index == frame or (frame is None and index <= 2):
            try:
                _check_rows(lines[at + 1], lines[at + 2 : at + 2 + atoms], at + 2)
            except InputError as fault:
                raise InputError(f"'{path}': {fault}") from None
        at, index = at + atoms + 2, index + 1


def _check_rows(title: str, rows: list[str], line: int) -> None:
    """Refuse rows that are not what the title says; `line`: that of the title."""
    match = _PROPERTIES.search(title)
    properties = match[1] if match else _DEFAULT
    parts = list(_PROPERTY.finditer(properties))
    if "".join(part[0] for part in parts) != properties or not all(int(part[3]) for part in parts):
        raise InputError(
            f"line {line}: Properties={printable(properties)[:60]}; valid: NAME:TYPE:COLUMNS of each property, "
            f"TYPE being R, I, S or L, such as {_DEFAULT}"
        )
    columns = sum(int(part[3]) for part in parts)
    for number, row in enumerate(rows, line + 1):
        values = row.split()
        if len(values) < columns or (match and len(values) > columns):
            raise InputError(
                f"line {number} has {counted(len(values), 'value')}, its title asks for {columns}; valid: "
                f"{printable(properties)[:60]}"
            )
        at = 0
        for part in parts:
            for value in values[at : at + int(part[3])]:
                _check_value(value, part[2], part[1], number)
            at += int(part[3])


def _check_value(value: str, kind: str, name: str, line: int) -> None:
    try:
        _READERS[kind](value)
    except (ValueError, KeyError):
        raise InputError(
            f"line {line}: '{printable(value)[:60]}' as {printable(name)[:60]}; valid: {_NAMES[kind]}"
        ) from None
