"""The trajectory of a run: geometries in one extended XYZ file, each with what was computed for it.

Frames are added at its end and are on the disk when `add` returns. What a kill leaves of an unfinished frame is
dropped by `read`; a file that is damaged elsewhere is refused.
"""

import itertools
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wavegrid.base import vectors
from wavegrid.base.text import counted, printable
from wavegrid.errors import EnvironmentFault, InputError, did_you_mean
from wavegrid.files import readable, store
from wavegrid.files.names import TRAJECTORY

if TYPE_CHECKING:
    from ase import Atoms

_PROPERTIES = re.compile(rb"(?:^| )Properties=((?:\w+:[SRIL]:\d{1,2}:?)+)(?= |$)")
_STEP = re.compile(rb"(?:^| )step=(\d{1,12})(?= |$)")
_FLAGS = (b"T", b"F")
_VALUES = re.compile(rb'(?:^| )(free_energy|Lattice|thermostat|time)=(?:"([^"]*)"|(\S*))(?= |$)')
_COUNTS = {b"free_energy": 1, b"Lattice": 9, b"thermostat": 6, b"time": 1}  # 6: a Nose-Hoover chain of three
_REQUIRED = (b"free_energy", b"Lattice")
_VALID = f"valid: the {TRAJECTORY} of an earlier run"


class Trajectory:
    """The file that a run adds its geometries to."""

    def __init__(self, path: Path, begin: bytes) -> None:
        """Begin with the frames that a continued run has already, or with none; another file gets another name."""
        self.path = path
        try:
            if path.exists() and path.read_bytes() not in (begin, b""):
                path.replace(name_for_older(path))
            store.replace(path, begin, store.process_token(), synced=False)
        except OSError as fault:
            raise self._fault(fault) from None

    def add(self, frame: bytes) -> None:
        """Add a frame; raises EnvironmentFault where the file system refuses."""
        try:
            with self.path.open("ab") as file:
                file.write(frame)
                file.flush()
                os.fsync(file.fileno())
        except OSError as fault:
            raise self._fault(fault) from None

    def _fault(self, fault: OSError) -> EnvironmentFault:
        return EnvironmentFault(f"'{self.path}' cannot be written: {fault.strerror}; the frames before are in it")


def name_for_older(path: Path) -> Path:
    """Return the name that the trajectory of an earlier run gets when a new one begins: that of no file."""
    names = (path.with_name(f"{path.stem}.{number}{path.suffix}") for number in itertools.count(1))
    return next(name for name in names if not os.path.lexists(name))


@dataclass(frozen=True)
class Frames:
    """The complete frames of a trajectory."""

    atoms: "list[Atoms]"
    text: bytes  # of all of them
    unfinished: int  # bytes of a last frame that is cut, as a kill leaves it


def read(path: Path, *, last_only: bool = False) -> Frames:
    """Return the complete frames of a trajectory, or the last one, and the text of all.

    Raises InputError without file and line for a file that is damaged before its last frame.
    """
    if why := readable.refusal(path, None):
        near = did_you_mean(path.name, readable.neighbours(path, path.suffix)) if why == readable.MISSING else ""
        raise InputError(f"--restart {path}: {why}; {_VALID} or a checkpoint{near}")
    whole = path.read_bytes()
    content = whole.rstrip() + b"\n" if whole.endswith(b"\n") and whole.strip() else whole  # without blank lines
    ends = _ends(path, content)
    if not ends:
        raise InputError(f"--restart {path}: it holds no complete frame; {_VALID}")
    begin = ends[-2] if last_only and len(ends) > 1 else 0
    import io

    import ase.io

    try:
        frames: Any = ase.io.read(io.StringIO(content[begin : ends[-1]].decode()), index=":", format="extxyz")
    except Exception:  # ASE's readers raise whatever they meet
        raise InputError(f"--restart {path}: a frame is damaged: it cannot be read as extended XYZ; {_VALID}") from None
    return Frames(frames, content[: ends[-1]], len(content) - ends[-1])


def _ends(path: Path, content: bytes) -> list[int]:
    """Return where each complete frame ends; raises InputError for a line that does not belong there."""
    ends: list[int] = []
    lines = content.split(b"\n")
    last = len(lines) - 1  # what follows the last line end: nothing, or a line that is cut
    at = position = columns = atoms = 0
    before = -1  # the step of the last frame
    while at < last:
        found = int(lines[at]) if lines[at].strip().isdigit() and len(lines[at]) < 10 else 0
        if found == 0 or found != (atoms or found):
            expected = f"the number of atoms, {atoms}" if atoms else "the number of atoms"
            raise _damage(path, at, lines[at], expected, len(ends))
        atoms = found
        if at + 1 < last:
            columns, step = _heading(lines[at + 1])
            if columns == 0:
                raise _damage(path, at + 1, lines[at + 1], "Properties with forces, and a step", len(ends))
            if step <= before:
                raise _damage(path, at + 1, b"step=%d" % step, f"a step after step {before}", len(ends))
            before = step
            if fault := _wrong_value(lines[at + 1]):
                raise _damage(path, at + 1, *fault, len(ends))
        for row in range(at + 2, min(at + 2 + atoms, last)):
            if not _is_row(lines[row], columns):
                raise _damage(path, row, lines[row], f"an atom with {columns} columns", len(ends))
        if at + 2 + atoms > last:
            break
        position += sum(len(line) + 1 for line in lines[at : at + 2 + atoms])
        at += 2 + atoms
        ends.append(position)
    return ends


def _heading(line: bytes) -> tuple[int, int]:
    """Return the columns of a frame's atoms and its step from its second line; no column where it has not both."""
    properties, step = _PROPERTIES.search(line.strip()), _STEP.search(line.strip())
    if properties is None or step is None or b":forces:R:3" not in properties[1]:
        return 0, 0
    return sum(map(int, properties[1].split(b":")[2::3])), int(step[1])


def _wrong_value(line: bytes) -> tuple[bytes, str] | None:
    """Return the first value of a frame's second line that its reader cannot use, and what is expected there."""
    values = {name: quoted or plain for name, quoted, plain in _VALUES.findall(line.strip())}
    if missing := [name for name in _REQUIRED if name not in values]:
        return line, f"{missing[0].decode()}="
    for name, value in values.items():
        words, count = value.split(), _COUNTS[name]
        if len(words) != count or not all(map(_is_finite, words)):
            return name + b"=" + value, counted(count, "finite number")
    if vectors.are_flat([[float(x) for x in values[b"Lattice"].split()[i : i + 3]] for i in (0, 3, 6)]):
        return b"Lattice=" + values[b"Lattice"], "three vectors that span a volume"
    return None


def _is_row(line: bytes, columns: int) -> bool:
    """Whether a line has an element and numbers or flags in all columns."""
    words = line.split()
    return (
        len(words) == columns and words[0].isalpha() and all(word in _FLAGS or _is_finite(word) for word in words[1:])
    )


def _is_finite(word: bytes) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def _damage(path: Path, at: int, line: bytes, expected: str, frames: int) -> InputError:
    found = printable(line.decode(errors="replace").strip())[:40]
    whole = f", such as its first {counted(frames, 'frame')}" if frames else ""
    return InputError(
        f"--restart {path}:{at + 1}: {repr(found) if found else 'a blank line'} in the place of {expected}; "
        f"valid: a file of whole frames{whole}; nothing was changed"
    )
