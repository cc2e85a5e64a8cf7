"""Pseudopotential files in a folder, by their names: the elements that have one, and which of an element is taken."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError
from wavegrid.files.readable import refusal

_MOST_FILES = 5000
_ANY = re.compile(".*")
_FILE = re.compile(r"(?P<element>[A-Z][a-z]?|[a-z]{1,2})(?P<more>[._-].*)?(?P<format>\.psp8|\.upf|\.gth)", re.I)
_RELATIVISTIC = re.compile(r"[._-](fr|rel)([._-]|$)|_r$", re.I)  # with spin-orbit coupling, which is not read
_OTHER_KIND = re.compile(r"[._-](rrkjus|us|uspp|van|gbrv|\w*paw|jth)([._-]|$)", re.I)  # ultrasoft, PAW: not read
_VERSION = re.compile(r"^(?P<stem>.*?)[-_.]?v?(?P<version>\d+(?:\.\d+)+)$")


def names(folder: Path) -> list[str]:
    """Return the names in a folder, none where it cannot be read."""
    try:
        return sorted(os.listdir(folder))[:_MOST_FILES]
    except OSError:
        return []


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield element and path of the pseudopotentials in a folder that can be read, as far as their names say."""
    for element, path, left_out in _named(folder):
        if not left_out:
            yield element, path


def unreadable(folder: Path, element: str) -> list[str]:
    """Return the names of an element's files of other kinds: ultrasoft, PAW, with spin-orbit coupling."""
    return [path.name for name, path, left_out in _named(folder) if left_out and name == element]


def elements(folder: Path, named: re.Pattern[str] = _ANY) -> set[str]:
    """Return the elements of a folder with a file for each, or with a folder of files for each.

    `named`: files whose names (without suffix) it does not match are left out.
    """
    found = _elements(folder, named)
    return found or {name for name in names(folder) if name in ELEMENTS and name in _elements(folder / name, named)}


def listed(folder: Path, element: str, accuracy: str) -> Path | None:
    """Return the file that a table of PseudoDojo names for an element; None where there is no table."""
    listing = folder / f"{accuracy}.djson"
    if refusal(listing):
        return None
    try:
        table = json.loads(listing.read_bytes())
        name = str(table["pseudos_metadata"][element]["basename"])
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return next((path for path in (folder / element / name, folder / name) if path.is_file()), None)


def choose(folder: Path, element: str, kinds: set[str], named: re.Pattern[str] = _ANY) -> Path | None:
    """Return the file of an element: of several the one for the functional, then the newest version.

    `kinds`: the words that libraries have for the functional; `named`: as for `elements`.
    """
    found = [path for name, path in files(folder) if name == element and named.fullmatch(path.stem)]
    if not found:
        found = [path for name, path in files(folder / element) if name == element and named.fullmatch(path.stem)]
    found = _preferred_format(_newest(_for_functional(_named_plainly(found), kinds)))
    if len(found) > 1:
        several = ", ".join(sorted(path.name for path in found))
        raise InputError(
            f"'{folder}' has several pseudopotentials for {element}: {several}; valid: "
            f'{{ {element} = "{found[0]}" }} or another one of them'
        )
    return found[0] if found else None


def _elements(folder: Path, named: re.Pattern[str]) -> set[str]:
    return {element for element, path in files(folder) if named.fullmatch(path.stem)}


def _named(folder: Path) -> Iterator[tuple[str, Path, bool]]:
    """Yield element and path of all files that are named as pseudopotentials, and whether they are of another kind."""
    for name in names(folder):
        match = _FILE.fullmatch(name)
        if match:
            more = match["more"] or ""
            left_out = bool(_RELATIVISTIC.search(more) or _OTHER_KIND.search(more))
            yield match["element"].capitalize(), folder / name, left_out


def _named_plainly(found: list[Path]) -> list[Path]:
    """Return those that are called as the element and nothing more, if there are any."""
    return [path for path in found if len(path.stem) <= 2] or found


def _for_functional(found: list[Path], kinds: set[str]) -> list[Path]:
    """Return those whose name has the functional, if there are any."""
    return [path for path in found if kinds & set(re.split(r"[._-]", path.stem.lower()))] or found


def _newest(found: list[Path]) -> list[Path]:
    """Of names that differ in their version alone return the highest."""
    best: dict[str, tuple[list[int], Path]] = {}
    for path in found:
        match = _VERSION.match(path.stem)
        stem = (match["stem"] if match else path.stem) + path.suffix
        version = [int(part) for part in match["version"].split(".")] if match else []
        if stem not in best or version > best[stem][0]:
            best[stem] = (version, path)
    return [path for _, path in best.values()]


def _preferred_format(found: list[Path]) -> list[Path]:
    """Of the same potential in two formats return the psp8 file."""
    if len({path.stem for path in found}) == 1:
        return [path for path in found if path.suffix.lower() == ".psp8"] or found
    return found
