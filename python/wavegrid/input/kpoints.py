"""k-points of an input file: mesh or list for the density, path for the bands; symmetry; the FFT grid."""

import math
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from wavegrid.errors import InputError
from wavegrid.input.document import Document
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import MESH_SPACING, Basis, Input, KPoints
from wavegrid.text import counted

_KEY: KeyPath = ("electrons", "kpoints")


@dataclass
class Choice:
    """What the core gets of k-points, and the path with its names."""

    problem: dict[str, Any]  # kpoints (None: Gamma alone), symmetry, band_path
    path: dict[str, Any] | None = None  # x and label_x in 1/bohr, labels

    def gamma_alone(self) -> bool:
        """Return whether Gamma is the only k-point, so that wave functions are real."""
        of_density = self.problem["kpoints"]
        if of_density is None:
            gamma = True
        elif "list" in of_density:
            gamma = len(of_density["list"]) == 1 and not any(of_density["list"][0][:3])
        else:
            gamma = math.prod(of_density["mesh"]) == 1 and not any(of_density["shift"])
        return gamma and not self.problem["band_path"]


def choose(document: Document, spec: Input, cell: list[Any], notes: list[str]) -> Choice:
    """Return mesh or list, symmetry and path; raises InputError for what does not fit together."""
    points = spec.electrons.kpoints or KPoints()
    _check_together(document, points)
    kind = spec.task.kind or ("bands" if points.path is not None else "scf")
    if points.list is not None:
        _refuse_symmetry(document, spec)
        of_density = {"kpoints": {"list": _weighted(document, points, points.list, notes)}, "symmetry": False}
    else:
        of_density = _mesh(spec, points, cell, notes)
    choice = Choice({**of_density, "band_path": []})
    if kind == "bands":
        _add_path(document, points, cell, choice)
    elif points.path is not None:
        notes.append(f'the path "{points.path}" is not used: [task] kind = "{kind}"')
    return choice


def _check_together(document: Document, points: KPoints) -> None:
    """Refuse keys without the key that they belong to, and mesh and list together."""
    if points.mesh is not None and points.list is not None:
        raise document.error((*_KEY, "list"), "'list' and 'mesh'; valid: one of them")
    for name, needed in (("shift", "mesh"), ("weights", "list"), ("points", "path")):
        if name in points.model_fields_set and getattr(points, needed) is None:
            raise document.error((*_KEY, name), f"'{name}' without '{needed}'; valid: {name} together with {needed}")


def _weighted(document: Document, points: KPoints, given: list[list[float]], notes: list[str]) -> list[list[float]]:
    """Return the list with weights that add up to 1."""
    weights = [1.0] * len(given) if points.weights is None else points.weights
    if len(weights) != len(given):
        raise document.error(
            (*_KEY, "weights"),
            f"{counted(len(weights), 'weight')} for {counted(len(given), 'k-point')}; "
            "valid: one for each k-point of the list",
        )
    total = math.fsum(weights)
    if total <= 0:
        raise document.error((*_KEY, "weights"), "all weights are zero; valid: at least one above zero")
    if points.weights is not None and abs(total - 1) > 1e-6:
        notes.append(f"the weights of the k-points add up to {total:g}; they are divided by that")
    return [[*k, weight / total] for k, weight in zip(given, weights, strict=True)]


def _refuse_symmetry(document: Document, spec: Input) -> None:
    if spec.symmetry.use:
        raise document.error(
            ("symmetry", "use"),
            "use = true with a list of k-points, which is used as given; valid: use = false, or a mesh",
        )


def _mesh(spec: Input, points: KPoints, cell: list[Any], notes: list[str]) -> dict[str, Any]:
    """Return mesh and symmetry; the default of symmetry is true for more than one point."""
    mesh = points.mesh
    if mesh is None and points.path is not None:
        mesh = mesh_for(cell, MESH_SPACING)
        shown = " x ".join(map(str, mesh))
        notes.append(
            f"kpoints has only a path: the density is computed on a mesh of {shown}, at most {MESH_SPACING}/bohr apart"
        )
    symmetric = spec.symmetry.use if spec.symmetry.use is not None else mesh is not None and math.prod(mesh) > 1
    if mesh is None and not symmetric:
        return {"kpoints": None, "symmetry": False}
    return {"kpoints": {"mesh": mesh or [1, 1, 1], "shift": points.shift}, "symmetry": symmetric}


def mesh_for(cell: list[Any], spacing: float) -> list[int]:
    """Return the smallest mesh whose points are at most `spacing` (1/bohr) apart along each reciprocal vector."""
    lengths = 2 * np.pi * np.linalg.norm(np.linalg.inv(np.array(cell)), axis=0)
    return [max(1, math.ceil(length / spacing - 1e-9)) for length in lengths]


def _add_path(document: Document, points: KPoints, cell: list[Any], choice: Choice) -> None:
    from wavegrid.input import kpath  # imports scipy: half a second that other tasks need not wait

    if points.path is None:
        usual = kpath.default_path(np.array(cell))
        raise document.error(
            ("task", "kind"),
            'kind = "bands" without a path; valid: kpoints = { mesh = [4, 4, 4], path = "GX", points = 60 } in '
            f'[electrons], where the usual path of this cell is "{usual}"',
        )
    try:
        path = kpath.build(np.array(cell), points.path, points.points)
    except InputError as fault:
        key = "points" if "too few" in str(fault) and "points" in points.model_fields_set else "path"
        raise document.error((*_KEY, key), str(fault)) from None
    choice.problem["band_path"] = path.k.tolist()
    choice.path = {"x": path.x.tolist(), "labels": path.labels, "label_x": path.label_x.tolist()}


def choose_grid(
    core: ModuleType, document: Document, basis: Basis, crystal: dict[str, Any], notes: list[str]
) -> list[int]:
    """Return the FFT grid; refuse one that cannot hold the sphere, note one smaller than the default.

    `crystal`: cell, species, atoms, initial_magnetic_moments, and `symmetry`: whether the default has to be invariant
    under every symmetry operation of the crystal.
    """
    cell = crystal["cell"]
    try:
        default = list(core.default_grid(cell, basis.ecut))
        minimum = list(core.minimum_grid(cell, basis.ecut))
        if basis.grid is None:
            return list(core.symmetric_grid(crystal, default)) if crystal["symmetry"] else default
    except core.BadInput as fault:
        raise document.error(("structure",), str(fault)) from None
    key = ("basis", "grid")
    if any(given < least for given, least in zip(basis.grid, minimum, strict=True)):
        raise document.error(
            key, f"grid = {basis.grid} is too small for the cutoff; valid: at least {minimum} (default {default})"
        )
    if any(given < usual for given, usual in zip(basis.grid, default, strict=True)):
        notes.append(f"grid {basis.grid} is smaller than the default {default}: products of wave functions are aliased")
    return list(basis.grid)
