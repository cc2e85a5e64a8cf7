"""What to say of a structure file on which a reader of ASE gave up: its format and the line, not the reader's words."""

import io
import warnings
from pathlib import Path

from wavegrid.input import compressed


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
    line = None if found.isbinary or not found.acceptsfd else _last_line(path, found.name)
    where = f"'{path}': the reading stops at line {line}" if line else f"'{path}' cannot be read"
    return f"{where}: damaged, or no file of the format that its name or its contents say, {found.description}; {valid}"


def _last_line(path: Path, name: str) -> int | None:
    """Return the line at which the reader of a format stops; None where it takes the whole file first."""
    from ase.io import read

    text = _Counting(compressed.text(path))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(text, index=slice(0, 2), format=name)
    except Exception:  # the same that made it give up before
        return text.lines if 0 < text.lines < len(text.getvalue().splitlines()) else None
    return None
