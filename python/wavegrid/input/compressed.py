"""Structure files that may be compressed, .gz, .bz2 or .xz: the name and the contents that readers see."""

import lzma
import zlib
from pathlib import Path

from wavegrid.base.text import megabytes
from wavegrid.errors import InputError
from wavegrid.files.readable import MOST_BYTES


def plain_name(path: Path) -> Path:
    """Return the path without the suffix of a compression."""
    from ase.io.formats import get_compression  # half a second: only where a file asks for it

    return Path(get_compression(str(path))[0])


def contents(path: Path) -> bytes:
    """Return the decompressed bytes; raises InputError for a damaged file, and above `MOST_BYTES`."""
    from ase.io.formats import open_with_compression

    try:
        with open_with_compression(str(path), "rb") as file:
            data: bytes = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error):
        raise InputError(f"'{path}' cannot be decompressed; valid: a whole file of the kind of its suffix") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"'{path}' has more than {megabytes(MOST_BYTES)} decompressed; valid: a smaller file")
    return data


def text(path: Path) -> str:
    """Return the decompressed contents as text; what is no UTF-8 becomes a replacement character."""
    return contents(path).decode("utf-8", "replace")
