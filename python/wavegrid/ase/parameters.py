"""From atoms of ASE and the tables of the input file, as keywords, to the job of the core."""

import copy
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from ase import Atoms

from wavegrid.errors import InputError, did_you_mean
from wavegrid.input.document import Document, validated
from wavegrid.input.locate import KeyPath
from wavegrid.input.problem import prepare_document
from wavegrid.launch.job import Job

TABLES = ("basis", "electrons", "symmetry", "scf", "parallel")
# Of forces: their error is of first order in the density's, so that the tolerance of one energy is too coarse.
TOLERANCE = "1e-9 Ha"


@dataclass(frozen=True)
class Keywords(Document):
    """The keywords of a calculator in the place of an input file."""

    def error(self, key: KeyPath, message: str) -> InputError:
        """Return the error that names the keyword, or the atoms."""
        table, *rest = (str(name) for name in key) if key else ("",)
        place = "atoms" if table == "structure" else f"WaveGrid({table}={{'{rest[0]}': ...}})" if rest else "WaveGrid"
        return InputError(f"{place}: {message}")


def job_of(
    core: ModuleType, atoms: Atoms, parameters: dict[str, Any], *, folder: Path, ranks: int, threads: int
) -> Job:
    """Return the job of the atoms; raises InputError for what is wrong with them or with a parameter.

    Files that the parameters name are looked for in `folder`.
    """
    document = Keywords(folder / "wavegrid", _tables(atoms, parameters), {})
    return prepare_document(core, document, validated(document), ranks=ranks, threads=threads)


def _tables(atoms: Atoms, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return what an input file would hold."""
    _check_names(parameters)
    _check_cell(atoms)
    data = {name: copy.deepcopy(dict(parameters[name])) for name in TABLES if name in parameters}
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
    data.setdefault("scf", {}).setdefault("energy_tolerance", TOLERANCE)
    data["output"] = {"forces": True, "stress": bool(atoms.pbc.any()), "checkpoint": False}
    _take_moments(data.setdefault("electrons", {}), atoms.get_initial_magnetic_moments())
    return data


def _take_moments(electrons: dict[str, Any], moments: np.ndarray) -> None:
    """Take the initial moments of the atoms where the keywords do not say otherwise."""
    if moments.ndim > 1:
        raise InputError("atoms: noncollinear magnetic moments; valid: one number for each atom")
    if not moments.any() or "initial_magnetic_moments" in electrons:
        return
    if electrons.setdefault("spin", "collinear") == "collinear":
        electrons["initial_magnetic_moments"] = moments.tolist()


def _check_names(parameters: dict[str, Any]) -> None:
    for name in parameters:
        if name not in TABLES:
            raise InputError(
                f"WaveGrid(): unknown keyword '{name}'; valid: {', '.join(TABLES)}, ranks, threads, folder"
                f"{did_you_mean(name, TABLES)}"
            )


def _check_cell(atoms: Atoms) -> None:
    if len(atoms) == 0:
        raise InputError("atoms: none; valid: at least one atom")
    if atoms.cell.rank < 3:
        raise InputError(
            f"atoms: {atoms.cell.rank} cell vectors; valid: three, also for a molecule: atoms.center(vacuum=5.0)"
        )
    if not (np.isfinite(atoms.positions).all() and np.isfinite(atoms.cell.array).all()):
        raise InputError("atoms: positions or cell vectors that are not finite; valid: finite numbers")
