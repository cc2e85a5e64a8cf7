"""Libraries of ultrasoft potentials and PAW datasets: the file of an element, as their archives unpack.

- GBRV: `al_pbe_v1.uspp.F.UPF`; K. F. Garrity et al., 10.1016/j.commatsci.2013.08.053
- SSSP: files of several libraries that a table `SSSP_1.3.0_PBE_efficiency.json` names, with cutoffs; "SSSP" stands for
  efficiency; G. Prandini et al., 10.1038/s41524-018-0127-2
- JTH: `Al.GGA_PBE-JTH.xml`, or `Al.xml` in a folder such as `Pseudodojo_paw_pbe_standard`; F. Jollet et al.,
  10.1016/j.cpc.2013.12.023
- GPAW: `Al.PBE.gz`, where GPAW_SETUP_PATH points too; J. J. Mortensen et al., 10.1063/5.0182685
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError
from wavegrid.files.readable import refusal
from wavegrid.input import library_files, library_folders

GBRV, SSSP, JTH, GPAW = "GBRV", "SSSP", "JTH", "GPAW"
NAMES = (GBRV, SSSP, f"{SSSP}-precision", JTH, GPAW)
_RYDBERG = 0.5  # Ha
_GPAW_SYSTEM = Path("/usr/share/gpaw-setups")  # Debian's gpaw-data
_FILES = {
    GBRV: re.compile(r"(?P<element>[a-z]{1,2})_(?P<xc>lda|pbe|pbesol)_v(?P<version>[\d.]+)\.uspp\.F\.UPF"),
    JTH: re.compile(r"(?P<element>[A-Z][a-z]?)\.(GGA|LDA)_(?P<xc>PBE|PBESOL|PW)-JTH\.xml"),
    GPAW: re.compile(r"(?P<element>[A-Z][a-z]?)\.(?P<xc>LDA|PBE|RPBE|revPBE)(\.gz)?"),
}
_LOOKS_LIKE = {
    GBRV: "al_pbe_v1.uspp.F.UPF",
    SSSP: "SSSP_1.3.0_PBE_efficiency.json and the files that it names",
    f"{SSSP}-precision": "SSSP_1.3.0_PBE_precision.json and the files that it names",
    JTH: "Al.GGA_PBE-JTH.xml, or Al.xml in a folder such as Pseudodojo_paw_pbe_standard",
    GPAW: "Al.PBE.gz",
}
_SSSP_TABLE = re.compile(r"SSSP_(?P<version>[\d.]+)_(?P<xc>PBE|PBEsol)_(?P<accuracy>efficiency|precision)\.json")
_JTH_FOLDER = re.compile(r"(^|[-_. ])(paw|atompaw|jth|jthxml)([-_. ]|$)", re.I)
_ELEMENT_ALONE = re.compile(r"[A-Z][a-z]?(_std)?")
_ACCURACIES = ("efficiency", "precision")
_GGAS = {
    "GGA_X_PBE+GGA_C_PBE": "pbe",
    "GGA_X_PBE_SOL+GGA_C_PBE_SOL": "pbesol",
    "GGA_X_RPBE+GGA_C_PBE": "rpbe",
    "GGA_X_PBE_R+GGA_C_PBE": "revpbe",
}


@dataclass(frozen=True)
class Dataset:
    """The file of an element, with the cutoffs that its library recommends, Ha; 0 where it has none."""

    path: Path
    wave_cutoff: float = 0.0
    density_cutoff: float = 0.0


def find(name: str, element: str, xc: str) -> Dataset:
    """Return the file of an element in the library of this name, for a functional by libxc's names.

    The first directory that has it is taken. Raises InputError without file and line.
    """
    functional = _word(xc)
    for folder in _folders(name):
        if name.startswith(SSSP):
            found = _in_table(folder, _accuracy(name), element, functional)
        else:
            path = _by_name(folder, name, element, functional)
            found = Dataset(path) if path is not None else None
        if found is not None:
            return found
    raise InputError(
        f'"{name}" has no dataset of {element} for {xc} in {library_folders.searched()}; valid: a path, or unpack the '
        f"library in a directory that {library_folders.VARIABLE} names: files such as {_LOOKS_LIKE[name]}"
    )


def in_tables(folder: Path, element: str, xc: str) -> Dataset | None:
    """Return what the tables of SSSP in a folder, or next to it, name; raises InputError where they differ."""
    found = {_in_table(folder, accuracy, element, _word(xc)) for accuracy in _ACCURACIES} - {None}
    if len(found) > 1:
        raise InputError(
            f"'{folder}' has tables of efficiency and precision of SSSP, which differ for {element}; valid: one of "
            f'them, or the path of a file: {{ {element} = "{next(iter(filter(None, found))).path}" }}'
        )
    return found.pop() if found else None


def named(folder: Path, element: str, xc: str) -> Path | None:
    """Return the file of an element in a folder that is named as those of GBRV, JTH or GPAW."""
    places = (_by_name(folder, name, element, _word(xc)) for name in (GBRV, JTH, GPAW))
    return next((path for path in places if path is not None), None)


def found() -> list[library_folders.LibraryFound]:
    """Return what `check` shows of all libraries of datasets, in the order in which they are searched."""
    return [library for folder in _folders(GPAW) for library in _described(folder)]


def _described(folder: Path) -> Iterator[library_folders.LibraryFound]:
    elements: dict[tuple[str, str, str, str], set[str]] = {}
    for table in _tables(folder):
        listed = [element for element in _entries(table) if _listed_file(folder, table, element) is not None]
        match = _SSSP_TABLE.fullmatch(table.name)
        assert match is not None
        elements[SSSP, match["xc"].lower(), match["accuracy"], match["version"]] = set(listed)
    names = library_files.names(folder)
    for name, pattern in _FILES.items():
        for match in filter(None, map(pattern.fullmatch, names)):
            elements.setdefault((name, _functional(match["xc"]), "", ""), set()).add(match["element"].capitalize())
    if functional := _jth_functional(folder):
        of_jth = library_files.elements(folder, _ELEMENT_ALONE, "dataset")
        elements.setdefault((JTH, functional, "", ""), set()).update(of_jth)
    for (name, functional, accuracy, version), some in elements.items():
        if some & set(ELEMENTS):
            yield {
                "library": name,
                "folder": str(folder),
                "functional": functional,
                "accuracy": accuracy,
                "version": version,
                "elements": sorted(some & set(ELEMENTS)),
            }


def _folders(name: str) -> Iterator[Path]:
    roots = library_folders.roots()
    if name == GPAW:
        given = os.environ.get("GPAW_SETUP_PATH", "")
        roots += [*(Path(part) for part in given.split(os.pathsep) if part), _GPAW_SYSTEM]
    for root in roots:
        yield from library_folders.folders_in(root)


def _accuracy(name: str) -> str:
    return "precision" if name.endswith("-precision") else "efficiency"


def _tables(folder: Path) -> list[Path]:
    """Return the tables of SSSP in a folder, and the one next to it that is called as the folder, newest first."""
    tables = [folder / name for name in library_files.names(folder)]
    tables.append(folder.parent / f"{folder.name}.json")
    found = [(match, table) for table in tables if (match := _SSSP_TABLE.fullmatch(table.name))]
    return [table for _, table in sorted(found, key=lambda one: _version(one[0]["version"]), reverse=True)]


def _in_table(folder: Path, accuracy: str, element: str, functional: str) -> Dataset | None:
    """Return the file that the newest fitting table of SSSP names."""
    for table in _tables(folder):
        match = _SSSP_TABLE.fullmatch(table.name)
        if match is None or (match["xc"].lower(), match["accuracy"]) != (functional, accuracy):
            continue
        if (path := _listed_file(folder, table, element)) is not None:
            entry = _entry(table, element)
            return Dataset(path, _cutoff(entry, "cutoff_wfc"), _cutoff(entry, "cutoff_rho"))
    return None


def _listed_file(folder: Path, table: Path, element: str) -> Path | None:
    """Return the file of an element in a folder by a table."""
    file = str(_entry(table, element).get("filename", ""))
    path = folder / Path(file).name
    return path if file and path.is_file() else None


def _entries(table: Path) -> dict[str, Any]:
    """Return a table; empty where it cannot be read."""
    if refusal(table):
        return {}
    try:
        entries = json.loads(table.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _entry(table: Path, element: str) -> dict[str, Any]:
    """Return the entry of an element; empty where it has none."""
    entry = _entries(table).get(element)
    return entry if isinstance(entry, dict) else {}


def _cutoff(entry: dict[str, Any], key: str) -> float:
    value = entry.get(key)
    return _RYDBERG * value if isinstance(value, int | float) and value > 0 else 0.0


def _by_name(folder: Path, name: str, element: str, functional: str) -> Path | None:
    """Return the file whose name has element and functional: of several the newest version."""
    found = [match for file in library_files.names(folder) if (match := _FILES[name].fullmatch(file))]
    fitting = [one for one in found if (one["element"].capitalize(), _functional(one["xc"])) == (element, functional)]
    if fitting:
        newest = max(fitting, key=lambda one: (_version(one.groupdict().get("version") or "0"), one[0]))
        return folder / newest[0]
    return _in_jth_folder(folder, element, functional) if name == JTH else None


def _in_jth_folder(folder: Path, element: str, functional: str) -> Path | None:
    """Return the file that is called as the element in a folder whose name says that it is one of JTH."""
    if _jth_functional(folder) != functional:
        return None
    names = (f"{element}.xml", f"{element}/{element}_std.xml", f"{element}/{element}.xml")
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _jth_functional(folder: Path) -> str:
    """Return the functional of a folder of JTH by its name and those around it, empty for other folders."""
    names = folder.parts[:-5:-1]  # the innermost first
    if not any(map(_JTH_FOLDER.search, names)):
        return ""
    words = [word for name in names for word in re.split(r"[-_. ]", name.lower())]
    if "stringent" in words:
        return ""
    return next((functional for word in words if (functional := _functional(word)) in {"lda", "pbe", "pbesol"}), "")


def _word(xc: str) -> str:
    """Return what libraries call a functional by libxc's names; empty for one that they have no datasets for."""
    return "lda" if xc.startswith("LDA") else _GGAS.get(xc, "")


def _functional(word: str) -> str:
    return {"pw": "lda"}.get(word.lower(), word.lower())


def _version(text: str) -> list[int]:
    return [int(part) for part in text.split(".") if part]
