"""Paths through the Brillouin zone between special points, for band structures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from ase.cell import Cell
from ase.lattice import BravaisLattice, identify_lattice
from numpy.typing import ArrayLike

from wavegrid.errors import InputError, did_you_mean
from wavegrid.input import layer_lattice
from wavegrid.input.fields import MOST_KPOINTS
from wavegrid.input.models import LINE_POINTS
from wavegrid.units import BOHR_IN_ANGSTROM

_GAMMA = re.compile(r"Γ|\\?gamma", re.IGNORECASE)
_LABEL = re.compile(r"[A-Z][a-z0-9]*")
_SAME_LATTICE = 2e-4  # of ASE's lattice search, relative
_DIGITS = 6  # of lengths (Angstrom) and angles (degrees) of a reduced cell
_CRYSTAL = (True, True, True)


@dataclass(frozen=True)
class KPath:
    """Points along a path, and where its corners stand on a plot's axis.

    Where the path jumps, two points follow each other at the same x and their corner is named by both, as in "U|K".
    """

    k: np.ndarray  # (points, 3), in units of the reciprocal vectors of the given cell
    x: np.ndarray  # (points,), 1/bohr, length along the path from its first point
    labels: list[str]  # of the corners
    label_x: np.ndarray  # (labels,), 1/bohr
    lattice: str  # ASE's name of the Bravais lattice, such as "FCC"


def special_points(cell: ArrayLike, periodic: Sequence[bool] = _CRYSTAL) -> tuple[str, dict[str, np.ndarray]]:
    """Return the Bravais lattice of a cell and its named points in units of the reciprocal vectors of this cell.

    `cell`: (3, 3), bohr, lattice vectors as rows, in any orientation and not necessarily reduced. Names and points are
    those of W. Setyawan and S. Curtarolo, Comput. Mater. Sci. 49, 299 (2010), 10.1016/j.commatsci.2010.05.010, as ASE
    holds them. The lattice alone counts, not the atoms: four atoms of fcc in a cube have the points of the cube. Where
    only one or two vectors are `periodic`, the points are those of the chain or layer.
    """
    if _is_flat(periodic):
        flat, change = layer_lattice.identify(np.asarray(cell, dtype=float), periodic)
        return flat.name, {name: np.linalg.solve(change, k) + 0.0 for name, k in flat.get_special_points().items()}
    lattice, reduced, op = identify(cell)
    points = reduced.bandpath("", npoints=0, eps=_SAME_LATTICE).special_points
    return lattice.name, {name: np.linalg.solve(op.T, point) for name, point in points.items()}


def default_path(cell: ArrayLike, periodic: Sequence[bool] = _CRYSTAL) -> str:
    """Return the usual path of the cell's lattice, such as "GXWKGLUWLK,UX"; "GMKG" of a hexagonal layer."""
    if _is_flat(periodic):
        return layer_lattice.identify(np.asarray(cell, dtype=float), periodic)[0].special_path
    return identify(cell)[0].special_path


def _is_flat(periodic: Sequence[bool]) -> bool:
    return sum(periodic) in (1, 2)


def identify(cell: ArrayLike) -> tuple[BravaisLattice, Cell, np.ndarray]:
    """Return the Bravais lattice of a cell, its reduced cell, and integers `op`: the reduced cell is op^T @ cell.

    The reduced cell is rounded: in a triclinic lattice ASE chooses the names of equivalent axes by the last bits, which
    would differ between choices of the cell. Raises InputError for a cell that ASE cannot reduce.
    """
    try:
        reduced, op = Cell(np.asarray(cell, dtype=float) * BOHR_IN_ANGSTROM).niggli_reduce(eps=_SAME_LATTICE)
        reduced = Cell.fromcellpar(np.round(reduced.cellpar(), _DIGITS))
        return identify_lattice(reduced, eps=_SAME_LATTICE)[0], reduced, op
    except (RuntimeError, ValueError, ArithmeticError):
        raise InputError(
            "band path: the lattice of this cell is not recognised; valid: a less skewed cell of the same lattice, or "
            "the k-points as a list"
        ) from None


def corners(cell: ArrayLike, path: str, periodic: Sequence[bool] = _CRYSTAL) -> dict[str, np.ndarray]:
    """Return the named points of a path, each once, in units of the reciprocal vectors of the cell."""
    _, known = _points_of(path, cell, periodic)
    return {name: known[name] for name in dict.fromkeys(_LABEL.findall(_plain(path)))}


def _points_of(path: str, cell: ArrayLike, periodic: Sequence[bool]) -> tuple[str, dict[str, np.ndarray]]:
    """Return the points among which a path's names are: of a layer its own, or those of its whole cell."""
    lattice, known = special_points(cell, periodic)
    names = set(_LABEL.findall(_plain(path)))
    if _is_flat(periodic) and not known.keys() >= names:
        name, whole = special_points(cell)
        if whole.keys() >= names:
            return name, whole
    return lattice, known


def build(cell: ArrayLike, path: str, points: int | None = None, periodic: Sequence[bool] = _CRYSTAL) -> KPath:
    """Return `points` k-points along `path`, every named point among them, the rest spread by length.

    Without `points` each line has the same number of steps, so that short lines are smooth too.

    `path` is written like "GXWK", "Gamma-X-W-K", "GXU,KGL" or "GXU|KGL" (a jump) or "G,X,W,K,G" (only single names: no
    jumps); Γ and Gamma are G.
    `cell` and `periodic` as in special_points. Raises InputError for an unknown name, naming the valid ones of this
    lattice, for a path of fewer than two points, and where `points` are too few to hold the named ones.
    """
    lattice, known = _points_of(path, cell, periodic)
    sections = _sections(path, lattice, known)
    upright = np.asarray(cell, dtype=float)
    if _is_flat(periodic):
        upright = layer_lattice.flattened(upright, periodic)
    reciprocal = 2 * np.pi * np.linalg.inv(upright).T  # 1/bohr, rows
    stops = [[known[name] for name in section] for section in sections]
    lengths = [np.linalg.norm(np.diff(section, axis=0) @ reciprocal, axis=1) for section in stops]
    counts = _equal_steps(lengths) if points is None else _steps(lengths, points, path)
    k: list[np.ndarray] = []
    x: list[float] = []
    labels: list[str] = []
    label_x: list[float] = []
    start = 0.0
    for section, names, length, steps in zip(stops, sections, lengths, counts, strict=True):
        positions = start + np.concatenate([[0.0], np.cumsum(length)])
        for i, count in enumerate(steps):
            share = np.arange(count)[:, None] / count
            k.extend(section[i] + share * (section[i + 1] - section[i]))
            x.extend(positions[i] + share[:, 0] * length[i])
        k.append(section[-1])
        x.append(positions[-1])
        if labels:  # where the last section ends, this one begins
            labels[-1] += f"|{names[0]}" if labels[-1] != names[0] else ""
            names, positions = names[1:], positions[1:]
        labels.extend(names)
        label_x.extend(positions)
        start = label_x[-1]
    return KPath(np.array(k), np.array(x), labels, np.array(label_x), lattice)


def _sections(path: str, lattice: str, known: dict[str, np.ndarray]) -> list[list[str]]:
    """Return the names of each unbroken section; raises InputError."""
    parts: list[list[str]] = []
    for section in _plain(path).split("|"):
        names = [_names(part, path, lattice, known) for part in section.split(",")]
        parts += [[name[0] for name in names]] if all(len(part) == 1 for part in names) else names
    for part in parts:
        if len(part) < 2:
            raise InputError(
                f"band path '{path}': '{''.join(part)}' is not a line; valid: at least two names of {_valid(known)}"
            )
        for first, second in zip(part, part[1:], strict=False):
            if first == second:
                raise InputError(f"band path '{path}': {first} follows {second}; valid: a line between two points")
    return parts


def _plain(path: str) -> str:
    """Return a path with G for Gamma."""
    return _GAMMA.sub("G", path)


def _names(part: str, path: str, lattice: str, known: dict[str, np.ndarray]) -> list[str]:
    names = _LABEL.findall(part)
    rest = _LABEL.sub("", part).strip(" -")
    for name in [rest] if rest.strip(" -") else names:
        if name not in known:
            raise InputError(
                f"band path '{path}': unknown point '{name}'; valid in this cell's lattice ({lattice}): "
                f"{_valid(known)}{did_you_mean(name, known)}"
            )
    return names


def _valid(known: dict[str, np.ndarray]) -> str:
    return ", ".join(sorted(known))


def _equal_steps(lengths: list[np.ndarray]) -> list[np.ndarray]:
    """Return the same number of steps for each line; fewer where a path of very many lines had too many points."""
    lines = sum(len(length) for length in lengths)
    return [np.full(len(length), max(1, min(LINE_POINTS, MOST_KPOINTS // lines - 1))) for length in lengths]


def _steps(lengths: list[np.ndarray], points: int, path: str) -> list[np.ndarray]:
    """Return the steps of each line: one at least, the rest by length, those with the largest remainder first."""
    every = np.concatenate(lengths)
    steps = points - len(lengths)  # each section has one point more than steps
    if steps < len(every):
        raise InputError(f"band path '{path}': {points} points are too few; valid: {len(every) + len(lengths)} or more")
    exact = every / every.sum() * steps
    counts = np.maximum(1, np.floor(exact)).astype(int)
    while counts.sum() != steps:  # the line whose step is farthest from the common one gives or takes
        if counts.sum() < steps:
            counts[np.argmax(every / counts)] += 1
        else:
            counts[np.argmin(np.where(counts > 1, every / counts, np.inf))] -= 1
    return np.split(counts, np.cumsum([len(length) for length in lengths])[:-1])
