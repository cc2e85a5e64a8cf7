"""About a thousand inputs that the program has to refuse: edits of a valid input file, other files, and arguments.

For every key of the input model there are values of a wrong type, range, length and spelling; they are made from the
model, so that a new key has its cases at once. The rest are mistakes that need more than one value.
"""

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from wavegrid.input import fields
from wavegrid.input.models import Input


class Special(Enum):
    """What is not a regular file, or not a small one."""

    DIRECTORY = partial(os.mkdir)
    PIPE = partial(os.mkfifo)
    SOCKET = partial(lambda path: socket.socket(socket.AF_UNIX).bind(os.path.relpath(path)))
    ENDLESS = partial(lambda path: path.symlink_to("/dev/zero"))
    TERMINAL = partial(lambda path: path.symlink_to("/dev/tty"))
    NOTHING = partial(lambda path: path.symlink_to("/dev/null"))
    MISSING = partial(lambda path: path.symlink_to("nowhere"))
    LOOP = partial(lambda path: path.symlink_to(path))
    HUGE = partial(lambda path: (path.touch(), os.truncate(path, 10**11)))

    def make(self, path: Path) -> None:
        """Make it at a path."""
        self.value(path)


Files = dict[str, bytes | str | Special]  # content by name

CELL = "[[4.05,0,0],[0,4.05,0],[0,0,4.05]]"
ATOMS = '[["Al",0,0,0],["Al",0,0.5,0.5],["Al",0.5,0,0.5],["Al",0.5,0.5,0]]'
INLINE = {"cell": CELL, "unit": '"angstrom"', "atoms": ATOMS, "coordinates": '"fractional"'}
BASE = {
    **{f"structure.{name}": value for name, value in INLINE.items()},
    "basis.ecut": '"40 eV"',
    "electrons.xc": '"LDA-PZ"',
    "electrons.pseudopotentials": '"gth-lda"',
    "electrons.smearing.kind": '"cold"',
    "electrons.smearing.width": '"0.2 eV"',
}


@dataclass(frozen=True)
class Case:
    """One call of the program that has to fail.

    `line`: of the input file, that the message has to name; 0 for any line, None where it names an argument or file.
    """

    name: str
    text: str | bytes = ""
    line: int | None = 0
    words: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ("check", "in.toml")
    files: Files = field(default_factory=dict)
    valid: bool = False  # by right no mistake: the call succeeds


def document(changes: dict[str, str | None]) -> str:
    """Return the base input with keys replaced, added (`section.key`) or, where None, left out; a key per line."""
    values = {key: value for key, value in {**BASE, **changes}.items() if value is not None}
    lines = [f"{key} = {value}" for key, value in values.items() if "." not in key]
    for section in dict.fromkeys(key.partition(".")[0] for key in values if "." in key):
        lines.append(f"[{section}]")
        lines += [f"{key.partition('.')[2]} = {v}" for key, v in values.items() if key.startswith(f"{section}.")]
    return "\n".join(lines) + "\n"


def line_of(text: str, key: str) -> int:
    """Return the line that sets a key in a document of ours."""
    section, _, name = key.rpartition(".") if key.count(".") == 0 else key.partition(".")
    at = ""
    for number, line in enumerate(text.splitlines(), 1):
        at = line[1:-1] if line.startswith("[") and line.endswith("]") and " = " not in line else at
        if at == section and line.startswith(f"{name} = "):
            return number
    raise AssertionError(key)


# What a key needs in addition to be read at all, and what it excludes.
WITHOUT_INLINE: dict[str, str | None] = {f"structure.{name}": None for name in INLINE}
COMPANIONS: dict[str, dict[str, str | None]] = {
    "structure.file": WITHOUT_INLINE,
    "structure.frame": WITHOUT_INLINE | {"structure.file": '"al.xyz"'},
    "electrons.kpoints.shift": {"electrons.kpoints.mesh": "[2,2,2]"},
    "electrons.kpoints.weights": {"electrons.kpoints.list": "[[0,0,0]]"},
    "electrons.kpoints.points": {"electrons.kpoints.path": '"GX"'},
    "electrons.smearing": {"electrons.smearing.kind": None, "electrons.smearing.width": None},
    "electrons.initial_magnetic_moments": {"electrons.spin": '"collinear"'},
    "electrons.total_magnetisation": {"electrons.spin": '"collinear"'},
    "parallel.rows": {"parallel.columns": "1"},
    "parallel.columns": {"parallel.rows": "1"},
    "wannier.unk": {"wannier.scdm": "2"},
    "neb.climb": {"neb.final": '"moved.xyz"'},
    "neb.spring": {"neb.final": '"moved.xyz"'},
    "output.polarisation": {"electrons.smearing.kind": None, "electrons.smearing.width": None},
    "task.width": {"task.kind": '"dos"'},
    "task.points": {"task.kind": '"dos"'},
}
EXTXYZ = '1\nLattice="5 0 0 0 5 0 0 0 5" Properties=species:S:1:pos:R:3 pbc="T T T"\nAl 0 0 0\n'
MOVED = """4
Lattice="4.05 0 0 0 4.05 0 0 0 4.05" Properties=species:S:1:pos:R:3 pbc="T T T"
Al 0.3 0 0
Al 0 2.025 2.025
Al 2.025 0 2.025
Al 2.025 2.025 0
"""
OTHER_FILES: Files = {"al.xyz": EXTXYZ, "moved.xyz": MOVED}

VALUES = {
    "boolean": "true",
    "text": '"nonsense"',
    "number": "1.5",
    "zero": "0",
    "negative": "-1",
    "huge": "1" + 40 * "0",
    "nan": "nan",
    "inf": "-inf",
    "empty text": '""',
    "wrong unit": '"1 kJ"',
    "negative energy": '"-1e300 eV"',
    "empty list": "[]",
    "zeros": "[0, 0, 0]",
    "huge numbers": "[1e300, 1e300, 1e300]",
    "long list": f"[{', '.join(['1'] * 1000)}]",
    "table": "{ a = { b = 1 } }",
}
# By right no mistake, by key and value.
VALID = {
    ("title", "text"): "any text is a title",
    ("title", "wrong unit"): "any text is a title",
    ("title", "negative energy"): "any text is a title",
    ("title", "empty text"): "without a title, it is the name of the file",
    ("electrons.kpoints.shift", "zeros"): "the default",
    ("relax.fixed_atoms", "empty list"): "all atoms move",
    ("md.fixed_atoms", "empty list"): "all atoms move",
    ("electrons.total_magnetisation", "zero"): "the moments compensate each other",
    ("electrons.charge", "zero"): "the default",
    ("electrons.charge", "number"): "with smearing, a fraction of an electron may be missing",
    ("electrons.charge", "negative"): "an electron more",
    ("electrons.total_magnetisation", "number"): "with smearing any moment is possible",
    ("electrons.total_magnetisation", "negative"): "more electrons down than up",
    ("symmetry.use", "boolean"): "the default of a mesh",
    ("electrons.kpoints.spacing", "number"): "per bohr",
    ("electrons.spin_orbit", "boolean"): "a choice",
    ("scf.mixing.k0", "number"): "in range",
    ("scf.mixing.beta", "number"): "in range",
    ("scf.mixing.epsilon", "number"): "in range",
    ("parallel.deterministic", "boolean"): "a choice",
    ("parallel.transports_file", "text"): "any text is a file name",
    ("parallel.transports_file", "wrong unit"): "any text is a file name",
    ("parallel.transports_file", "negative energy"): "any text is a file name",
    ("elastic.relax", "boolean"): "a choice",
    ("neb.climb", "boolean"): "a choice",
    ("wannier.unk", "boolean"): "a choice",
    ("neb.spring", "number"): "in range",
    ("propagate.kick.strength", "number"): "in range",
    ("propagate.laser", "empty list"): "no pulses",
    ("propagate.forces", "boolean"): "a choice",
    ("propagate.excited", "boolean"): "a choice",
    ("propagate.occupations", "boolean"): "a choice",
    ("propagate.ions", "boolean"): "a choice",
    ("output.directory", "text"): "any text is a directory",
    ("output.directory", "wrong unit"): "any text is a directory",
    ("output.directory", "negative energy"): "any text is a directory",
    ("output.forces", "boolean"): "a choice",
    ("output.stress", "boolean"): "a choice",
    ("output.checkpoint", "boolean"): "a choice",
    ("output.orbitals.elf", "boolean"): "a choice",
    ("output.polarisation", "boolean"): "a choice",
}


def every_key(section: type[fields.Section] = Input, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and field of every key, those of tables before the keys in them; without those in lists of tables."""
    for name, found in section.model_fields.items():
        yield f"{path}{name}", found
        if (table := fields.table_of(found)) is not None and "tables" not in fields.kind_of(found).name:
            yield from every_key(table, f"{path}{name}.")


def of_the_model() -> Iterator[Case]:
    """Yield every key with each value, misspelt, and with a misspelt value where it takes names."""
    for key, found in every_key():
        is_section = "." not in key and fields.table_of(found) is not None
        if is_section:
            continue
        companions = COMPANIONS.get(key, {})
        below = {other: None for other in BASE if other.startswith(f"{key}.")}
        for name, value in VALUES.items():
            yield _with(f"{key} {name}", key, value, {**companions, **below}, valid=(key, name) in VALID)
        if "list" in fields.kind_of(found).name:
            longest = f"[{', '.join(['[0, 0, 0]'] * (100_001 if key == 'structure.atoms' else 10_001))}]"
            yield _with(f"{key} longest list", key, longest, {**companions, **below})
        for choice in [one for one in fields.choices(found) if len(one) > 2][:1]:
            nearest = (f"did you mean '{choice}'?",)
            yield _with(f"{key} misspelt value", key, f'"{choice[:-1]}"', companions, nearest)
        misspelt, words = key[:-1] + key[-1] * 2, (f"did you mean '{key.rpartition('.')[2]}'?",)
        yield _with(f"{key} misspelt", misspelt, "1", companions, words)


def _with(
    name: str, key: str, value: str, more: dict[str, str | None], words: tuple[str, ...] = (), *, valid: bool = False
) -> Case:
    text = document({**more, key: value})
    return Case(name, text, line_of(text, key), words, files=OTHER_FILES, valid=valid)


def make(case: Case, folder: Path) -> None:
    """Write the files of a case into a folder."""
    content = case.text if isinstance(case.text, bytes) else case.text.encode()
    for name, data in {"in.toml": content, **case.files}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(data, Special):
            data.make(path)
        else:
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
