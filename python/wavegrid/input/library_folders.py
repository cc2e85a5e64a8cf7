"""Folders of pseudopotential libraries: where they are looked for, and which names are recognised.

The words of a folder's name, and of the folders around it, say what it holds: `nc-sr-04_pbe_standard_psp8`,
`Pseudodojo_nc_sr_04_pw_standard_psp8`, `PseudoDojo/0.4/PBE/SR/standard/upf`, `ONCVPSP-PBE-SR-PDv0.4` and
`sg15_oncv_upf_2020-02-06` are names in use.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from wavegrid.base.text import counted
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.input import library_files

VARIABLE = "WAVEGRID_PSEUDOPOTENTIALS"
DOJO, SG15 = "PseudoDojo", "SG15"
RECOGNISED = (
    "nc-sr-VERSION_XC_ACCURACY[_FORMAT], ONCVPSP-XC[-SR]-PDvVERSION, or any with PseudoDojo or SG15 in its name; files "
    "directly in a directory of the variable; files of GBRV, JTH and GPAW, tables of SSSP in any"
)
_SYSTEM = Path("/usr/share/abinit/psp")  # Debian's abinit-data
_MOST_FOLDERS, _DEPTH = 1000, 6  # of the folders of a directory that are looked at
_ARCHIVE = re.compile(r"\.(tgz|tar(\.\w+)?|zip)$", re.I)
_NAMED = 20  # a library with more elements has nearly all
_HEAD = 4096  # bytes of a file in which its program is named
SG15_FILE = re.compile(r".*_ONCV_.*", re.I)
_DOJO_FILE = re.compile(r"(?!.*_ONCV_)[a-z]{1,2}([-_]\w+)*", re.I)
_DOJO_RELEASE = re.compile(r"oncvpsp.*pdv\d", re.I)
_VERSION = re.compile(r"(?<!\d)0[._]?([1-9])(?:[._](\d))?(?!\d)")
_FUNCTIONALS = {"pbe": "pbe", "pbesol": "pbesol", "lda": "lda"}
_DOJO_LDA = {"pw": "lda"}  # where the name is one of PseudoDojo's own: elsewhere it may be a program
_ACCURACIES = {"standard": "standard", "std": "standard", "stringent": "stringent"}
_FORMATS = {"psp8": "psp8", "upf": "upf"}
# Fully relativistic, PAW, other formats, and the tables of PseudoDojo beyond standard and stringent.
_LEFT_OUT = frozenset({"fr", "paw", "jth", "psml", "xml", "html", "djrepo", "largecore"})


class LibraryFound(TypedDict):
    """What `check` shows of a library."""

    library: str
    folder: str
    functional: str
    accuracy: str
    version: str
    elements: list[str]


@dataclass(frozen=True)
class Library:
    """A folder of a library; what its name leaves open is empty."""

    name: str  # DOJO or SG15
    folder: Path
    functional: str = ""  # "pbe", "pbesol", "lda"
    accuracy: str = ""  # "standard", "stringent"
    version: tuple[int, ...] = ()
    format: str = ""  # "psp8", "upf"
    has_table: bool = False  # standard.djson or stringent.djson, which say more than the name
    by_files: bool = False  # recognised by its files alone

    def files(self) -> re.Pattern[str]:
        """Return the pattern of its files' names; another library may lie in the same folder."""
        return SG15_FILE if self.name == SG15 else _DOJO_FILE

    def has(self, accuracy: str) -> bool:
        """Return whether it has potentials of an accuracy; one that says nothing of it counts as standard."""
        if self.has_table:
            return _has_table(self.folder, accuracy)
        return (self.accuracy or "standard") == accuracy

    def rank(self) -> tuple[bool, tuple[int, ...], bool]:
        """Return what is higher for the library that is taken first: named folders, newer versions, psp8."""
        return not self.by_files, self.version, self.format != "upf"

    def described(self) -> LibraryFound:
        """Return what `check` shows."""
        return {
            "library": self.name,
            "folder": str(self.folder),
            "functional": self.functional,
            "accuracy": self.accuracy,
            "version": ".".join(map(str, self.version)),
            "elements": sorted(library_files.elements(self.folder, self.files())),
        }


def roots() -> list[Path]:
    """Return the directories in which libraries are looked for: those of the variable first."""
    return [*_given(), _SYSTEM]


def searched() -> str:
    """Return these directories in words."""
    shown = (str(root) if os.path.isdir(root) else f"{root}, which does not exist" for root in _given())
    return f"{', '.join((*shown, str(_SYSTEM)))} ({'' if os.environ.get(VARIABLE) else 'not set: '}{VARIABLE})"


def found_in(root: Path) -> list[Library]:
    """Return the libraries in a directory, best first."""
    libraries = [library for names, folder in _walk(root) if (library := _recognised(names, folder)) is not None]
    if root in _given() and not any(library.folder == root for library in libraries):
        libraries += _by_files(root)
    return sorted(libraries, key=Library.rank, reverse=True)


def folders_in(root: Path) -> Iterator[Path]:
    """Yield a directory and the folders in it, up to some levels below."""
    return (folder for _, folder in _walk(root))


def found() -> list[Library]:
    """Return all libraries, in the order in which they are searched."""
    return [library for root in roots() for library in found_in(root)]


def lines(described: list[LibraryFound]) -> list[str]:
    """Return what `check` prints of the libraries: those that were found, where, and which names are recognised."""
    shown = []
    for library in described:
        functional = library["functional"].upper().replace("SOL", "sol").replace("REV", "rev")
        words = [library["library"], functional, library["accuracy"], library["version"]]
        elements = library["elements"]
        names = f" ({', '.join(elements)})" if len(elements) <= _NAMED else ""
        shown.append(
            f"{' '.join(filter(None, words))}: {counted(len(elements), 'element')}{names} in {library['folder']}"
        )
    return [
        f"libraries of pseudopotentials in {searched()}: {'' if shown else 'none'}".rstrip(),
        *(f"  {line}" for line in shown),
        f"  folders that are recognised: {RECOGNISED}",
    ]


def others_in(root: Path, most: int = 6) -> list[str]:
    """Return names of the folders of a directory, and of archives of libraries, for a message where none is found."""
    archives = [f"{name} (unpack it)" for name in library_files.names(root) if _ARCHIVE.search(name) and _family(name)]
    return [*archives, *_folders_of(root)][:most]


def _given() -> list[Path]:
    return [Path(os.path.expanduser(name)) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]


def _walk(root: Path) -> Iterator[tuple[list[str], Path]]:
    """Yield the folders of a directory, itself first, each with its name and those around it, the innermost first."""
    level: list[tuple[list[str], Path]] = [([root.name], root)]
    left = _MOST_FOLDERS
    for _ in range(_DEPTH):
        below = []
        for names, folder in level:
            yield names, folder
            for name in _folders_of(folder):
                below.append(([name, *names], folder / name))
        level, left = below[:left], left - len(below)
        if left <= 0:
            break
    yield from level


def _folders_of(folder: Path) -> list[str]:
    """Return the names of the folders in a folder but for those of single elements, which are parts of a library."""
    return [
        name
        for name in library_files.names(folder)
        if name not in ELEMENTS and not name.startswith(".") and os.path.isdir(folder / name)
    ]


def _recognised(names: list[str], folder: Path) -> Library | None:
    """Return the library that a folder is, by its name and those around it; None for none, or one without files."""
    has_table = any(_has_table(folder, accuracy) for accuracy in ("standard", "stringent"))
    families = [_family(name) for name in names]
    depth = next((i for i, family in enumerate(families) if family is not None), 0 if has_table else None)
    if depth is None:
        return None
    library = families[depth] or DOJO
    inner = names[: depth + 1]  # the names around these are the user's own
    words = [word for name in inner for word in _words(name)]
    if _LEFT_OUT & set(words):
        return None
    dojo_lda = _DOJO_LDA if any(map(_is_of_dojo, inner)) else {}
    found = Library(
        library,
        folder,
        "pbe" if library == SG15 else _first(_FUNCTIONALS | dojo_lda, words),
        "" if library == SG15 else _first(_ACCURACIES, [word for name in names for word in _words(name)]),
        _version(inner, library),
        _first(_FORMATS, words),
        has_table,
    )
    return found if has_table or library_files.elements(folder, found.files()) else None


def _has_table(folder: Path, accuracy: str) -> bool:
    return os.path.isfile(folder / f"{accuracy}.djson")


def _family(name: str) -> str | None:
    """Return the library that a name belongs to."""
    words = set(_words(name))
    if any(word.startswith("sg15") for word in words):
        return SG15
    return DOJO if words & {"pseudodojo", "dojo"} or _is_of_dojo(name) else None


def _is_of_dojo(name: str) -> bool:
    """Return whether a name is made as PseudoDojo makes them."""
    return {"nc", "sr"} <= set(_words(name)) or {"nc", "fr"} <= set(_words(name)) or bool(_DOJO_RELEASE.search(name))


def _words(name: str) -> list[str]:
    return re.split(r"[-_.: +]+", name.lower())


def _first(meanings: dict[str, str], words: list[str]) -> str:
    """Return the meaning of the first word that has one."""
    return next((meanings[word] for word in words if word in meanings), "")


def _version(names: list[str], library: str) -> tuple[int, ...]:
    """Return the version of PseudoDojo, such as (0, 4), or the date of SG15."""
    for name in names:
        if library == SG15 and (numbers := re.findall(r"(?<!\d)\d{4}|(?<=-)\d\d(?!\d)", name)):
            return tuple(map(int, numbers))
        if library == DOJO and (match := _VERSION.search(name)):
            return (0, *(int(part) for part in match.groups() if part))
    return ()


def _by_files(root: Path) -> Iterator[Library]:
    """Yield the libraries whose files lie directly in a directory: SG15 by their names, PseudoDojo by their content."""
    paths = [path for _, path in library_files.files(root)]
    if any(SG15_FILE.fullmatch(path.stem) for path in paths):
        yield Library(SG15, root, "pbe", by_files=True)
    if any(len(path.stem) <= 2 and _is_of_oncvpsp(path) for path in paths):
        yield Library(DOJO, root, by_files=True)


def _is_of_oncvpsp(path: Path) -> bool:
    """Return whether a file names the program that made both libraries."""
    try:
        with path.open("rb") as file:
            return b"ONCVPSP" in file.read(_HEAD)
    except OSError:
        return False
