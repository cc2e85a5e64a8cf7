"""Compares a checkpoint with the input of the run that continues from it: whether it fits, and what differs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from wavegrid.base.text import counted
from wavegrid.checkpoint.header import Header, read_header
from wavegrid.checkpoint.reader import CheckpointFault, opened
from wavegrid.checkpoint.summary import describe, formula
from wavegrid.discretisation import choose
from wavegrid.errors import InputError
from wavegrid.model.problem import KPoints, Problem, field_grid

_SAME = 1e-9  # of lengths, energies and coordinates, relative
# From an input as a checkpoint holds it (JSON) to the keys of the problem that say which energy is minimised.
Settings = Callable[[str], dict[str, Any]]


def notes(path: str, problem: Problem, electrons: float, shown: str, settings: Settings) -> list[str]:
    """Compare a checkpoint with the problem that continues from it; return notes for the user.

    `shown`: the option that names it, as it was typed, for messages. `settings`: reads functional, pseudopotentials and
    external field of an input.

    Refuses other atoms. Another cutoff, grid, cell, position, spin, number of bands or electrons is accepted and
    noted, as are other k-points, another functional, other pseudopotentials (of `problem` and `settings` their names
    in the input) and another external field. Raises InputError.
    """
    try:
        with opened(Path(path)) as file:
            header = read_header(file)
    except CheckpointFault as fault:
        raise InputError(f"{shown}: {fault.what}") from None
    symbols = [problem["species"][atom[0]] for atom in problem["atoms"]]
    if symbols != header.symbols():
        mixed = " in another order" if sorted(symbols) == sorted(header.symbols()) else ""
        raise InputError(
            f"{shown}: it holds {formula(header.symbols())}, the input {formula(symbols)}{mixed}; "
            "valid: a checkpoint of the same atoms in the same order"
        )
    found = _differences(header, problem, electrons) + _differences_of_energy(header, problem, settings)
    other = f"; different from this input: {', '.join(found)}" if found else ""
    return [f"restart from {path}: {describe(header)}{other}", *_stretched(header, problem)]


def _stretched(header: Header, problem: Problem) -> list[str]:
    """Say where a magnetisation does not follow the atoms, as with another width of vacuum."""
    in_cell = choose.from_problem(problem).checkpoint_has_cell(problem)
    other_cell = in_cell and not np.allclose(header.cell, problem["cell"], rtol=_SAME, atol=1e-9)
    if problem["spins"] == 1 or header.spins == 1 or not other_cell or not _moved(header, problem):
        return []
    return [
        "the magnetisation of the checkpoint is stretched with the cell, and the atoms have other places in it: where "
        "the vacuum has another width, begin without --restart"
    ]


def _differences(header: Header, problem: Problem, electrons: float) -> list[str]:
    """Name what is not the same, as the file has it."""
    found = _differences_of_basis(header, problem)
    if header.bands != problem["bands"]:
        found.append(counted(header.bands, "band"))
    if header.bands > 0 and abs(header.electrons - electrons) > 1e-6 * max(1.0, electrons):
        found.append(counted(round(header.electrons, 6), "electron"))
    if header.spins != problem["spins"]:
        found.append("spin")
    elif header.spins == 2 and problem["initial_magnetic_moments"]:
        found.append("its magnetisation instead of the initial magnetic moments")
    if not _same_kpoints(header, problem["kpoints"]):
        found.append("k-points")
    return found


def _differences_of_energy(header: Header, problem: Problem, settings: Settings) -> list[str]:
    """Name what is not the same of functional, pseudopotentials and field; nothing for a file of another program."""
    earlier = settings(header.input)
    found = []
    if "xc" in earlier and earlier["xc"] != problem["xc"]:
        found.append(f"the functional {earlier['xc']}")
    if "pseudopotentials" in earlier and earlier["pseudopotentials"] != problem["pseudopotentials"]:
        found.append("pseudopotentials")
    if "external" in earlier and earlier["external"] != problem["external"]:
        found.append("the external field")
    return found


def _differences_of_basis(header: Header, problem: Problem) -> list[str]:
    """Name what is not the same of cell and basis."""
    discretisation = choose.from_problem(problem)
    if not discretisation.checkpoint_has_cell(problem):
        return []
    found = []
    if not np.allclose(header.cell, problem["cell"], rtol=_SAME, atol=1e-9):
        found.append("the cell")
    elif _moved(header, problem):
        found.append("positions")
    found += discretisation.other_cutoff(header.ecut, problem, _SAME)
    if list(header.grid) != field_grid(problem):
        found.append(f"grid {' x '.join(map(str, header.grid))}")
    return found


def _moved(header: Header, problem: Problem) -> bool:
    """Whether any atom has another place."""
    apart = header.positions - np.array([atom[1:] for atom in problem["atoms"]])
    return bool(np.abs(apart - np.round(apart)).max() > 1e-9)


def _same_kpoints(header: Header, kpoints: KPoints | None) -> bool:
    """Compare the mesh, or the list where it is one; `kpoints` as the core takes them (None: Gamma alone)."""
    if kpoints is None:
        kpoints = {"mesh": [1, 1, 1], "shift": [0, 0, 0]}
    if "mesh" in kpoints and any(header.mesh):
        return header.mesh == list(kpoints["mesh"]) and np.allclose(header.shift, kpoints["shift"], atol=1e-12)
    if "list" in kpoints:
        points = np.array(kpoints["list"])[:, :3]
        return points.shape == header.kpoints.shape and bool(np.allclose(points, header.kpoints, atol=1e-12))
    return len(header.kpoints) == 1 and not header.kpoints.any() and list(kpoints["mesh"]) == [1, 1, 1]
