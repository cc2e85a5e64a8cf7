"""Which pseudopotential each element uses: an entry of a shipped table or a file."""

import re
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

from wavegrid.errors import did_you_mean
from wavegrid.input import Document
from wavegrid.locate import KeyPath
from wavegrid.structure import check_element

_DATA = Path(__file__).parent / "data" / "pseudopotentials"
_KEY: KeyPath = ("electrons", "pseudopotentials")


@dataclass(frozen=True)
class Choice:
    """A pseudopotential: the file that holds it and its number of valence electrons."""

    file: str
    valence: int

    def as_dict(self) -> dict:
        """Return what the core reads."""
        return asdict(self)


def tables() -> list[str]:
    """Return the names of the shipped tables."""
    return sorted(path.stem for path in _DATA.glob("*.gth"))


def choose(core: ModuleType, document: Document, entry: str | dict[str, str], species: list[str]) -> list[Choice]:
    """Return one pseudopotential per species; raises InputError naming the line."""
    if isinstance(entry, str):
        return [_choice(core, document, _KEY, entry, element) for element in species]
    for element in entry:
        check_element(document, (*_KEY, element), element)
    for element in species:
        if element not in entry:
            raise document.error(
                _KEY, f"pseudopotentials lack '{element}'; valid: one entry for each of {', '.join(species)}"
            )
    return [_choice(core, document, (*_KEY, element), entry[element], element) for element in species]


def _choice(core: ModuleType, document: Document, key: KeyPath, name: str, element: str) -> Choice:
    file, wanted = _resolve(document, key, name)
    try:
        valences = list(core.gth_entries(str(file), element))
        elements = [] if valences else list(core.gth_elements(str(file)))
    except core.BadInput as fault:
        raise document.error(key, str(fault)) from None
    if not valences:
        raise document.error(
            key, f"'{name}' has no pseudopotential for {element}; valid: one that has it (these: {_some(elements)})"
        )
    if wanted is not None and wanted not in valences:
        offered = ", ".join(f"{name.rpartition('-q')[0]}-q{valence}" for valence in sorted(valences))
        raise document.error(key, f"'{name}' has no {element} with {wanted} valence electrons; valid: {offered}")
    return Choice(str(file), min(valences) if wanted is None else wanted)


def _resolve(document: Document, key: KeyPath, name: str) -> tuple[Path, int | None]:
    """Return the file of a table name (with or without -qN) or of a path relative to the input file."""
    match = re.fullmatch(r"(.+?)(?:-q(\d+))?", name)
    table = match[1] if match else ""
    if table in tables():
        return _DATA / f"{table}.gth", int(match[2]) if match[2] else None
    path = (document.path.parent / name).resolve()
    if path.is_file():
        return path, None
    raise document.error(
        key,
        f"no pseudopotential '{name}': neither a shipped table nor a file; valid: {', '.join(tables())}, one of them "
        f"with -q and a valence, or a path{did_you_mean(table, tables())}",
    )


def _some(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
