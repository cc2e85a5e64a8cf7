"""Vectors and cells of plain numbers: what an input needs of linear algebra. A run does not import numpy for it."""

import math
from collections.abc import Iterable, Sequence

Vector = Sequence[float]
Rows = Sequence[Vector]  # of a cell: its lattice vectors


FLATTEST = 1e-6  # volume of a cell over that of a box with the same edges


def cross(a: Vector, b: Vector) -> list[float]:
    """Return the vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product."""
    return math.sumprod(a, b) if hasattr(math, "sumprod") else sum(x * y for x, y in zip(a, b, strict=True))


def determinant(cell: Rows) -> float:
    """Return the signed volume."""
    return dot(cell[0], cross(cell[1], cell[2]))


def lengths(cell: Rows) -> list[float]:
    """Return the lengths of the rows."""
    return [math.hypot(*row) for row in cell]


def directions(cell: Rows) -> list[list[float]]:
    """Return unit vectors along the rows."""
    return [[x / (length or 1) for x in row] for row, length in zip(cell, lengths(cell), strict=True)]


def are_flat(cell: Rows) -> bool:
    """Return whether three vectors span no volume."""
    return abs(determinant(directions(cell))) < FLATTEST


def reciprocal(cell: Rows) -> list[list[float]]:
    """Return the vectors b with a_i b_j = delta_ij, without 2 pi; they are the columns of the inverse."""
    volume = determinant(cell)
    return [[x / volume for x in cross(cell[i - 2], cell[i - 1])] for i in range(3)]


def heights(cell: Rows) -> list[float]:
    """Return the distances between opposite faces."""
    return [1 / length for length in lengths(reciprocal(cell))]


def cartesian(fractional: Vector, cell: Rows) -> list[float]:
    """Return sum_i f_i a_i."""
    return [dot(fractional, column) for column in zip(*cell, strict=True)]


def fractional(position: Vector, cell_reciprocal: Rows) -> list[float]:
    """Return the coordinates of a Cartesian position in units of the lattice vectors; takes reciprocal(cell)."""
    return [dot(position, b) for b in cell_reciprocal]


def scaled(rows: Iterable[Vector], factor: float) -> list[list[float]]:
    """Return all numbers times a factor."""
    return [[factor * x for x in row] for row in rows]
