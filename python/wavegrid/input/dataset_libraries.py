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
_JTH_FOLDER = re.compile(r"(^|[-_. ])(paw|atompaw|jth)([-_. ]|$)", re.I)
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
    functional = "lda" if xc.startswith("LDA") else _GGAS.get(xc, "")
    for folder in _folders(name):
        found = _in_table(folder, name, element, functional) if name.startswith(SSSP) else None
        found = found or _by_name(folder, name, element, functional)
        if found is not None:
            return found
    raise InputError(
        f'"{name}" has no dataset of {element} for {xc} in {library_folders.searched()}; valid: a path, or unpack the '
        f"library in a directory that {library_folders.VARIABLE} names: files such as {_LOOKS_LIKE[name]}"
    )


def _folders(name: str) -> Iterator[Path]:
    roots = library_folders.roots()
    if name == GPAW:
        given = os.environ.get("GPAW_SETUP_PATH", "")
        roots += [*(Path(part) for part in given.split(os.pathsep) if part), _GPAW_SYSTEM]
    for root in roots:
        yield from library_folders.folders_in(root)


def _in_table(folder: Path, name: str, element: str, functional: str) -> Dataset | None:
    """Return the file that the newest fitting table of SSSP in a folder names."""
    accuracy = "precision" if name.endswith("-precision") else "efficiency"
    tables = [match for file in library_files.names(folder) if (match := _SSSP_TABLE.fullmatch(file))]
    fitting = [one for one in tables if (one["xc"].lower(), one["accuracy"]) == (functional, accuracy)]
    for table in sorted(fitting, key=lambda one: _version(one["version"]), reverse=True):
        entry = _entry(folder / table[0], element)
        file = str(entry.get("filename", ""))
        if file and (path := folder / Path(file).name).is_file():
            return Dataset(path, _cutoff(entry, "cutoff_wfc"), _cutoff(entry, "cutoff_rho"))
    return None


def _entry(table: Path, element: str) -> dict[str, Any]:
    """Return the entry of an element; empty where it has none or the table cannot be read."""
    if refusal(table):
        return {}
    try:
        entry = json.loads(table.read_bytes())[element]
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _cutoff(entry: dict[str, Any], key: str) -> float:
    value = entry.get(key)
    return _RYDBERG * value if isinstance(value, int | float) and value > 0 else 0.0


def _by_name(folder: Path, name: str, element: str, functional: str) -> Dataset | None:
    """Return the file whose name has element and functional: of several the newest version."""
    pattern = _FILES.get(name)
    if pattern is None:
        return None
    found = [match for file in library_files.names(folder) if (match := pattern.fullmatch(file))]
    fitting = [one for one in found if (one["element"].capitalize(), _functional(one["xc"])) == (element, functional)]
    if fitting:
        newest = max(fitting, key=lambda one: (_version(one.groupdict().get("version") or "0"), one[0]))
        return Dataset(folder / newest[0])
    return _in_jth_folder(folder, element, functional) if name == JTH else None


def _in_jth_folder(folder: Path, element: str, functional: str) -> Dataset | None:
    """Return the file that is called as the element in a folder whose name says that it is one of JTH."""
    words = {_functional(word) for word in re.split(r"[-_. ]", folder.name.lower())}
    if not _JTH_FOLDER.search(folder.name) or functional not in words or "stringent" in words:
        return None
    names = (f"{element}.xml", f"{element}/{element}_std.xml", f"{element}/{element}.xml")
    return next((Dataset(folder / name) for name in names if (folder / name).is_file()), None)


def _functional(word: str) -> str:
    return {"pw": "lda"}.get(word.lower(), word.lower())


def _version(text: str) -> list[int]:
    return [int(part) for part in text.split(".") if part]
