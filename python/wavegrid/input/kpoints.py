"""k-points of an input file: mesh or list for the density, path for the bands; symmetry."""

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

from wavegrid.base import vectors
from wavegrid.base.text import counted
from wavegrid.errors import InputError
from wavegrid.input import tasks
from wavegrid.input.document import Document
from wavegrid.input.electrons import is_hybrid
from wavegrid.input.fields import MOST_MESH
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import MESH_SPACING, Input, KPoints
from wavegrid.input.structure import Crystal
from wavegrid.input.vacuum import VACUUM, dispersing, empty_widths
from wavegrid.model.problem import KPointSettings

_KEY: KeyPath = ("electrons", "kpoints")
_SAME_PLACE = 1e-4  # bohr, of an atom and its image: as in problem/choose_kpoints.cpp
_SAME_LENGTH = 1e-3  # relative, of the vectors of a hexagonal plane; also of the cosines of its angles


@dataclass
class Choice:
    """What the core gets of k-points, and the path with its names."""

    problem: KPointSettings  # kpoints (None: Gamma alone), symmetry, band_path: the path, then points of weight zero
    path: dict[str, Any] | None = None  # x and label_x in 1/bohr, labels
    zero_weight: int = 0  # points of weight zero

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

    def mesh(self) -> list[int] | None:
        """Return the mesh of the density; Gamma alone is one, other lists of k-points are None."""
        of_density = self.problem["kpoints"]
        if of_density is not None and "list" in of_density:
            points = of_density["list"]
            return [1, 1, 1] if len(points) == 1 and not any(points[0][:3]) else None
        return [1, 1, 1] if of_density is None else list(of_density["mesh"])

    def shift(self) -> list[float]:
        """Return the shift of the mesh in its steps."""
        return list((self.problem["kpoints"] or {}).get("shift", [0, 0, 0]))


def choose(core: ModuleType, document: Document, spec: Input, crystal: Crystal, notes: list[str]) -> Choice:
    """Return mesh or list, symmetry and path; raises InputError for what does not fit together."""
    points = spec.electrons.kpoints or KPoints()
    kind = tasks.kind_of(spec)
    _check_together(document, points, kind)
    if points.list is not None:
        _check_symmetry_of_list(document, spec, points)
        listed = _weighted(document, points, points.list, notes)
        weighted, apart = [k for k in listed if k[3] > 0], [k[:3] for k in listed if k[3] == 0]
        of_density = {"kpoints": {"list": weighted}, "symmetry": points.irreducible}
    else:
        of_density, apart = _mesh(core, document, spec, points, crystal, kind=kind, notes=notes), []
    choice = Choice(cast(KPointSettings, {**of_density, "band_path": []}))
    if kind == "bands":
        _add_path(core, document, points, crystal, dispersing(crystal, spec.basis.periodic()), choice, notes)
    elif points.path is not None:
        notes.append(f'the path "{points.path}" is not used: [task] kind = "{kind}"')
    if apart:
        choice.problem["band_path"] += apart
        choice.zero_weight = len(apart)
        notes.append(
            f"{counted(len(apart), 'k-point')} of weight zero: their levels are computed in the converged potential "
            "(levels_at_weight_zero in result.json)"
        )
    return choice


def _check_together(document: Document, points: KPoints, kind: str) -> None:
    """Refuse keys without the key that they belong to, and two of mesh, spacing and list together."""
    given = [name for name in ("mesh", "spacing", "list") if getattr(points, name) is not None]
    if len(given) > 1:
        raise document.error((*_KEY, given[1]), f"'{given[1]}' and '{given[0]}'; valid: one of them")
    for name, needed in (("shift", "mesh"), ("weights", "list"), ("irreducible", "list"), ("points", "path")):
        there = needed in given or (needed == "mesh" and "spacing" in given)
        there = there or (needed == "path" and (points.path is not None or kind == "bands"))
        if name in points.model_fields_set and not there:
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


def _check_symmetry_of_list(document: Document, spec: Input, points: KPoints) -> None:
    """Refuse an irreducible list without symmetry."""
    if spec.symmetry.use is False and points.irreducible:
        raise document.error(
            (*_KEY, "irreducible"),
            "irreducible = true with [symmetry] use = false; valid: irreducible = false, or symmetry",
        )


def _keeps_currents(core: ModuleType, spec: Input) -> bool:
    """Return whether a propagation needs currents that are not averaged over operations."""
    return spec.electrons.has_spinors() or "MGGA_" in core.check_xc(spec.electrons.xc)


def _mesh(
    core: ModuleType,
    document: Document,
    spec: Input,
    points: KPoints,
    crystal: Crystal,
    *,
    kind: str,
    notes: list[str],
) -> dict[str, Any]:
    """Return mesh and symmetry; the default of symmetry is true for more than one point."""
    mesh = points.mesh
    if points.spacing is not None:
        mesh = _mesh_of_spacing(core, document, points, crystal)
        found = max(spacings(crystal.cell, mesh))
        notes.append(
            f"kpoints: spacing = {points.spacing:.4g}/bohr is a mesh of {_shown(mesh)}, {found:.4g}/bohr apart"
        )
    elif mesh is None and kind == "bands":
        mesh = symmetric_mesh(core, crystal.as_dict(), mesh_across(crystal, MESH_SPACING))
        notes.append(
            f"kpoints has no mesh: the density is computed on a mesh of {_shown(mesh)}, at most {MESH_SPACING}/bohr "
            "apart"
        )
    by_default = mesh is not None and math.prod(mesh) > 1
    by_default = by_default and any(spec.basis.periodic())
    by_default = by_default and spec.external is None
    symmetric = spec.symmetry.use if spec.symmetry.use is not None else by_default
    if kind == "born" and not spec.symmetry.use:
        symmetric = False
    if kind == "propagate" and not spec.symmetry.use and (spec.propagate.ions or _keeps_currents(core, spec)):
        symmetric = False
    if kind == "propagate" and symmetric and _keeps_currents(core, spec):
        raise document.error(
            ("symmetry", "use"),
            'use = true with kind = "propagate" and spinors or a meta-GGA, with no average of currents; valid: false',
        )
    hybrid = is_hybrid(core.check_xc(spec.electrons.xc))  # needs the mesh itself
    if mesh is not None and kind == "propagate" and not symmetric and not hybrid:
        return {"kpoints": {"list": _whole_mesh(mesh, points.shift)}, "symmetry": False}
    if mesh is None and not symmetric:
        return {"kpoints": None, "symmetry": False}
    return {"kpoints": {"mesh": mesh or [1, 1, 1], "shift": points.shift}, "symmetry": symmetric}


def _whole_mesh(mesh: list[int], shift: list[float]) -> list[list[float]]:
    """Return all points of a mesh with their weight: in a field k and -k differ."""
    weight = 1 / math.prod(mesh)
    places = [[(i + s) / count for i in range(count)] for count, s in zip(mesh, shift, strict=True)]
    return [[*(x - math.floor(x + 0.5) for x in point), weight] for point in itertools.product(*places)]


def _shown(mesh: list[int]) -> str:
    return " x ".join(map(str, mesh))


def _mesh_of_spacing(core: ModuleType, document: Document, points: KPoints, crystal: Crystal) -> list[int]:
    """Return the mesh; refuse one that nothing could compute, and a shift that breaks the symmetry of its lattice."""
    assert points.spacing is not None
    mesh = mesh_across(crystal, points.spacing)
    if max(mesh) > MOST_MESH:
        raise document.error(
            (*_KEY, "spacing"),
            f"spacing = {points.spacing:.3g}/bohr is a mesh of {_shown(mesh)}; valid: at most {MOST_MESH} along an "
            "axis",
        )
    axes = hexagonal_axes(crystal.cell)
    if axes is not None and any(points.shift[axis] % 1 for axis in axes):
        raise document.error(
            (*_KEY, "shift"),
            f"shift = {points.shift} with a spacing in a hexagonal lattice, whose symmetry it breaks; "
            "valid: no shift in the hexagonal plane, or a mesh instead of the spacing",
        )
    return symmetric_mesh(core, crystal.as_dict(), mesh)


def symmetric_mesh(core: ModuleType, crystal: Mapping[str, Any], mesh: list[int]) -> list[int]:
    """Return the smallest mesh around Gamma with no fewer points that the rotations of a crystal map onto itself.

    Directions across vacuum keep their one point. The given mesh where there is none, as for a cell of several cells.
    `crystal`: as the core takes it, with the initial moments where there are any.
    """
    described = {"initial_magnetic_moments": [], **crystal}
    axes = [axis for axis in range(3) if mesh[axis] > 1]
    raised = [mesh]
    for equal in [axes, *itertools.combinations(axes, 2)]:
        raised.append([max(mesh[i] for i in equal) if axis in equal else n for axis, n in enumerate(mesh)])
    for found in sorted(raised, key=math.prod):
        if core.lost_rotations(described, found, [0, 0, 0]) == 0:
            return found
    return mesh


def mesh_across(crystal: Crystal, spacing: float) -> list[int]:
    """Return the mesh of mesh_for with one point across vacuum."""
    mesh = mesh_for(crystal.cell, spacing)
    return [1 if empty > VACUUM else count for count, empty in zip(mesh, empty_widths(crystal), strict=True)]


def mesh_for(cell: vectors.Rows, spacing: float) -> list[int]:
    """Return the smallest mesh whose points are at most `spacing` (1/bohr) apart along each reciprocal vector."""
    return [max(1, math.ceil(length / spacing - 1e-9)) for length in spacings(cell, [1, 1, 1])]


def spacings(cell: vectors.Rows, mesh: list[int]) -> list[float]:
    """Return |b_i| / N_i of a mesh (3,), 1/bohr; the reciprocal vectors b_i contain 2 pi."""
    return [2 * math.pi / (height * count) for height, count in zip(vectors.heights(cell), mesh, strict=True)]


def hexagonal_axes(cell: vectors.Rows) -> tuple[int, int] | None:
    """Return the two vectors of a cell (rows) that span its hexagonal plane, or None for other lattices."""
    lengths = vectors.lengths(cell)

    def cosine(i: int, j: int) -> float:
        return vectors.dot(cell[i], cell[j]) / (lengths[i] * lengths[j])

    for first, second, third in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        equal = abs(lengths[first] / lengths[second] - 1) < _SAME_LENGTH
        upright = max(abs(cosine(first, third)), abs(cosine(second, third))) < _SAME_LENGTH
        if equal and upright and abs(abs(cosine(first, second)) - 0.5) < _SAME_LENGTH:
            return first, second
    return None


def _add_path(
    core: ModuleType,
    document: Document,
    points: KPoints,
    crystal: Crystal,
    along: list[bool],
    choice: Choice,
    notes: list[str],
) -> None:
    """Add the band path to a choice; `along`: whether bands disperse along each lattice direction."""
    from wavegrid.input import kpath  # imports scipy: half a second that other tasks need not wait

    cell = crystal.cell
    try:
        text = points.path or kpath.default_path(cell, along)
        path = kpath.build(cell, text, points.points, along)
    except InputError as fault:
        key = "points" if "too few" in str(fault) and "points" in points.model_fields_set else "path"
        raise document.error((*_KEY, key), str(fault)) from None
    if points.path is None:
        corners = ", ".join(f"{name} ({_rounded(k)})" for name, k in kpath.corners(cell, text, along).items())
        notes.append(
            f'band path "{text}", the usual one of the lattice of {_shape(along)} ({path.lattice}), in units of the '
            f"reciprocal vectors of the cell: {corners}"
        )
    if (copies := core.primitive_cells(crystal.as_dict())) > 1:
        notes.append(
            f"the cell holds {copies} primitive cells: the bands are folded into its smaller Brillouin zone, and the "
            "special points are those of this cell"
        )
    choice.problem["band_path"] = path.k.tolist()
    choice.path = {"x": path.x.tolist(), "labels": path.labels, "label_x": path.label_x.tolist()}


def path_with_moments(core: ModuleType, crystal: Crystal, moments: list[list[float]]) -> list[str]:
    """Return the note on a band path in a crystal whose magnetic moments break its symmetry."""
    kept, all_rotations = core.magnetic_rotations(crystal.as_dict(), moments, _SAME_PLACE)
    if kept == all_rotations:
        return []
    return [
        f"the moments leave {kept} of {counted(all_rotations, 'rotation')} of the crystal: special points that are "
        "equivalent without them, and k and -k, may have other bands, of which the path has one"
    ]


def _shape(along: list[bool]) -> str:
    if sum(along) == 3:
        return "this cell"
    across = " and ".join(f"vector {axis + 1}" for axis, one in enumerate(along) if not one)
    return f"this {'layer' if sum(along) == 2 else 'chain'}, without lattice {across}"


def _rounded(k: Iterable[float]) -> str:
    return ", ".join(f"{round(x, 4) + 0.0:g}" for x in k)
