"""Pseudopotential files in a folder, by their names: the elements that have one, and which of an element is taken."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError
from wavegrid.files.readable import refusal

Kind = Literal["norm-conserving", "dataset", "relativistic"]  # dataset: ultrasoft or PAW
_MOST_FILES = 5000
_ANY = re.compile(".*")
_FILE = re.compile(r"(?P<element>[A-Z][a-z]?|[a-z]{1,2})(?P<more>[._-].*)?(?P<format>\.psp8|\.upf|\.gth|\.xml)", re.I)
_RELATIVISTIC = re.compile(r"[._-](fr|rel)([._-]|$)|_r$", re.I)  # with spin-orbit coupling, which is not read
_DATASET = re.compile(r"[._-](rrkjus|us|uspp|van|gbrv|\w*paw|jth)([._-]|$)", re.I)
_VERSION = re.compile(r"^(?P<stem>.*?)[-_.]?v?(?P<version>\d+(?:\.\d+)+)$")


def names(folder: Path) -> list[str]:
    """Return the names in a folder, none where it cannot be read."""
    try:
        return sorted(os.listdir(folder))[:_MOST_FILES]
    except OSError:
        return []


def files(folder: Path, kind: Kind = "norm-conserving") -> Iterator[tuple[str, Path]]:
    """Yield element and path of the pseudopotentials of a kind in a folder, as far as their names say."""
    for element, path, found in _named(folder):
        if found == kind:
            yield element, path


def unreadable(folder: Path, element: str) -> list[str]:
    """Return the names of an element's files with spin-orbit coupling."""
    return [path.name for name, path in files(folder, "relativistic") if name == element]


def elements(folder: Path, named: re.Pattern[str] = _ANY, kind: Kind = "norm-conserving") -> set[str]:
    """Return the elements of a folder with a file for each, or with a folder of files for each.

    `named`: files whose names (without suffix) it does not match are left out.
    """
    return _elements(folder, named, kind) or {
        name for name in names(folder) if name in ELEMENTS and name in _elements(folder / name, named, kind)
    }


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


def choose(
    folder: Path,
    element: str,
    functionals: set[str],
    named: re.Pattern[str] = _ANY,
    kind: Kind = "norm-conserving",
) -> Path | None:
    """Return the file of an element: of several the one for the functional, then the newest version.

    `functionals`: the words that libraries have for the functional; `named`: as for `elements`.
    """
    for place in (folder, folder / element):
        found = [path for name, path in files(place, kind) if name == element and named.fullmatch(path.stem)]
        if found:
            break
    found = _preferred_format(_newest(_for_functional(_named_plainly(found), functionals)))
    if len(found) > 1:
        several = ", ".join(sorted(path.name for path in found))
        raise InputError(
            f"'{folder}' has several pseudopotentials for {element}: {several}; valid: "
            f'{{ {element} = "{found[0]}" }} or another one of them'
        )
    return found[0] if found else None


def _elements(folder: Path, named: re.Pattern[str], kind: Kind) -> set[str]:
    return {element for element, path in files(folder, kind) if named.fullmatch(path.stem)}


def _named(folder: Path) -> Iterator[tuple[str, Path, Kind]]:
    """Yield element, path and kind of all files that are named as pseudopotentials."""
    for name in names(folder):
        match = _FILE.fullmatch(name)
        if match:
            yield match["element"].capitalize(), folder / name, _kind(match["more"] or "", match["format"].lower())


def _kind(more: str, suffix: str) -> Kind:
    if _RELATIVISTIC.search(more):
        return "relativistic"
    return "dataset" if suffix == ".xml" or _DATASET.search(more) else "norm-conserving"


def _named_plainly(found: list[Path]) -> list[Path]:
    """Return those that are called as the element and nothing more, if there are any."""
    return [path for path in found if len(path.stem) <= 2] or found


def _for_functional(found: list[Path], functionals: set[str]) -> list[Path]:
    """Return those whose name has the functional, if there are any."""
    return [path for path in found if functionals & set(re.split(r"[._-]", path.stem.lower()))] or found


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
