"""Tasks that are a series of geometries: their data, their first geometry, and their largest cell."""

import importlib.util
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np

from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.files.names import RESULT
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.document import Document
from wavegrid.input.models import Input
from wavegrid.input.structure import Crystal
from wavegrid.input.vacuum import POSSIBLE_VACUUM, VACUUM, dispersing, empty_widths
from wavegrid.model.tasks import BornData

_SAME_PLACE = 1e-3  # of two atoms, in units of the lattice vectors


def describe(document: Document, spec: Input, kind: str, crystal: Crystal, notes: list[str]) -> dict[str, Any]:
    """Return what the task of this kind needs; raises InputError for what is wrong with it."""
    if kind == "eos":
        return {"volumes": _volumes(document, spec)}
    if kind == "elastic":
        return _elastic(document, spec, crystal)
    return {"phonon": _phonon, "vibrations": _vibrations, "neb": _neb}[kind](document, spec, crystal, notes)


def first_geometry(spec: Input, kind: str, crystal: Crystal) -> Crystal:
    """Return the geometry that a run begins with: the input's; of an equation of state its largest volume."""
    return replace(crystal, cell=largest_cell(spec, kind, crystal)) if kind == "eos" else crystal


def largest_cell(spec: Input, kind: str, crystal: Crystal) -> list[list[float]]:
    """Return a cell whose memory and FFT grid are enough for all geometries; without a series that of the input."""
    length = 1.0
    if kind == "eos":
        largest = spec.eos.range[1] if spec.eos.volumes is None else spec.eos.volumes[-1]
        length = largest ** (1 / 3)
    elif kind == "elastic":
        length = 1.0 + spec.elastic.strain
    return [[length * x for x in vector] for vector in crystal.cell]


def _volumes(document: Document, spec: Input) -> list[float]:
    """Return the volumes of an equation of state; raises InputError where they are given twice."""
    if spec.eos.volumes is None:
        low, high = spec.eos.range
        steps = spec.eos.number - 1
        return [round(low + (high - low) * i / steps, 12) for i in range(steps + 1)]
    for name in ("range", "number"):
        if name in spec.eos.model_fields_set:
            raise document.error(("eos", name), f"'{name}' and 'volumes'; valid: one of them")
    return spec.eos.volumes


def _elastic(document: Document, spec: Input, crystal: Crystal) -> dict[str, Any]:
    given = spec.elastic
    _check_all_move(document, crystal, "elastic constants")
    return {
        "strain_size": given.strain,
        "relax_atoms": given.relax,
        "force_tolerance": given.force_tolerance,
        "relax_steps": given.max_steps,
    }


def _phonon(document: Document, spec: Input, crystal: Crystal, notes: list[str]) -> dict[str, Any]:
    from wavegrid.input import kpath  # imports scipy

    _check_all_move(document, crystal, "phonons")
    if importlib.util.find_spec("phonopy") is None:
        raise EnvironmentFault('[task] kind = "phonon" needs phonopy, which is not installed; pip install phonopy')
    repeats, given = spec.structure.supercell, spec.phonon
    if max(repeats) == 1:
        notes.append("phonons without [structure] supercell are those at Gamma; between, they are interpolated")
    atoms = len(crystal.symbols) // math.prod(repeats)
    cell = [[x / count for x in vector] for vector, count in zip(crystal.cell, repeats, strict=True)]
    fractional = [[x * n for x, n in zip(place, repeats, strict=True)] for place in crystal.fractional[:atoms]]
    unit = Crystal(cell, crystal.symbols[:atoms], fractional, crystal.initial)
    periodic = dispersing(unit, spec.basis.periodic())
    try:
        path = kpath.build(cell, given.path or kpath.default_path(cell, periodic), None, periodic)
    except InputError as fault:
        raise document.error(("phonon", "path"), str(fault)) from None
    return {
        "repeats": repeats,
        "displacement": given.displacement,
        "q_points": path.k.tolist(),
        "path": {"x": path.x.tolist(), "labels": path.labels, "label_x": path.label_x.tolist()},
        "q_mesh": given.mesh,
        "nac": None if given.born is None else _born(document, unit, given.born),
        "max_temperature": given.max_temperature,
    }


def _born(document: Document, unit: Crystal, given: str) -> BornData:
    """Return charges and dielectric tensor of a run of the cell; raises InputError where it is of another one."""
    key = ("phonon", "born")
    try:
        content = json.loads((document.path.parent / given / RESULT).read_text())
        part, structure = content["born"], content["structure"]
        charges, dielectric = np.array(part["charges"], float), np.array(part["dielectric"], float)
        cell = np.array(structure["cell"], float)
        places = np.array(structure["positions"], float) @ np.linalg.inv(cell)
    except (OSError, ValueError, LookupError, TypeError):
        raise document.error(
            key, f'{given} has no Born charges; valid: the folder of a run with kind = "born"'
        ) from None
    same = structure["species"] == unit.symbols and np.allclose(cell, unit.cell, rtol=0, atol=1e-3)
    apart = places - unit.fractional if same else np.ones(3)
    if np.abs(apart - np.rint(apart)).max() > _SAME_PLACE or charges.shape != (len(unit.symbols), 3, 3) or not same:
        raise document.error(
            key,
            f"{given} is of another cell than the one that is repeated; valid: the same one, its atoms in order",
        )
    return {"charges": charges.tolist(), "dielectric": dielectric.tolist()}


def _vibrations(document: Document, spec: Input, crystal: Crystal, notes: list[str]) -> dict[str, Any]:
    given, fixed, atoms = spec.vibrations, crystal.initial.fixed, len(crystal.symbols)
    if fixed is not None and fixed.partial():
        raise document.error(
            ("structure",),
            f"{crystal.initial.source}: atom {fixed.partial()[0] + 1} is fixed along single directions; valid: whole "
            "atoms",
        )
    held = set() if fixed is None else set(fixed.whole())
    numbers = given.atoms if given.atoms is not None else [i + 1 for i in range(atoms) if i not in held]
    for index, number in enumerate(numbers):
        if number > atoms or number in numbers[:index]:
            found = f"there is no atom {number}" if number > atoms else f"atom {number} twice"
            raise document.error(
                ("vibrations", "atoms", index), f"{found}; valid: each atom from 1 to {atoms} once, or no atoms"
            )
    if not numbers or atoms == 1:
        raise document.error(
            ("vibrations", "atoms") if given.atoms is not None else ("vibrations",),
            "nothing can vibrate; valid: at least two atoms, one of which is not fixed",
        )
    on_mesh = from_basis(spec.basis).discretisation.egg_box
    if given.mesh_positions not in ((1, 2, 4, 8) if on_mesh else (1,)):
        raise document.error(
            ("vibrations", "mesh_positions"),
            f"{given.mesh_positions} positions" + ("; valid: 1, 2, 4 or 8" if on_mesh else " without a mesh; valid: 1"),
        )
    empty = [
        math.inf if not one else width for one, width in zip(spec.basis.periodic(), empty_widths(crystal), strict=True)
    ]
    if len(numbers) == atoms and VACUUM >= min(empty) > POSSIBLE_VACUUM:
        notes.append(f"less than {VACUUM:g} bohr of vacuum between copies: rotations are not projected out")
    return {
        "displacement": given.displacement,
        "moving": [number - 1 for number in numbers],
        "masses": crystal.initial.masses,
        "rotations": min(empty) > VACUUM,
        "held": spec.external is not None,
        "between_points": on_mesh,
        "mesh_positions": given.mesh_positions,
    }


def _neb(document: Document, spec: Input, crystal: Crystal, notes: list[str]) -> dict[str, Any]:
    from wavegrid.input import reaction_path  # imports ASE

    given = spec.neb
    return {
        "images": reaction_path.images(document, spec, crystal, notes),
        "climb": given.climb,
        "spring": given.spring,
        "optimizer": given.optimizer,
        "force_tolerance": given.force_tolerance,
        "max_steps": given.max_steps,
        "parallel_images": min(given.parallel_images, given.images),
    }


def _check_all_move(document: Document, crystal: Crystal, what: str) -> None:
    if crystal.initial.fixed is not None:
        raise document.error(
            ("structure",),
            f"{crystal.initial.source} has fixed atoms, and {what} need all of them; valid: a structure without "
            "constraints",
        )
