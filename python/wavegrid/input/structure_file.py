"""Reads a structure file, CIF by itself, else with ASE; refuses what readers pass over: dropped rows, no cell."""

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError, did_you_mean
from wavegrid.files import readable
from wavegrid.input import ase_atoms, compressed, reader_fault, unexpanded, xyz_rows
from wavegrid.input.initial_state import InitialState

if TYPE_CHECKING:
    from ase import Atoms

_VALID = "valid: a structure file that ASE reads"


def read(path: Path, frame: int | None, notes: list[str], repeated: Sequence[bool] = (True, True, True)) -> "Atoms":
    """Return the atoms of a file, with a finite cell and finite positions; raises InputError without file and line.

    `frame`: which structure, from 1, of a file of several; None where it has to be the only one. `repeated`: along
    which vectors the calculation repeats the cell, which a note says where the file does not.
    """
    if why := readable.refusal(path):
        near = did_you_mean(path.name, readable.neighbours(path)) if why == readable.MISSING else ""
        found = f"no such file: '{path}'" if why == readable.MISSING else f"'{path}' {why}"
        raise InputError(f"{found}; {_VALID}{near}")
    if compressed.plain_name(path) != path:
        compressed.contents(path)  # refuses what cannot be decompressed
    xyz_rows.check(path, frame)
    unexpanded.check(path)
    atoms = _only(path, _frames(path, frame, notes), frame)
    if len(atoms) == 0:
        raise InputError(f"'{path}' holds no atoms; valid: a structure file with a cell and atoms")
    if (unknown := (atoms.numbers < 0) | (atoms.numbers > len(ELEMENTS))).any():
        index = int(np.argmax(unknown))
        raise InputError(
            f"'{path}': atom {index + 1} has the atomic number {atoms.numbers[index]}; valid: from 1 to 118"
        )
    if not atoms.cell.array.any():
        raise InputError(f"'{path}' holds no cell; valid: a structure file with three lattice vectors")
    if not np.isfinite(atoms.cell.array).all():
        raise InputError(f"'{path}': the cell holds numbers that are not finite; valid: three finite lattice vectors")
    finite = np.isfinite(atoms.positions).all(axis=1)
    if not finite.all():
        index = int(np.argmin(finite))
        raise InputError(
            f"'{path}': the position of atom {index + 1} ({atoms.get_chemical_symbols()[index]}) is not finite; "
            "valid: three finite numbers"
        )
    _check_occupancy(path, atoms)
    if (made_periodic := ~atoms.pbc & repeated).any():
        along = " and ".join(f"vector {axis + 1}" for axis in np.flatnonzero(made_periodic))
        notes.append(f"{path} is not periodic along {along}: the calculation repeats its cell there too")
    return atoms


def initial_state(path: Path, atoms: "Atoms", notes: list[str]) -> InitialState:
    """Return what a file that has been read says besides cell and places; raises InputError without file and line."""
    from ase.io.formats import filetype

    kind = filetype(str(path))
    if kind == "vasp":
        _check_poscar(path, notes)
    if kind != "espresso-in":
        return ase_atoms.initial_state(atoms, str(path), notes, from_file=True)
    from wavegrid.input import pw_input

    atoms.set_initial_magnetic_moments(None)
    found = pw_input.moments(path, atoms.get_chemical_symbols(), notes)
    state = ase_atoms.initial_state(atoms, str(path), notes, from_file=True)
    return state if found is None else replace(state, moments=found[0], polarisation=found[1])


def _check_poscar(path: Path, notes: list[str]) -> None:
    """Refuse flags of selective dynamics that ASE takes for T: it knows T and F only, VASP more spellings."""
    lines = compressed.text(path).splitlines()
    if any(line.strip().lower().startswith("lattice vel") for line in lines[7:]):
        notes.append(f"{path}: not used: lattice velocities")
    counts = next((at for at in (5, 6) if lines[at].split()[:1] and lines[at].split()[0].isdigit()), None)
    if counts is None or lines[counts + 1].strip()[:1] not in ("s", "S"):
        return
    atoms = sum(int(word) for word in lines[counts].split() if word.isdigit())
    for number, line in enumerate(lines[counts + 3 : counts + 3 + atoms], counts + 4):
        flags = line.split()[3:6]
        if any(flag not in ("T", "F") for flag in flags):
            raise InputError(
                f"'{path}': line {number} has the flags '{' '.join(flags)}'; valid: T or F for each direction"
            )


def _frames(path: Path, frame: int | None, notes: list[str]) -> "list[Atoms]":
    """Return the wanted structure, or the first two; notes say where a reader of ASE has warnings."""
    from ase import (
        Atoms,  # half a second: only where a file asks for it
        io,
    )

    wanted = slice(0, 2) if frame is None else slice(frame - 1, frame)
    if _is_cif(path):
        from wavegrid.input import cif  # imports scipy

        structures = list(itertools.islice(cif.frames(path), wanted.start, wanted.stop))
        for _, said_of_it in structures:
            notes += said_of_it
        return [atoms for atoms, _ in structures]
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = io.read(str(path), index=wanted, do_not_split_by_at_sign=True)
    except Exception:  # ASE's readers raise whatever they meet, with messages of numpy and Python
        raise InputError(reader_fault.explain(path, _VALID)) from None
    if said:
        reader_fault.check_warnings(path, said, notes)
    return [atoms for atoms in found if isinstance(atoms, Atoms)]


def _is_cif(path: Path) -> bool:
    """Return whether a file is a CIF file by its name."""
    return compressed.plain_name(path).suffix.casefold() in (".cif", ".mcif")


def _only(path: Path, found: "list[Atoms]", frame: int | None) -> "Atoms":
    if len(found) > 1:
        raise InputError(f"'{path}' holds several structures; valid: frame = 1 (the first), 2, ... in [structure]")
    if not found and frame not in (None, 1):
        raise InputError(f"'{path}' holds fewer than {frame} structures; valid: a smaller frame in [structure]")
    if not found:
        raise InputError(f"'{path}' holds no atoms; valid: a structure file with a cell and atoms")
    return found[0]


def _check_occupancy(path: Path, atoms: "Atoms") -> None:
    """Refuse partly occupied sites: those of a PDB file, and those that ASE found in a CIF file and wrote elsewhere."""
    sites = atoms.info.get("occupancy")
    for site in sites.values() if isinstance(sites, dict) else ():
        if any(abs(share - 1) > 1e-6 for share in site.values()):
            raise InputError(f"'{path}' has a partly occupied site {site}; valid: an ordered structure")
    shares = atoms.arrays.get("occupancy")
    if shares is None or shares.dtype.kind not in "iuf" or not shares.any():  # some programs write 0 for all
        return
    for number, share in enumerate(shares, 1):
        if not abs(share - 1) <= 1e-6:
            raise InputError(f"'{path}': atom {number} has the occupancy {share:g}; valid: an ordered structure")
