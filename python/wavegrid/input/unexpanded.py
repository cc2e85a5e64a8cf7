"""Files that hold a part of their atoms and a space group for the rest, of which ASE reads the part alone."""

from pathlib import Path

from wavegrid.base.text import printable
from wavegrid.errors import InputError
from wavegrid.input import compressed

_VALID = "valid: all atoms of the cell without symmetry, or a CIF file, whose operations are used"


def check(path: Path) -> None:
    """Refuse PDB and SHELX files with symmetry; raises InputError with the line."""
    suffix = compressed.plain_name(path).suffix.casefold()
    reason = {".pdb": _pdb, ".ent": _pdb, ".res": _shelx, ".ins": _shelx}.get(suffix)
    if reason is None:
        return
    for number, line in enumerate(compressed.text(path).splitlines(), 1):
        if found := reason(line):
            raise InputError(f"'{path}': line {number}: {printable(found)}, which is not applied; {_VALID}")


def _pdb(line: str) -> str:
    group = line[55:66].strip() if line.startswith("CRYST1") else ""
    return "" if group.replace(" ", "").upper() in ("", "P1") else f"the space group {group}"


def _shelx(line: str) -> str:
    words = line.split()
    if words[:1] == ["SYMM"] or (words[:1] == ["LATT"] and words[1:2] != ["-1"]):
        return f"the symmetry '{' '.join(words)[:60]}'"
    return ""
