"""Density, potential and bands of a session as numpy arrays."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wavegrid.errors import InputError


@dataclass(frozen=True)
class Fields:
    """Density and potential at points, of all ranks or of this one.

    Component 0 of `density` and `kinetic_density` is the sum of both spins, component 1 their difference; those of
    `potential` act on spin up, or on all electrons, and on spin down.
    """

    counts: tuple[int, int, int]
    """points of the cell along its lattice vectors"""
    points: NDArray[np.int32]
    """(points, 3), in steps along the lattice vectors"""
    density: NDArray[np.float64]
    """(components, points), electrons/bohr^3"""
    kinetic_density: NDArray[np.float64]
    """(components, points), Ha/bohr^3; without components unless the functional is a meta-GGA"""
    potential: NDArray[np.float64]
    """(components, points), Ha: of the ions, the density, exchange and correlation, and from outside"""

    def on_grid(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (components, points) as (components, nx, ny, nz); raises InputError where points are missing."""
        nx, ny, nz = self.counts
        if len(self.points) != nx * ny * nz:
            raise InputError(
                f"there are {len(self.points)} of the {nx * ny * nz} points of the grid; valid: the fields of all "
                "ranks, in a region that is the cell"
            )
        grid = np.empty((len(values), nx, ny, nz))
        x, y, z = (self.points % self.counts).T
        grid[:, x, y, z] = values
        return grid


@dataclass(frozen=True)
class KPointBands:
    """The bands of one k-point and spin, with all rows or those of this rank."""

    k: int
    spin: int
    kpoint: NDArray[np.float64]
    """in units of the reciprocal lattice vectors"""
    eigenvalues: NDArray[np.float64]
    """(bands,), Ha"""
    occupations: NDArray[np.float64]
    """(bands,), electrons, the weight of the k-point included"""
    rows: NDArray[np.int32]
    """(rows, 3): Miller indices of plane waves; of real bands one of G and -G; of spinors each G twice, first that of
    the component up. On a mesh the points."""
    weights: NDArray[np.float64]
    """(rows,): the sum of w conj(a) b over all rows is <a|b>, of real bands its real part; 1, 2 where a row stands for
    G and -G, and on a mesh the volume of a point (bohr^3)"""
    coefficients: NDArray[np.complex128]
    """(bands, rows): of exp(i(k+G).r) / sqrt(volume), or on a mesh values in bohr^(-3/2)"""


def joined_fields(parts: list[dict[str, Any]]) -> Fields:
    """Return the fields of ranks together."""
    joined = {name: np.concatenate([part[name] for part in parts], axis=1) for name in _BY_POINT}
    nx, ny, nz = parts[0]["counts"]
    return Fields(counts=(nx, ny, nz), points=np.concatenate([part["points"] for part in parts]), **joined)


def joined_bands(parts: list[list[dict[str, Any]]]) -> list[KPointBands]:
    """Return the bands of ranks together, by k-point and spin."""
    found: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for part in parts:
        for bands in part:
            found.setdefault((bands["k"], bands["spin"]), []).append(bands)
    return [_joined(found[key]) for key in sorted(found)]


_BY_POINT = ("density", "kinetic_density", "potential")


def _joined(parts: list[dict[str, Any]]) -> KPointBands:
    values = {field.name: parts[0][field.name] for field in fields(KPointBands)}
    values["kpoint"] = np.asarray(values["kpoint"])
    values["rows"] = np.concatenate([part["rows"] for part in parts])
    values["weights"] = np.concatenate([part["weights"] for part in parts])
    values["coefficients"] = np.concatenate([part["coefficients"] for part in parts], axis=1)
    return KPointBands(**values)
