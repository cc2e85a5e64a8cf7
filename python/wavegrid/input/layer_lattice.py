"""Lattices of layers and chains: the Bravais lattice of the directions along which bands disperse."""

from collections.abc import Sequence

import numpy as np
from ase.lattice import CRECT, HEX2D, LINE, OBL, RECT, SQR, BravaisLattice

_SAME = 2e-4  # relative, of lengths and products


def identify(cell: np.ndarray, periodic: Sequence[bool]) -> tuple[BravaisLattice, np.ndarray]:
    """Return the lattice of the one or two periodic directions, and integers M: its vectors are M @ cell.

    `cell`: (3, 3), lattice vectors as rows. The rows of M beyond those of the lattice are the other directions.
    """
    flags = np.asarray(periodic, dtype=bool)
    axes = np.flatnonzero(flags)
    order = np.eye(3, dtype=int)[[*axes, *np.flatnonzero(~flags)]]
    if len(axes) == 1:
        return LINE(float(np.linalg.norm(cell[axes[0]]))), order
    change = _reduced(cell[axes])
    lattice, more = _planar(change @ cell[axes])
    whole = np.eye(3, dtype=int)
    whole[:2, :2] = more @ change
    return lattice, whole @ order


def flattened(cell: np.ndarray, periodic: Sequence[bool]) -> np.ndarray:
    """Return the cell with the other vectors upright to the periodic ones, whose reciprocal vectors are in plane."""
    flags = np.asarray(periodic, dtype=bool)
    plane = cell[flags]
    upright = cell - cell @ np.linalg.pinv(plane) @ plane
    return np.where(flags[:, None], cell, upright)


def _reduced(vectors: np.ndarray) -> np.ndarray:
    """Return integers that make the shortest vectors of a plane, at 60 to 90 degrees, the first not longer (Gauss)."""
    change = np.eye(2, dtype=int)
    while True:
        first, second = change @ vectors
        if np.dot(first, first) > np.dot(second, second) * (1 + _SAME):
            change = change[::-1]
            continue
        steps = round(float(np.dot(first, second) / np.dot(first, first)) * (1 - _SAME))
        if steps == 0:
            break
        change = np.array([change[0], change[1] - steps * change[0]])
    if np.dot(first, second) < -_SAME * np.dot(first, first):
        change = np.array([change[0], -change[1]])
    return change


def _planar(vectors: np.ndarray) -> tuple[BravaisLattice, np.ndarray]:
    """Return the lattice of reduced vectors, and integers that make the vectors of its conventional form from them."""
    a, b = map(float, np.linalg.norm(vectors, axis=1))
    projection = float(np.dot(*vectors)) / a**2  # 0 to 1/2
    equal, upright, half = b < a * (1 + _SAME), projection < _SAME, projection > 0.5 - _SAME
    angle = float(np.degrees(np.arccos(projection * a / b)))
    same = np.eye(2, dtype=int)
    if equal and half:
        return HEX2D(a), np.array([[1, 0], [0, -1]])
    if upright:
        return (SQR(a) if equal else RECT(a, b)), same
    if equal:
        return CRECT(a, angle), same
    if half:
        return CRECT(b, float(2 * np.degrees(np.arcsin(a / (2 * b))))), np.array([[0, 1], [-1, 1]])
    return OBL(a, b, angle), same
