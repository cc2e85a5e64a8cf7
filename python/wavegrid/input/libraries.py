"""Pseudopotential libraries: the file of an element in a folder, or in the libraries that a name stands for.

- PseudoDojo: `Al.psp8`, `Ga-spd.upf`, or `Al/Al.psp8` where `standard.djson` lists the file of each element;
  M. J. van Setten et al., 10.1016/j.cpc.2018.01.012
- SG15: `Al_ONCV_PBE-1.2.upf`; M. Schlipf, F. Gygi, 10.1016/j.cpc.2015.05.011
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError
from wavegrid.input import dataset_libraries, library_files
from wavegrid.input.dataset_libraries import Dataset
from wavegrid.input.library_folders import (
    DOJO,
    RECOGNISED,
    SG15,
    SG15_FILE,
    VARIABLE,
    Library,
    found,
    found_in,
    others_in,
    roots,
    searched,
)

NAMES = (DOJO, f"{DOJO}-stringent", SG15)
Find = Callable[[str, str, str, Callable[[Path], str]], Path]  # Search.find


class Search:
    """A search for the files of several elements, which looks through the directories once."""

    @cached_property
    def _libraries(self) -> list[Library]:
        return found()

    def find(self, name: str, element: str, xc: str, functional_of: Callable[[Path], str]) -> Path:
        """Return the file of an element in the library of this name, for a functional by libxc's names.

        The first directory that has the element is taken. `functional_of`: the functional of a file (libxc's names,
        empty where it has none), asked where the name of its folder does not say it. Raises InputError without file
        and line.
        """
        kinds = _kinds(xc)
        if not kinds or (name == SG15 and "pbe" not in kinds):
            valid = "PBE" if name == SG15 else "PBE, PBESOL or an LDA"
            raise InputError(f'"{name}" has no potentials for {xc}; valid: {valid}, or the path of a folder')
        accuracy = "stringent" if name.endswith("-stringent") else "standard"
        fitting = [library for library in self._libraries if _fits(library, name, kinds, accuracy)]
        for library in fitting:
            path = library_files.listed(library.folder, element, accuracy)
            path = path or library_files.choose(library.folder, element, kinds, library.files())
            if path is not None and (library.functional or _same_functional(functional_of(path), kinds)):
                return path
        raise InputError(
            _not_found(name, f"{element} for {xc}", [library.folder for library in fitting], self._others(element))
        )

    def _others(self, element: str) -> list[str]:
        """Name the libraries that have an element for another functional or accuracy, and those."""
        named = [each for each in self._libraries if each.functional]
        having = [each for each in named if element in library_files.elements(each.folder, each.files())]
        names = [f"{each.name} {each.functional.upper().replace('SOL', 'sol')} {each.accuracy}" for each in having]
        return list(dict.fromkeys(" ".join(name.split()) for name in names))


def in_folder(folder: Path, shown: str, element: str, xc: str) -> Dataset:
    """Return the file of an element in a folder, `shown` in messages; raises InputError without file and line.

    Tables come first, then norm-conserving files, then those of libraries of ultrasoft and PAW datasets, then any.
    """
    if (path := library_files.listed(folder, element, "standard")) is not None:
        return Dataset(path)
    if (dataset := dataset_libraries.in_tables(folder, element, xc)) is not None:
        return dataset
    path = library_files.choose(folder, element, _kinds(xc)) or dataset_libraries.named(folder, element, xc)
    path = path or library_files.choose(folder, element, _kinds(xc), kind="dataset")
    if path is not None:
        return Dataset(path)
    if names := library_files.unreadable(folder, element):
        raise InputError(
            f"'{shown}' has no pseudopotential for {element} without spin-orbit coupling: {', '.join(names[:4])}; "
            "valid: scalar-relativistic files (docs/pseudopotentials.md)"
        )
    there = sorted(library_files.elements(folder) | library_files.elements(folder, kind="dataset"))
    some = ", ".join(there[:12]) + (", ..." if len(there) > 12 else "")
    inside = ", ".join(sorted({library.folder.name for library in found_in(folder) if library.folder != folder})[:6])
    raise InputError(
        f"'{shown}' has no pseudopotential for {element}; valid: a folder with files such as {element}.psp8 or "
        f"{element}_ONCV_PBE-1.2.upf (this one has {f'those of {some}' if there else 'none'}"
        f"{f'; folders in it: {inside}' if inside else ''})"
    )


def source(path: Path) -> str:
    """Return folder and, where the name of a file says it, library of a pseudopotential."""
    folder = path.parent
    if folder.name in ELEMENTS:  # a folder for each element
        folder = folder.parent
    return f"{folder} ({SG15})" if SG15_FILE.fullmatch(path.stem) else str(folder)


def _not_found(name: str, wanted: str, folders: list[Path], having: list[str]) -> str:
    """Return why a library has no file: which folders were searched, or what is there instead.

    `having`: the libraries that have the element for another functional or accuracy.
    """
    if folders:
        where = f"none of {', '.join(map(str, folders))} has one"
    else:
        others = ", ".join(other for root in roots() for other in others_in(root))
        where = f"no such folder in {searched()}{f', only {others}' if others else ''}"
    if having:
        where += f"; for {wanted.split()[0]} there is {', '.join(having)}"
    return (
        f'"{name}" has no pseudopotential of {wanted}: {where}; valid: a path, or unpack the library in a directory '
        f"that {VARIABLE} names (docs/pseudopotentials.md); folders that are recognised: {RECOGNISED}"
    )


def _fits(library: Library, name: str, kinds: set[str], accuracy: str) -> bool:
    if library.name != name.removesuffix("-stringent"):
        return False
    return library.functional in {"", *kinds} and (library.name == SG15 or library.has(accuracy))


def _same_functional(functional: str, kinds: set[str]) -> bool:
    return not functional or bool(_kinds(functional) & kinds)


def _kinds(xc: str) -> set[str]:
    """Return what libraries call a functional; empty for one that they have no potentials for."""
    if xc.startswith("LDA"):
        return {"lda", "pw", "pz"}
    return {"GGA_X_PBE+GGA_C_PBE": {"pbe"}, "GGA_X_PBE_SOL+GGA_C_PBE_SOL": {"pbesol"}}.get(xc, set())
