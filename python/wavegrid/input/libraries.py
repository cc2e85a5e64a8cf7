"""Pseudopotential libraries: the file of an element in a folder, and the folders that a library's name stands for.

- PseudoDojo: `Al.psp8`, `Ga-spd.upf` in `nc-sr-04_pbe_standard_psp8`, or `Al/Al.psp8` in `ONCVPSP-PBE-PDv0.4`, where
  `standard.djson` lists the file of each element; M. J. van Setten et al., 10.1016/j.cpc.2018.01.012
- SG15: `Al_ONCV_PBE-1.2.upf` in `sg15_oncv_upf_2020-02-06`; M. Schlipf, F. Gygi, 10.1016/j.cpc.2015.05.011
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from wavegrid import files
from wavegrid.errors import InputError

VARIABLE = "WAVEGRID_PSEUDOPOTENTIALS"
NAMES = ("PseudoDojo", "PseudoDojo-stringent", "SG15")
_DEBIAN = Path("/usr/share/abinit/psp")  # of abinit-data
_MOST_FILES = 5000
_FILE = re.compile(r"(?P<element>[A-Z][a-z]?|[a-z]{1,2})(?P<more>[._-].*)?(?P<format>\.psp8|\.upf|\.gth)", re.I)
_RELATIVISTIC = re.compile(r"[._-](fr|rel)([._-]|$)", re.I)  # with spin-orbit coupling, which is not read
_VERSION = re.compile(r"^(?P<stem>.*?)[-_.]?v?(?P<version>\d+(?:\.\d+)+)$")
_DOJO = re.compile(
    r"(?:pseudodojo_)?nc[-_]sr[-_](?P<version>[\d.]+)_(?P<xc>pbe|pbesol|pw|lda)_(?P<accuracy>standard|stringent)_"
    r"(?P<format>psp8|upf)|oncvpsp-(?P<table>pbe|pbesol|pw|lda)(?:-sr)?-pdv(?P<release>[\d.]+)",
    re.I,
)
_SG15 = re.compile(r"sg15.*", re.I)


def find(name: str, element: str, xc: str) -> Path:
    """Return the file of an element in the library of this name, for a functional by libxc's names.

    Raises InputError without file and line.
    """
    kinds = _kinds(xc)
    if not kinds or (name == "SG15" and "pbe" not in kinds):
        valid = "PBE" if name == "SG15" else "PBE, PBESOL or an LDA"
        raise InputError(f'"{name}" has no potentials for {xc}; valid: {valid}, or the path of a folder')
    accuracy = "stringent" if name.endswith("-stringent") else "standard"
    folders = [folder for folder in _folders() if _fits(folder.name, name, kinds, accuracy)]
    for folder in sorted(folders, key=_rank, reverse=True):
        if (found := _listed(folder, element, accuracy) or _only(folder, element, xc)) is not None:
            return found
    where = f"none of {', '.join(map(str, folders))} has one" if folders else f"no such folder in {_searched()}"
    raise InputError(
        f'"{name}" has no pseudopotential for {element}: {where}; valid: a path, or unpack the library in a directory '
        f"that {VARIABLE} names"
    )


def in_folder(folder: Path, shown: str, element: str, xc: str) -> Path:
    """Return the file of an element in a folder, `shown` in messages; raises InputError without file and line."""
    found = _listed(folder, element, "standard") or _only(folder, element, xc)
    if found is not None:
        return found
    there = sorted({name for name, _ in _files(folder)})
    some = ", ".join(there[:12]) + (", ..." if len(there) > 12 else "")
    raise InputError(
        f"'{shown}' has no pseudopotential for {element}; valid: a folder with files such as {element}.psp8 or "
        f"{element}_ONCV_PBE-1.2.upf (this one has {f'those of {some}' if there else 'none'})"
    )


def _only(folder: Path, element: str, xc: str) -> Path | None:
    """Return the file of an element: of several the one for the functional, then the newest version."""
    found = [path for name, path in _files(folder) if name == element]
    if not found:
        found = [path for name, path in _files(folder / element) if name == element]
    found = _preferred_format(_newest(_for_functional(_named_plainly(found), xc)))
    if len(found) > 1:
        names = ", ".join(sorted(path.name for path in found))
        raise InputError(
            f"'{folder}' has several pseudopotentials for {element}: {names}; valid: "
            f'{{ {element} = "{found[0]}" }} or another one of them'
        )
    return found[0] if found else None


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield element and path of the pseudopotentials in a folder, those with spin-orbit coupling left out."""
    try:
        names = sorted(os.listdir(folder))[:_MOST_FILES]
    except OSError:
        return
    for name in names:
        match = _FILE.fullmatch(name)
        if match and not _RELATIVISTIC.search(match["more"] or ""):
            yield match["element"].capitalize(), folder / name


def _named_plainly(found: list[Path]) -> list[Path]:
    """Return those that are called as the element and nothing more, if there are any."""
    return [path for path in found if len(path.stem) <= 2] or found


def _for_functional(found: list[Path], xc: str) -> list[Path]:
    """Return those whose name has the functional, if there are any."""
    kinds = _kinds(xc)
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


def _listed(folder: Path, element: str, accuracy: str) -> Path | None:
    """Return the file that a table of PseudoDojo names for an element; None where there is no table."""
    listing = folder / f"{accuracy}.djson"
    if files.refusal(listing):
        return None
    try:
        table = json.loads(listing.read_bytes())
        name = str(table["pseudos_metadata"][element]["basename"])
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
    return next((path for path in (folder / element / name, folder / name) if path.is_file()), None)


def _folders() -> list[Path]:
    """Return the folders in the directories where libraries are looked for, and these directories themselves."""
    found = []
    for root in _roots():
        try:
            found += [root, *(root / name for name in sorted(os.listdir(root)) if (root / name).is_dir())]
        except OSError:
            continue
    return found


def _roots() -> list[Path]:
    given = [Path(name).expanduser() for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
    return [*given, _DEBIAN]


def _searched() -> str:
    return f"{', '.join(map(str, _roots()))} ({'' if os.environ.get(VARIABLE) else 'not set: '}{VARIABLE})"


def _fits(folder: str, name: str, kinds: set[str], accuracy: str) -> bool:
    if name == "SG15":
        return _SG15.fullmatch(folder) is not None
    match = _DOJO.fullmatch(folder)
    if match is None:
        return False
    return (match["xc"] or match["table"]).lower() in kinds and (match["accuracy"] or accuracy).lower() == accuracy


def _rank(folder: Path) -> tuple[str, bool]:
    """Newer versions first, psp8 before UPF."""
    match = _DOJO.fullmatch(folder.name)
    if match is None:
        return folder.name, False
    version = (match["version"] or match["release"]).replace(".", "")
    return version, (match["format"] or "psp8").lower() == "psp8"


def _kinds(xc: str) -> set[str]:
    """Return what libraries call a functional; empty for one that they have no potentials for."""
    if xc.startswith("LDA"):
        return {"lda", "pw", "pz"}
    return {"GGA_X_PBE+GGA_C_PBE": {"pbe"}, "GGA_X_PBE_SOL+GGA_C_PBE_SOL": {"pbesol"}}.get(xc, set())
