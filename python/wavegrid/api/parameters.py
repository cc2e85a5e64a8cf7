"""The tables of the input file as keywords, and ASE's atoms as its structure."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from ase import Atoms

from wavegrid.base import vectors
from wavegrid.errors import InputError, did_you_mean
from wavegrid.input.document import Document, validated
from wavegrid.input.locate import KeyPath
from wavegrid.input.models.basis import periodic_directions
from wavegrid.job.job import Job
from wavegrid.job.prepare import prepare_document

TABLES = ("basis", "electrons", "symmetry", "external", "scf", "parallel")
# Of forces: their error is of first order in the density's, so that the tolerance of one energy is too coarse.
TOLERANCE = "1e-9 Ha"


@dataclass(frozen=True)
class Keywords(Document):
    """The keywords of a function in the place of an input file."""

    caller: str = "WaveGrid"
    given: Mapping[str, Any] | None = None  # tables that replace keys of an input file; None: there is no file
    spelled: Mapping[KeyPath, str] = field(default_factory=dict)  # keywords that stand for keys of tables

    def error(self, key: KeyPath, message: str) -> InputError:
        """Return the error that names the keyword, the atoms, or file and line."""
        if self.given is not None and not _holds(self.given, key):
            return super().error(key, message)
        table, *rest = (str(name) for name in key) if key else ("",)
        if table == "structure":
            return InputError(f"atoms: {message}")
        if keyword := self.spelled.get(key[:2]):
            return InputError(f"{self.caller}({keyword}=...): {message}")
        return InputError(
            f"{self.caller}({table}={{'{rest[0]}': ...}}): {message}" if rest else f"{self.caller}: {message}"
        )


def _holds(given: Mapping[str, Any], key: KeyPath) -> bool:
    """Whether a key is one of the keywords', not of the file's."""
    table, *rest = key or ("",)
    return table in given and (not rest or rest[0] in given[str(table)])


def job_of(
    core: ModuleType,
    atoms: Atoms,
    parameters: dict[str, Any],
    *,
    folder: Path,
    ranks: int,
    threads: int,
    caller: str = "WaveGrid",
    spelled: Mapping[KeyPath, str] | None = None,
    moved: bool = False,
) -> Job:
    """Return the job of the atoms, with forces; raises InputError for what is wrong with them or with a parameter.

    Files that the parameters name are looked for in `folder`. `caller`: whose keywords they are, for messages;
    `spelled`: keywords of it that stand for keys of tables. `moved`: as for `prepare_document`.
    """
    check_names(parameters, TABLES, caller)
    data = tables_of(atoms, parameters)
    data.setdefault("scf", {}).setdefault("energy_tolerance", TOLERANCE)
    data["output"] = {"forces": True, "stress": _has_stress(atoms, data), "checkpoint": False}
    document = Keywords(folder / atoms.get_chemical_formula(), data, {}, caller, spelled=spelled or {})
    return prepare_document(core, document, validated(document), ranks=ranks, threads=threads, moved=moved, atoms=atoms)


def _has_stress(atoms: Atoms, data: Mapping[str, Any]) -> bool:
    """Whether there is a stress: it needs all directions, and is not defined in a potential from outside."""
    whole = all(periodic_directions(data.get("basis", {}).get("boundary", "periodic")))
    return bool(atoms.pbc.any()) and whole and "external" not in data


def tables_of(atoms: Atoms, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return what an input file would hold: the parameters, and cell and places of the atoms."""
    _check_cell(atoms)
    data = {name: copy.deepcopy(dict(table)) for name, table in parameters.items()}
    data["structure"] = {
        "cell": atoms.cell.array.tolist(),
        "unit": "angstrom",
        "coordinates": "fractional",
        "atoms": [
            [symbol, *place]
            for symbol, place in zip(
                atoms.get_chemical_symbols(), atoms.get_scaled_positions(wrap=False).tolist(), strict=True
            )
        ],
    }
    return data


def check_names(parameters: dict[str, Any], valid: tuple[str, ...], caller: str) -> None:
    """Refuse keywords that are not tables of the input, and tables that are not dictionaries; raises InputError."""
    for name, table in parameters.items():
        if name not in valid:
            raise InputError(
                f"{caller}(): unknown keyword '{name}'; valid: {', '.join(valid)}, ranks, threads, folder"
                f"{did_you_mean(name, valid)}"
            )
        if not isinstance(table, Mapping):
            raise InputError(f"{caller}({name}={table!r}): not a table; valid: {name}={{'key': value}}")


def _check_cell(atoms: Atoms) -> None:
    if len(atoms) == 0:
        raise InputError("atoms: none; valid: at least one atom")
    if atoms.cell.rank < 3:
        raise InputError(
            f"atoms: {atoms.cell.rank} cell vectors; valid: three, also for a molecule: atoms.center(vacuum=5.0)"
        )
    if not (np.isfinite(atoms.positions).all() and np.isfinite(atoms.cell.array).all()):
        raise InputError("atoms: positions or cell vectors that are not finite; valid: finite numbers")
    if vectors.are_flat(atoms.cell.array.tolist()):
        raise InputError("atoms: the cell vectors span no volume; valid: three that do not lie in one plane")
