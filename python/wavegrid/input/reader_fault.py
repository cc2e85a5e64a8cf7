"""What to say of a structure file on which a reader of ASE gave up, or of which it warned.

The format and the line, not the reader's words.
"""

import io
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wavegrid.errors import InputError
from wavegrid.input import compressed

if TYPE_CHECKING:
    from ase.io.formats import IOFormat

_OF_DEVELOPERS = (DeprecationWarning, FutureWarning, ResourceWarning, RuntimeWarning)
_DROPS_DATA = r"(?s).*(ignor|skip|unsupported|not (currently )?supported|could not be saved|different from number)"


class _Counting(io.StringIO):
    """A text that counts the lines that a reader has taken."""

    lines = 0

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        line = super().readline(-1 if size is None else size)
        self.lines += bool(line)
        return line

    def __next__(self) -> str:  # type: ignore[override]
        line = super().__next__()
        self.lines += 1
        return line

    def seek(self, place: int, whence: int = 0, /) -> int:
        place = super().seek(place, whence)
        self.lines = self.getvalue()[:place].count("\n")
        return place


def explain(path: Path, valid: str) -> str:
    """Return what a file is by its name and its first lines, and where its reader stops."""
    from ase.io.formats import UnknownFileTypeError, filetype, ioformats

    try:
        found = ioformats[filetype(str(path))]
    except (UnknownFileTypeError, KeyError):
        return f"'{path}' is of no format that ASE knows by the file's name or its contents; {valid}"
    line = _last_line(path, found)
    where = f"'{path}': the reading stops at line {line}" if line else f"'{path}' cannot be read"
    return f"{where}: damaged, or no file of the format that its name or its contents say, {found.description}; {valid}"


def check_warnings(path: Path, said: Sequence[warnings.WarningMessage], notes: list[str]) -> None:
    """Refuse a file of which a reader leaves out a part, as its warnings say; other warnings become a note."""
    from ase.io.formats import filetype, ioformats

    found = ioformats[filetype(str(path))]
    messages = [str(each.message) for each in said if not issubclass(each.category, _OF_DEVELOPERS)]
    drops = any(re.match(_DROPS_DATA, message, re.I) for message in messages)
    if not messages:
        return
    line = _last_line(path, found, _DROPS_DATA if drops else "")
    where = f"line {line}: " if line else ""
    if drops:
        raise InputError(
            f"'{path}': {where}the reader of the format, {found.description}, leaves out a part of the file; valid: a "
            "complete file without what it does not support"
        )
    notes.append(
        f"{path}: {where}the reader of the format, {found.description}, warns of the file: compare the structure with "
        "the file"
    )


def _last_line(path: Path, kind: "IOFormat", warning: str | None = None) -> int | None:
    """Return the line at which a reader stops, also at a `warning`; None where it takes the whole file first."""
    from ase.io import read

    if kind.isbinary or not kind.acceptsfd:
        return None
    text = _Counting(compressed.text(path))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if warning is not None:
                warnings.filterwarnings("error", warning, UserWarning)
            read(text, index=slice(0, 2), format=kind.name)
    except Exception:  # the same as before
        return text.lines if 0 < text.lines < len(text.getvalue().splitlines()) else None
    return None
