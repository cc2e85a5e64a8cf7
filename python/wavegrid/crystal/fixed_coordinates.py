"""Coordinates that atoms keep while they move. Plain lists: a run does not import numpy here."""

from collections.abc import Iterable
from dataclasses import dataclass

from wavegrid.base import vectors

Mask = tuple[bool, ...]  # of the three directions; true: this coordinate is kept

NONE: Mask = (False, False, False)
ALL: Mask = (True, True, True)
_FLAT = 1e-9  # of a vector's length; smaller components count as zero


@dataclass(frozen=True)
class FixedCoordinates:
    """Which coordinates each atom keeps: fractional ones, or where these do not describe it, Cartesian ones."""

    fractional: list[Mask]  # (atoms, 3)
    cartesian: list[Mask]  # (atoms, 3); all false for an atom with a fractional one

    @classmethod
    def of_atoms(cls, numbers: Iterable[int], atoms: int) -> "FixedCoordinates":
        """Return those of atoms that do not move at all, by their number from 1."""
        fixed = set(numbers)
        return cls([ALL if index + 1 in fixed else NONE for index in range(atoms)], [NONE] * atoms)

    @classmethod
    def from_dict(cls, data: dict[str, list[list[bool]]]) -> "FixedCoordinates":
        """Return what `as_dict` wrote."""
        return cls(*([tuple(mask) for mask in data[name]] for name in ("fractional", "cartesian")))

    def as_dict(self) -> dict[str, list[list[bool]]]:
        """Return plain lists, as a job passes them to the ranks."""
        return {"fractional": list(map(list, self.fractional)), "cartesian": list(map(list, self.cartesian))}

    def repeated(self, copies: int) -> "FixedCoordinates":
        """Return those of a supercell, cell by cell."""
        return FixedCoordinates(self.fractional * copies, self.cartesian * copies)

    def any(self) -> bool:
        """Return whether anything is fixed."""
        return any(map(any, self.fractional)) or any(map(any, self.cartesian))

    def whole(self) -> list[int]:
        """Return the indices of the atoms that do not move at all."""
        return [index for index, mask in enumerate(self.fractional) if all(mask)]

    def partial(self) -> list[int]:
        """Return the indices of the atoms that move along some directions only."""
        pairs = enumerate(zip(self.fractional, self.cartesian, strict=True))
        return [
            index
            for index, (fractional, cartesian) in pairs
            if any(cartesian) or (any(fractional) and not all(fractional))
        ]

    def free_directions(self, index: int, cell: vectors.Rows) -> list[list[float]]:
        """Return vectors that span the directions in which an atom moves."""
        if any(self.cartesian[index]):
            return [axis for axis, kept in zip(_AXES, self.cartesian[index], strict=True) if not kept]
        return [list(vector) for vector, kept in zip(cell, self.fractional[index], strict=True) if not kept]


_AXES = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def fractional_of(cartesian: Mask, cell: vectors.Rows) -> Mask | None:
    """Return the fractional coordinates that are kept where these Cartesian ones are; None where there are no such.

    The lattice vectors that lie in the free directions have to span them.
    """
    inside = [not any(kept and _reaches(vector, axis) for axis, kept in enumerate(cartesian)) for vector in cell]
    return tuple(not free for free in inside) if sum(inside) == 3 - sum(cartesian) else None


def cartesian_of(fractional: Mask, cell: vectors.Rows) -> Mask | None:
    """Return the Cartesian coordinates that are kept where these fractional ones are; None where there are no such."""
    free = [vector for vector, kept in zip(cell, fractional, strict=True) if not kept]
    reached = [any(_reaches(vector, axis) for vector in free) for axis in range(3)]
    return tuple(not touched for touched in reached) if sum(reached) == len(free) else None


def _reaches(vector: vectors.Vector, axis: int) -> bool:
    return abs(vector[axis]) > _FLAT * max(map(abs, vector))
