"""The bands of a checkpoint as functions of position, one in memory at a time.

psi(r) = Omega^-1/2 sum_G c(G) exp(i (k + G) r), here without the factor exp(i k r), on the grid of the checkpoint.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import blocks
from wavegrid.checkpoint.header import Header
from wavegrid.checkpoint.reader import read
from wavegrid.errors import InputError

if TYPE_CHECKING:
    import h5py


def require_one_component(path: str, header: Header) -> None:
    """Refuse spinors, which no export reads."""
    if header.components == 2:
        raise InputError(f"{path}: its wave functions have two components; valid: those of a run without spin-orbit")


class Bands:
    """The bands of an open checkpoint; levels (k, s, b) in Ha, occupations (k, s, b) with the weights of k-points."""

    def __init__(self, file: "h5py.File", header: Header) -> None:
        require_one_component(file.filename, header)
        header.require_bands(file.filename)
        self.header = header
        self._file = file
        for name in ("eigenvalues", "occupations", "rotations", "translations"):
            blocks.check_small(file, f"wavegrid/{name}")
        self.levels = read(file, "wavegrid/eigenvalues")
        self.occupations = read(file, "wavegrid/occupations")
        self._operations = list(zip(read(file, "wavegrid/rotations"), read(file, "wavegrid/translations"), strict=True))
        self._waves = lru_cache(maxsize=1)(self._read_waves)

    def state_weights(self) -> np.ndarray:
        """Return how many electrons a full state of each k-point holds, weight included: (k, s, b)."""
        full = np.broadcast_to(self.header.weights[:, None, None], self.levels.shape)
        return full * (2.0 / self.header.spins)

    def values(self, n: int, spin: int, k: int) -> np.ndarray:
        """Return a band (nx, ny, nz), bohr^-3/2; real where the checkpoint has real bands."""
        field = self._to_grid(self._coefficients(n, spin, k), k)
        return field.real if self.header.half_sphere else field

    def gradient_square(self, n: int, spin: int, k: int) -> np.ndarray:
        """Return |grad psi|^2 (nx, ny, nz), bohr^-5."""
        coefficients = self._coefficients(n, spin, k)
        waves = (self._waves(k) + self.header.kpoints[k]) @ self.header.reciprocal()
        parts = (self._to_grid(coefficients * waves[:, axis], k, odd=True) for axis in range(3))
        return sum((np.abs(part) ** 2 for part in parts), np.zeros(self.header.grid))

    def symmetrised(self, field: np.ndarray) -> np.ndarray:
        """Return the average of f(W x + w) over the symmetry operations by which the k-points are irreducible."""
        if len(self._operations) == 1:
            return field
        grid = np.array(field.shape)
        points = np.indices(field.shape).reshape(3, -1) / grid[:, None]
        mean = np.zeros(field.size)
        for rotation, translation in self._operations:
            images = np.rint((rotation @ points + translation[:, None]) * grid[:, None]).astype(np.int64)
            mean += field[tuple(images % grid[:, None])]
        return (mean / len(self._operations)).reshape(field.shape)

    def _read_waves(self, k: int) -> np.ndarray:
        return blocks.sphere(self._file, self.header, k)

    def _coefficients(self, n: int, spin: int, k: int) -> np.ndarray:
        return np.concatenate([block for _, block in blocks.band(self._file, self.header, n, spin, k)])

    def _to_grid(self, coefficients: np.ndarray, k: int, *, odd: bool = False) -> np.ndarray:
        """Return sum c(G) exp(iGr) Omega^-1/2; of half a sphere with c(-G) = conj c(G), of `odd` ones minus that."""
        grid = self.header.grid
        field = np.zeros(grid, complex)
        waves = self._waves(k)
        if self.header.half_sphere:
            field[tuple((-waves % grid).T)] = -coefficients.conj() if odd else coefficients.conj()
        field[tuple((waves % grid).T)] = coefficients
        return np.fft.ifftn(field) * (field.size / np.sqrt(self.header.volume()))
