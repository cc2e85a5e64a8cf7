"""The polarisation of a crystal by the Berry phase of the bands of a checkpoint, with norm-conserving potentials.

    phase_i = - Im ln prod_j det <u_m,k_j | u_n,k_j+1>      along strings of k-points through the zone, k_N = k_0 + b_i
    P = 1/Omega sum_i a_i (sum_a Z_a x_a,i - f / (2 pi) mean of phase_i over the strings)

with f electrons in a band, and fractional coordinates x of the ions. R. D. King-Smith, D. Vanderbilt, Phys. Rev. B 47,
1651 (1993), 10.1103/PhysRevB.47.1651.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint.header import Header, read_header
from wavegrid.checkpoint.mesh_bands import MeshBands, overlaps
from wavegrid.checkpoint.reader import opened, read
from wavegrid.errors import InputError
from wavegrid.model.polarisation import Polarisation

if TYPE_CHECKING:
    import h5py

_SAME = 1e-6  # of an occupation


def polarisation(path: Path, valence: Sequence[float]) -> Polarisation:
    """Return the polarisation of a checkpoint; `valence`: charge of the ion of each species.

    Raises InputError where its bands have none: with partly filled bands, ultrasoft potentials, or symmetry.
    """
    with opened(path) as file:
        header = read_header(file)
        header.require_bands(path)
        strings = _Strings(file, header)
        phases = [[_mean(strings.phases(spin, axis)) for axis in range(3)] for spin in range(header.spins)]
    full = 2 / header.spins
    electronic = -full * np.sum(phases, axis=0) / (2 * np.pi)
    charges = np.array([valence[species] for species in header.atom_species])
    ionic = charges @ header.positions
    # A shift of an ion by a lattice vector changes the sum by its charge, a phase by 2 pi by f.
    quantum = 2.0 if header.spins == 1 and not (np.rint(charges) % 2).any() else 1.0
    reduced = electronic + ionic
    reduced -= quantum * np.rint(reduced / quantum)
    lengths = np.linalg.norm(header.cell, axis=1) / header.volume()
    return Polarisation(
        vector=tuple((reduced @ header.cell / header.volume()).tolist()),
        along=tuple((reduced * lengths).tolist()),
        quanta=tuple((quantum * lengths).tolist()),
        electronic=tuple((electronic * lengths).tolist()),
        ionic=tuple((ionic * lengths).tolist()),
    )


def _mean(phases: np.ndarray) -> float:
    """Return the mean of phases, each on the branch nearest to that of their mean direction."""
    middle = np.angle(np.exp(1j * phases).mean())
    return float(middle + np.angle(np.exp(1j * (phases - middle))).mean())


class _Strings:
    """The strings of k-points of a mesh."""

    def __init__(self, file: "h5py.File", header: Header) -> None:
        self._header = header
        if header.has_overlap():
            raise InputError("no polarisation with ultrasoft or PAW datasets; valid: norm-conserving pseudopotentials")
        self._occupied = self._count_occupied(read(file, "wavegrid/occupations"))
        self._check_gap(read(file, "wavegrid/eigenvalues"))
        try:
            self._bands = MeshBands(file, header, self._occupied)
        except InputError as fault:
            raise InputError(f"no polarisation: {fault}") from None

    def phases(self, spin: int, axis: int) -> np.ndarray:
        """Return the phase of each string along a reciprocal vector, between -pi and pi."""
        if self._occupied[spin] == 0:
            return np.zeros(1)
        found = []
        for start in self._starts(axis):
            product: complex = 1
            for step in range(self._bands.mesh[axis]):
                product *= self._overlap(spin, start, axis, step)
                product /= abs(product)
            found.append(-np.angle(product))
        return np.array(found)

    def _count_occupied(self, occupations: np.ndarray) -> list[int]:
        """Return the full bands of each spin, the same at all k-points."""
        shares = occupations / self._header.weights[:, None, None] * (self._header.spins / 2)
        counts = (shares > 0.5).sum(axis=2)
        if (np.abs(shares - np.rint(shares)) > _SAME).any() or (counts != counts[0]).any():
            raise InputError("no polarisation of a metal: bands are partly filled; valid: an insulator")
        return [int(count) for count in counts[0]]

    def _check_gap(self, levels: np.ndarray) -> None:
        """Refuse a metal by its levels (k-point, spin, band), Ha, of the empty bands that there are."""
        for spin, count in enumerate(self._occupied):
            if not 0 < count < levels.shape[2]:
                continue
            overlap = levels[:, spin, :count].max() - levels[:, spin, count:].min()
            if overlap >= 0:
                raise InputError(
                    f"no polarisation of a metal: an empty level is {overlap:.4f} Ha below one that is filled; valid: "
                    "an insulator"
                )

    def _starts(self, axis: int) -> Iterator[np.ndarray]:
        others = [range(1 if other == axis else int(count)) for other, count in enumerate(self._bands.mesh)]
        for index in np.ndindex(*(len(one) for one in others)):
            yield np.array(index)

    def _overlap(self, spin: int, start: np.ndarray, axis: int, step: int) -> complex:
        """Return det <u_m,k | u_n,k'> of points that are neighbours on a string."""
        first, second = start.copy(), start.copy()
        first[axis], second[axis] = step, step + 1
        return complex(np.linalg.det(overlaps(self._bands.at(spin, first), self._bands.at(spin, second))))
