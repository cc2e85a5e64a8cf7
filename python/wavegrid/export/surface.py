"""The electrostatic potential on a surface of constant density, of which chemists read where molecules attract others.

P. Politzer, J. S. Murray, Theor. Chem. Acc. 108, 134 (2002), 10.1007/s00214-002-0363-9. The surface consists of
triangles in the tetrahedra of the grid; the potential is that of a positive charge, and between points of the grid it
is interpolated linearly, the logarithm of the density likewise.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from wavegrid.errors import InputError
from wavegrid.export.fields import Field
from wavegrid.model.surface import ExtremumKind, PotentialSurface, SurfaceExtremum, SurfaceZero
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

_LEAST = 1e-12  # electrons/bohr^3
_CORE = 5.0  # bohr, of cavities in pseudo-densities
_APART = 1.5  # bohr, between extrema of their own
_MOST = 20  # extrema of each kind
# The six tetrahedra of a cell of the grid around its diagonal from (0, 0, 0) to (1, 1, 1), by their corners.
_TETRAHEDRA = np.array(
    [
        [np.zeros(3, int), np.eye(3, dtype=int)[a], np.eye(3, dtype=int)[[a, b]].sum(axis=0), np.ones(3, int)]
        for a, b, _ in itertools.permutations(range(3))
    ]
)
# Triangles of a tetrahedron with 1, 2 or 3 corners inside, which come first: edges as pairs of corners.
_EDGES = {
    1: [[(0, 1), (0, 2), (0, 3)]],
    2: [[(0, 2), (0, 3), (1, 3)], [(0, 2), (1, 3), (1, 2)]],
    3: [[(0, 3), (1, 3), (2, 3)]],
}


class Surface(NamedTuple):
    """Triangles with the potential at their corners."""

    points: np.ndarray  # (n, 3), bohr
    potential: np.ndarray  # (n), Ha, of a positive charge
    triangles: np.ndarray  # (m, 3), numbers of points, in the order of a normal that shows to lower densities
    same: np.ndarray  # (n): the number of the point of which this one is a periodic image, or its own


def of_density(density: Field, potential: Field, value: float) -> Surface:
    """Return the surface where the density (electrons/bohr^3) has a value; `potential`: of an electron, Ha.

    Raises InputError where the density has this value nowhere.
    """
    ends = [(0, int(periodic)) for periodic in density.periodic]
    log = np.log(np.maximum(np.pad(density.values, ends, mode="wrap"), _LEAST) / value)
    v = -np.pad(potential.values, ends, mode="wrap")
    corners = _crossing(log)
    if len(corners) == 0:
        raise InputError(
            f"no surface: the density is {density.values.min():.1e} to {density.values.max():.1e} electrons/bohr^3; "
            f"valid: a value between them, not {value:g}"
        )
    edges = np.concatenate([_triangles(corners[_inside(corners, log) == n], log, n) for n in _EDGES])
    flat, inverse = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    first, second = (np.array(np.unravel_index(flat[:, side], log.shape)).T for side in range(2))
    inner, outer = log.ravel()[flat[:, 0]], log.ravel()[flat[:, 1]]
    share = (inner / (inner - outer))[:, None]
    steps = density.vectors / np.array(density.values.shape)[:, None]
    points = density.origin + (first + share * (second - first)) @ steps
    at = v.ravel()[flat]
    triangles = inverse.reshape(-1, 3)
    wrapped = np.array(density.values.shape)
    key = np.concatenate([first % wrapped, second % wrapped], axis=1)
    _, same = np.unique(key, axis=0, return_inverse=True)
    values = at[:, 0] + share[:, 0] * (at[:, 1] - at[:, 0])
    oriented = _oriented(triangles, points, first @ steps + density.origin)
    return _without_cavities(Surface(points, values, oriented, same.reshape(-1)))


def _without_cavities(surface: Surface) -> Surface:
    """Return the surface without what closes around the core of an atom, where pseudo-densities are small."""
    a, b, c = surface.same[surface.triangles].T
    size = surface.same.max() + 1
    graph = coo_matrix((np.ones(2 * len(a)), (np.concatenate([a, b]), np.concatenate([b, c]))), (size, size))
    count, piece = connected_components(graph, directed=False)
    of_triangle = piece[a]
    kept = np.ones(len(surface.triangles), bool)
    for one in range(count):
        mine = of_triangle == one
        corners = surface.points[surface.triangles[mine]]
        x, y, z = np.moveaxis(corners - corners.mean(axis=(0, 1)), 1, 0)
        if np.ptp(corners, axis=(0, 1)).max() < _CORE and (x * np.cross(y, z)).sum() < 0:
            kept[mine] = False
    triangles = surface.triangles[kept]
    used = np.unique(triangles)
    number = np.zeros(len(surface.points), int)
    number[used] = np.arange(len(used))
    _, same = np.unique(surface.same[used], return_inverse=True)
    return Surface(surface.points[used], surface.potential[used], number[triangles], same.reshape(-1))


def _crossing(log: np.ndarray) -> np.ndarray:
    """Return the tetrahedra (n, 4) through which the surface goes, as numbers of points."""
    inside = log > 0
    cells = [inside[tuple(slice(s, n - 1 + s) for s, n in zip(shift, log.shape, strict=True))] for shift in _SHIFTS]
    crossed = np.argwhere(np.logical_or.reduce(cells) & ~np.logical_and.reduce(cells))
    places = crossed[:, None, None] + _TETRAHEDRA  # (cells, 6, 4, 3)
    numbers = np.ravel_multi_index(tuple(np.moveaxis(places, -1, 0)), log.shape).reshape(-1, 4)
    counts = inside.ravel()[numbers].sum(axis=1)
    found: np.ndarray = numbers[(counts > 0) & (counts < 4)]
    return found


_SHIFTS = list(itertools.product((0, 1), repeat=3))


def _inside(corners: np.ndarray, log: np.ndarray) -> np.ndarray:
    found: np.ndarray = (log.ravel()[corners] > 0).sum(axis=1)
    return found


def _triangles(corners: np.ndarray, log: np.ndarray, inside: int) -> np.ndarray:
    """Return the triangles (m, 3, 2) of tetrahedra with so many corners inside: of each corner an edge, inner first."""
    order = np.argsort(log.ravel()[corners] <= 0, axis=1, kind="stable")
    ordered = np.take_along_axis(corners, order, axis=1)
    return np.concatenate([ordered[:, np.array(one)] for one in _EDGES[inside]])


def _oriented(triangles: np.ndarray, points: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Return the triangles with normals away from the inner ends of their edges."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    outward = (points - inner)[triangles].sum(axis=1)
    wrong = (np.cross(b - a, c - a) * outward).sum(axis=1) < 0
    found = triangles.copy()
    found[wrong] = found[wrong][:, ::-1]
    return found


def _areas(surface: Surface) -> np.ndarray:
    """Return the area that belongs to each point, bohr^2: a third of its triangles."""
    a, b, c = (surface.points[surface.triangles[:, i]] for i in range(3))
    each = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    found = np.zeros(len(surface.points))
    np.add.at(found, surface.triangles, each[:, None])
    return found


def part(surface: Surface, value: float, zero: float, source: SurfaceZero) -> PotentialSurface:
    """Return the part of result.json; `zero`: the potential of an electron (Ha) that counts as zero; its `source`."""
    potential, areas = surface.potential + zero, _areas(surface)
    above, below = potential > 0, potential < 0
    maxima, minima = _extrema(surface, potential), _extrema(surface, -potential)
    return PotentialSurface(
        density=value,
        zero=source,
        area=float(areas.sum()),
        extrema=[
            *(_extremum("maximum", surface, potential, n) for n in maxima),
            *(_extremum("minimum", surface, potential, n) for n in minima),
        ],
        mean_positive=float(np.average(potential[above], weights=areas[above])) if above.any() else None,
        mean_negative=float(np.average(potential[below], weights=areas[below])) if below.any() else None,
    )


def _extremum(kind: ExtremumKind, surface: Surface, potential: np.ndarray, number: int) -> SurfaceExtremum:
    x, y, z = surface.points[number].tolist()
    return SurfaceExtremum(kind=kind, potential=float(potential[number]), place=(x, y, z))


def _extrema(surface: Surface, potential: np.ndarray) -> list[int]:
    """Return the points of the highest potential within some distance on all sides, highest first."""
    highest = np.full(surface.same.max() + 1, -np.inf)  # among the neighbours of each
    for one, other in itertools.permutations(range(3), 2):
        np.maximum.at(highest, surface.same[surface.triangles[:, one]], potential[surface.triangles[:, other]])
    candidates = np.flatnonzero(potential >= highest[surface.same])
    found: list[int] = []
    _, first = np.unique(surface.same[candidates], return_index=True)  # of periodic images one
    candidates = candidates[first]
    for number in candidates[np.argsort(-potential[candidates], kind="stable")].tolist():
        near = np.linalg.norm(surface.points - surface.points[number], axis=1) < _APART
        if potential[number] >= potential[near].max() and not near[found].any():
            found.append(number)
        if len(found) == _MOST:
            break
    return found


def table(title: str, surface: Surface, zero: float) -> bytes:
    """Return the points as a CSV file."""
    head = f"# {' '.join(title.split())}: electrostatic potential on a surface of constant density, by wavegrid\n"
    lines = [head, "x_bohr,y_bohr,z_bohr,potential_Ha,area_bohr2\n"]
    rows = np.column_stack([surface.points, surface.potential + zero, _areas(surface)])
    lines += [",".join(f"{x:.8g}" for x in row) + "\n" for row in rows.tolist()]
    return "".join(lines).encode()


def ply(title: str, surface: Surface, zero: float) -> bytes:
    """Return the triangles as a PLY file, Angstrom, coloured from red (negative) to blue."""
    potential = surface.potential + zero
    share = np.clip(potential / max(np.abs(potential).max(), 1e-12), -1, 1)
    fade = np.rint(255 * (1 - np.abs(share))).astype(int)
    red, blue = np.where(share > 0, fade, 255), np.where(share > 0, 255, fade)
    lines = [
        "ply",
        "format ascii 1.0",
        f"comment {' '.join(title.split())}: electrostatic potential (eV/e), by wavegrid",
        f"element vertex {len(potential)}",
        *(f"property float {name}" for name in ("x", "y", "z", "potential")),
        *(f"property uchar {name}" for name in ("red", "green", "blue")),
        f"element face {len(surface.triangles)}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    places, energies = surface.points * BOHR_IN_ANGSTROM, potential * HARTREE_IN_EV
    for place, energy, r, g, b in zip(places.tolist(), energies.tolist(), red, fade, blue, strict=True):
        lines.append(" ".join(f"{x:.5f}" for x in (*place, energy)) + f" {r} {g} {b}")
    lines += [f"3 {a} {b} {c}" for a, b, c in surface.triangles.tolist()]
    return "\n".join(lines).encode() + b"\n"
