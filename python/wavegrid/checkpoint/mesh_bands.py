"""The bands of a checkpoint at all points of its mesh of k-points, those that symmetry left out made of others."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import blocks
from wavegrid.checkpoint.header import Header
from wavegrid.checkpoint.reader import read
from wavegrid.errors import InputError

if TYPE_CHECKING:
    import h5py

_SAME = 1e-6  # of a reciprocal vector
_KEPT = 64  # k-points whose bands are in memory


class MeshBands:
    """The first bands of each spin at a point of the infinite mesh.

    A band at S k, S = W^T of the operation {W|w}, is psi(W r + w), and at -k conj(psi): c(S g) = exp(2 pi i g.w) c(g)
    but for a phase of all waves, which is 1 here.
    """

    def __init__(self, file: "h5py.File", header: Header, counts: list[int]) -> None:
        """Of an open checkpoint; `counts`: bands of each spin. Raises InputError for a list of k-points."""
        self._file, self._header, self._counts = file, header, counts
        self.mesh = np.array(header.mesh)
        if not self.mesh.all():
            if not header.half_sphere:
                raise InputError("the k-points are a list; valid: a mesh")
            self.mesh = np.ones(3, int)
        for name in ("rotations", "translations"):
            blocks.check_small(file, f"wavegrid/{name}")
        self._operations = list(zip(read(file, "wavegrid/rotations"), read(file, "wavegrid/translations"), strict=True))
        self._bands = lru_cache(maxsize=_KEPT)(self._read)
        self._found = lru_cache(maxsize=None)(self._source)

    def point(self, index: np.ndarray) -> np.ndarray:
        """Return a point by its number along each axis, in units of the reciprocal vectors."""
        return np.asarray((index + np.array(self._header.shift)) / self.mesh)

    def source(self, index: np.ndarray) -> int:
        """Return the k-point of the checkpoint with the same levels."""
        return self._found(tuple(int(i) for i in index))[0]

    def at(self, spin: int, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients (n, G) and Miller indices (G, 3) of exp(i(k + G)r) of the bands at a point."""
        inside = index % self.mesh
        k, sign, operation = self._found(tuple(int(i) for i in inside))
        rotation, translation = self._operations[operation]
        coefficients, waves = self._bands(spin, k)
        turned = sign * self._header.kpoints[k] @ rotation
        fold = np.rint(self.point(index) - turned).astype(int)
        moved = sign * waves @ rotation - fold
        phases = np.exp(2j * np.pi * (waves @ translation))
        found = coefficients * phases
        return (found if sign == 1 else found.conj()), moved

    def _source(self, index: tuple[int, ...]) -> tuple[int, int, int]:
        """Return k-point, sign by time reversal and number of the operation that make a point."""
        point = self.point(np.array(index))
        for operation, (rotation, _) in enumerate(self._operations):
            for sign in (1, -1):
                shifts = point[None] - sign * self._header.kpoints @ rotation
                hits = np.flatnonzero((np.abs(shifts - np.rint(shifts)) < _SAME).all(axis=1))
                if len(hits):
                    return int(hits[0]), sign, operation
        raise InputError("the checkpoint lacks k-points of its mesh; valid: a run without weights of zero")

    def _read(self, spin: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the bands of one k-point on its whole sphere."""
        waves = blocks.sphere(self._file, self._header, k).astype(int)
        rows = [
            np.concatenate([block for _, block in blocks.band(self._file, self._header, n, spin, k)])
            for n in range(self._counts[spin])
        ]
        coefficients = np.array(rows)
        if self._header.half_sphere:
            coefficients = np.concatenate([coefficients[:, :0:-1].conj(), coefficients], axis=1)
            waves = np.concatenate([-waves[:0:-1], waves])
        return coefficients, waves


def overlaps(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return <u_m|u_n> of two points, as `MeshBands.at` gives them: products of coefficients of the same waves."""
    (left, waves), (right, others) = one, other
    size = np.maximum(np.abs(waves).max(axis=0), np.abs(others).max(axis=0)) * 2 + 1
    _, mine, theirs = np.intersect1d(_flat(waves, size), _flat(others, size), return_indices=True)
    return np.asarray(left[:, mine].conj() @ right[:, theirs].T)


def _flat(waves: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return one number for each triple of Miller indices below half of `size`."""
    x, y, z = waves.T
    return np.asarray((x * size[1] + y) * size[2] + z)
