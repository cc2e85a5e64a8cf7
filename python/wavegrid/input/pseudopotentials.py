"""The pseudopotential of each element: an entry of a shipped table or a file."""

import math
import os
import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType

from wavegrid.errors import InputError, did_you_mean
from wavegrid.files import readable
from wavegrid.input import dataset_libraries, libraries
from wavegrid.input.document import Document
from wavegrid.input.locate import KeyPath
from wavegrid.input.structure import check_element
from wavegrid.model.figures import PotentialFigures
from wavegrid.model.problem import PotentialFile

_DATA = Path(__file__).parents[1] / "data" / "pseudopotentials"
_CP2K = {"gth-scan": ("POTENTIAL_UZH", "GTH-SCAN")}  # tables of cp2k-data: its file, and how entries are called there
_KEY: KeyPath = ("electrons", "pseudopotentials")
_LEAST_WAVES, _WAVES = 4.2, 0.70  # 1/bohr, and per wave number; measured: docs/lab/mesh-accuracy.md


@dataclass(frozen=True)
class Choice:
    """A pseudopotential: the file that holds it, its number of valence electrons, its name where the file has many."""

    file: str
    valence: int
    name: str = ""
    label: str = ""  # what a reader knows it by: an entry such as "gth-lda-q3", or the path in the input file
    functional: str = ""  # that of its generation, by libxc's names; empty where the file has none
    cutoff: float = 0.0  # recommended, Ha
    cutoff_source: str = ""  # of `cutoff`: "hint of the file", "hint of the library" or "estimated"
    density_cutoff: float = 0.0  # of an ultrasoft or PAW dataset, recommended with `cutoff`, Ha
    density_source: str = ""  # of `density_cutoff`, by the same words
    mesh_cutoff: float = 0.0  # always estimated, Ha: that of which spacing() is made
    cutoff_error: float = 0.0  # estimated error of the energy of the free atom at the cutoff of the input, Ha
    occupation: tuple[float, ...] = ()  # valence electrons of the free atom by l
    format: str = ""  # of the file
    core_density: bool = False  # whether it has one, for the nonlinear core correction
    kind: str = "norm-conserving"  # or "ultrasoft", "PAW"
    spin_orbit: bool = False  # whether it is fully relativistic

    @property
    def augmented(self) -> bool:
        """Whether its projectors have an overlap and an augmentation charge: ultrasoft or PAW."""
        return self.kind != "norm-conserving"

    def as_dict(self) -> PotentialFile:
        """Return what the core reads."""
        return {
            "file": self.file,
            "valence": self.valence,
            "name": self.name,
            "core_density": self.core_density,
        }

    def described(self, element: str) -> PotentialFigures:
        """Return what `check` shows of it and result.json holds."""
        return {
            "element": element,
            "name": self.label,
            "valence": self.valence,
            "functional": self.functional,
            "recommended_ecut": round(self.cutoff, 2),
            "recommended_ecut_source": self.cutoff_source,
            "recommended_spacing": round(self.spacing(), 3),
            "ecut_error": self.cutoff_error,
        }

    def source(self) -> str:
        """Return where it is from: a table, or a folder and, where the name of the file says it, the library."""
        path = Path(self.file)
        if path.parent == _DATA:
            return f"the table {path.stem}"
        if self.name:
            return str(path)
        return libraries.source(path)

    def density_cutoff_at(self, ecut: float) -> float:
        """Return the cutoff of the density that goes with one of the wave functions, Ha: at least 4 times as much.

        A recommended one is kept in relation to that of the wave functions; an estimated one is where the augmentation
        charge ends (decision 0011).
        """
        if self.density_source == "estimated":
            return max(4 * ecut, self.density_cutoff)
        return ecut * max(4.0, self.density_cutoff / self.cutoff if self.cutoff else 0.0)

    def spacing(self) -> float:
        """Return the spacing of a mesh, bohr, that leaves about 1e-4 Ha per atom (docs/lab/mesh-accuracy.md).

        It has to represent the waves of the wave functions to a cutoff that leaves as much, and some more, against the
        aliasing of the potential and of products of wave functions.
        """
        return math.pi / (_WAVES * math.sqrt(2 * self.mesh_cutoff) + _LEAST_WAVES)


def tables() -> list[str]:
    """Return the names of the shipped tables."""
    return sorted(path.stem for path in _DATA.glob("*.gth"))


def choose(
    core: ModuleType, document: Document, entry: str | dict[str, str], species: list[str], ecut: float, xc: str
) -> list[Choice]:
    """Return one pseudopotential per species for a functional (libxc's names); raises InputError naming the line."""
    find = libraries.Search().find
    if isinstance(entry, str):
        return [_choice(core, document, find, _KEY, entry, element, ecut, xc) for element in species]
    for element in entry:
        check_element(document, (*_KEY, element), element)
    for element in species:
        if element not in entry:
            raise document.error(
                _KEY, f"pseudopotentials lack '{element}'; valid: one entry for each of {', '.join(species)}"
            )
    return [_choice(core, document, find, (*_KEY, element), entry[element], element, ecut, xc) for element in species]


def _choice(
    core: ModuleType,
    document: Document,
    find: libraries.Find,
    key: KeyPath,
    name: str,
    element: str,
    ecut: float,
    xc: str,
) -> Choice:
    return _described(core, document, key, element, _found(core, document, find, key, name, element, xc), ecut)


def _found(
    core: ModuleType, document: Document, find: libraries.Find, key: KeyPath, name: str, element: str, xc: str
) -> Choice:
    """Return file, entry and name in the input of a pseudopotential, not yet read; `find`: in libraries."""
    shipped = re.fullmatch(r"(.+?)(?:-q(\d+))?", name)
    if shipped and shipped[1] in tables():
        return _from_table(core, document, key, name, element)
    if shipped and shipped[1] in _CP2K:
        return _from_cp2k(document, key, shipped[1], shipped[2], element)
    folder = document.path.parent / name
    try:
        if name in dataset_libraries.NAMES:
            dataset = dataset_libraries.find(name, element, xc)
            return _from_library(dataset, str(dataset.path))
        if name in libraries.NAMES:
            path = find(name, element, xc, partial(_functional, core, element))
            return Choice(str(path), 0, label=str(path))
        if os.path.isdir(folder):
            dataset = libraries.in_folder(folder, name, element, xc)
            label = f"{name.rstrip('/')}/{dataset.path.relative_to(folder)}"
            return _from_library(replace(dataset, path=dataset.path.resolve()), label)
    except InputError as fault:
        shipped_too = _entries(core, element, xc)
        also = f"; shipped: {', '.join(shipped_too)}" if shipped_too else ""
        raise document.error(key, f"{fault}{also}") from None
    file, entry = _resolve(document, key, name)
    return Choice(str(file), 0, entry, name)


def _from_library(dataset: dataset_libraries.Dataset, label: str) -> Choice:
    """Return the file of a dataset with the cutoffs of its library; that of the density only with that of the waves."""
    found, source = Choice(str(dataset.path), 0, label=label), "hint of the library"
    if not dataset.wave_cutoff:
        return found
    found = replace(found, cutoff=dataset.wave_cutoff, cutoff_source=source)
    if not dataset.density_cutoff:
        return found
    return replace(found, density_cutoff=dataset.density_cutoff, density_source=source)


def _entries(core: ModuleType, element: str, xc: str) -> list[str]:
    """Return the entries of the shipped table of a functional (libxc's names) for an element."""
    table = "gth-lda" if xc.startswith("LDA") else "gth-pbe" if xc == "GGA_X_PBE+GGA_C_PBE" else ""
    valences = core.gth_entries(str(_DATA / f"{table}.gth"), element) if table else []
    return [f"{table}-q{valence}" for valence in sorted(valences)]


def _functional(core: ModuleType, element: str, path: Path) -> str:
    """Return the functional of a file; raises InputError for one that cannot be read."""
    try:
        return str(core.pseudopotential_info(str(path), element)["functional"])
    except core.BadInput as fault:
        raise InputError(str(fault)) from None


def _described(core: ModuleType, document: Document, key: KeyPath, element: str, choice: Choice, ecut: float) -> Choice:
    """Complete a choice by what its file says of it."""
    try:
        info = core.pseudopotential_info(choice.file, element, choice.valence or None, choice.name, ecut)
    except core.BadInput as fault:
        raise document.error(key, str(fault)) from None
    return replace(
        choice,
        valence=info["valence"],
        functional=info["functional"],
        cutoff=choice.cutoff or info["recommended_ecut"],
        mesh_cutoff=info["mesh_ecut"],
        cutoff_source=choice.cutoff_source or info["recommended_ecut_source"],
        density_cutoff=choice.density_cutoff or info.get("recommended_density_ecut", 0.0),
        density_source=choice.density_source or info.get("recommended_density_ecut_source", ""),
        cutoff_error=info["ecut_error"],
        occupation=tuple(info["occupation"]),
        format=info["format"],
        core_density=info["core_density"],
        kind=info["kind"],
        spin_orbit=info["spin_orbit"],
    )


def require_spin_orbit(document: Document, potentials: dict[str, Choice]) -> None:
    """Refuse fully relativistic ultrasoft and PAW datasets in a run without spin-orbit coupling."""
    for element, choice in potentials.items():
        if choice.spin_orbit and choice.kind != "norm-conserving":
            raise document.error(
                ("electrons", "pseudopotentials"),
                f"{element}: {choice.label} is fully relativistic and {choice.kind}, of which there is no average "
                "over j; valid: spin_orbit = true, or a scalar-relativistic file",
            )


def spin_orbit_notes(potentials: dict[str, Choice], *, spin_orbit: bool) -> list[str]:
    """Return which pseudopotentials are not of the kind that a run with, or without, spin-orbit coupling has."""
    if spin_orbit:
        return [
            f"{element}: {choice.label} has no spin-orbit term"
            for element, choice in potentials.items()
            if not choice.spin_orbit
        ]
    return [
        f"{element}: {choice.label} is fully relativistic; its average over j is used, without spin-orbit coupling"
        for element, choice in potentials.items()
        if choice.spin_orbit
    ]


def _from_table(core: ModuleType, document: Document, key: KeyPath, name: str, element: str) -> Choice:
    table, _, valence = name.partition("-q")
    file, wanted = str(_DATA / f"{table}.gth"), int(valence) if valence else None
    valences = list(core.gth_entries(file, element))
    if not valences:
        elements = _some(list(core.gth_elements(file)))
        raise document.error(
            key, f"'{name}' has no pseudopotential for {element}; valid: one that has it (these: {elements})"
        )
    if wanted is not None and wanted not in valences:
        offered = ", ".join(f"{table}-q{valence}" for valence in sorted(valences))
        raise document.error(key, f"'{name}' has no {element} with {wanted} valence electrons; valid: {offered}")
    chosen = min(valences) if wanted is None else wanted
    return Choice(file, chosen, label=f"{table}-q{chosen}")


def _from_cp2k(document: Document, key: KeyPath, table: str, wanted: str | None, element: str) -> Choice:
    """Return an entry of a table that cp2k-data holds; without a valence the one with the fewest electrons."""
    name, prefix = _CP2K[table]
    file = Path(os.environ.get("CP2K_DATA_DIR", "/usr/share/cp2k")) / name
    if reason := readable.refusal(file):
        raise document.error(
            key,
            f"'{table}' is in {file}, which is {reason}; valid: install cp2k-data (apt install cp2k-data) or set "
            "CP2K_DATA_DIR",
        )
    found = re.findall(rf"^{element} +{prefix}-q(\d+)\b", file.read_text(errors="replace"), re.MULTILINE)
    offered = ", ".join(f"{table}-q{valence}" for valence in sorted(found, key=int))
    if not found or (wanted is not None and wanted not in found):
        what = f"with {wanted} valence electrons" if found else "at all"
        raise document.error(key, f"'{table}' has no {element} {what}; valid: {offered or 'an element that it has'}")
    chosen = wanted or min(found, key=int)
    return Choice(str(file), 0, f"{prefix}-q{chosen}", f"{table}-q{chosen}")


def _resolve(document: Document, key: KeyPath, name: str) -> tuple[Path, str]:
    """Return the file of a path relative to the input file, and the entry that may follow a colon."""
    folder = document.path.parent
    before, colon, entry = name.rpartition(":")
    for path, entry_name in ((folder / name, ""), *([(folder / before, entry)] if colon else [])):
        reason = readable.refusal(path)
        if not reason:
            return path.resolve(), entry_name
        if reason != readable.MISSING:
            break
    else:
        known = (*libraries.NAMES, *dataset_libraries.NAMES)
        names = [*tables(), *known]
        raise document.error(
            key,
            f"no pseudopotential '{name}': neither a shipped table nor a library, a folder or a file; valid: "
            f"{', '.join(tables())}, one of them with -q and a valence, {', '.join(known)}, or a path"
            f"{did_you_mean(name.partition('-q')[0], names) or _like(path)}",
        )
    raise document.error(key, f"'{name}' {reason}; valid: one file for each element, or a folder that has it")


def _like(path: Path) -> str:
    """Return the nearest name in the directory of a path."""
    return did_you_mean(path.name, readable.neighbours(path))


def _some(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
