"""Input files of Wannier90 3.1 from the bands of a checkpoint: .win, .mmn, .amn, .eig, and UNK of its plots.

    M_mn(k, b) = <u_mk|u_n,k+b>,  A_mn(k) = <psi_mk|g_n>
    SCDM: A^+ = the columns of f(e_nk) conj(psi_nk(r)) at points r that a pivoted QR decomposition at Gamma chooses

N. Marzari, D. Vanderbilt, Phys. Rev. B 56, 12847 (1997), 10.1103/PhysRevB.56.12847; A. Damle, L. Lin, SIAM Multiscale
Model. Simul. 16, 1392 (2018), 10.1137/17M1129696.
"""

import io
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import blocks
from wavegrid.checkpoint.header import Header, read_header
from wavegrid.checkpoint.mesh_bands import MeshBands, overlaps
from wavegrid.checkpoint.reader import opened, read
from wavegrid.errors import InputError
from wavegrid.export import wannier_kmesh, wannier_projections
from wavegrid.job.outputs import wannier_seeds
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

if TYPE_CHECKING:
    import h5py

_HEAD = "by wavegrid"


@dataclass(frozen=True)
class Scdm:
    """Weights f = 1/2 erfc((e - centre) / width) of the bands (Ha); without centre all have the same."""

    functions: int
    centre: float | None = None
    width: float = 1.0


def scdm_in_ev(functions: int, centre: float, width: float) -> Scdm:
    """Return the same of energies in eV."""
    return Scdm(functions, centre / HARTREE_IN_EV, width / HARTREE_IN_EV)


def files(
    path: Path, guesses: list[str] | Scdm, *, first: int = 1, last: int | None = None, unk: bool = False
) -> dict[str, Callable[[], bytes]]:
    """Return name and content of the files, with spin those of each; bands `first` to `last`, from 1.

    Raises InputError for what the checkpoint does not have.
    """
    found: dict[str, Callable[[], bytes]] = {}
    with opened(path) as file:
        header = read_header(file)
        header.require_bands(path)
        _check(header, guesses, first, last)
        _Wannier(file, header, 0, guesses, (first - 1, last or header.bands)).points()
    seeds = wannier_seeds(header.spins)

    def content(spin: int, kind: str, *more: int) -> bytes:
        with opened(path) as file:
            run = _Wannier(file, read_header(file), spin, guesses, (first - 1, last or header.bands))
            made: bytes = getattr(run, kind)(*more)
            return made

    for spin, seed in enumerate(seeds):
        for kind in ("win", "eig", "mmn", "amn"):
            found[f"{seed}.{kind}"] = partial(content, spin, kind)
        if unk:
            for number in range(int(np.prod(_mesh(header)))):
                found[f"UNK{number + 1:05d}.{spin + 1}"] = partial(content, spin, "unk", number)
    return found


def _mesh(header: Header) -> np.ndarray:
    return np.array(header.mesh) if all(header.mesh) else np.ones(3, int)


def _check(header: Header, guesses: list[str] | Scdm, first: int, last: int | None) -> None:
    if header.has_overlap():
        raise InputError("no Wannier functions with ultrasoft or PAW datasets; valid: norm-conserving pseudopotentials")
    if header.components != 1:
        raise InputError("no Wannier functions of spinors; valid: wave functions of one component")
    if not 1 <= first <= (last or header.bands) <= header.bands:
        raise InputError(f"bands {first} to {last}; valid: bands from 1 to {header.bands}, ascending")
    wanted = guesses.functions if isinstance(guesses, Scdm) else len(wannier_projections.read(guesses, header))
    bands = (last or header.bands) - first + 1
    if not 1 <= wanted <= bands:
        raise InputError(
            f"{wanted} Wannier functions of {bands} bands; valid: at most as many as bands, of which [electrons] bands "
            "makes more"
        )


class _Wannier:
    """The files of one spin of an open checkpoint."""

    def __init__(
        self, file: "h5py.File", header: Header, spin: int, guesses: list[str] | Scdm, bands: tuple[int, int]
    ) -> None:
        self._header, self._spin, self._guesses, (self._first, self._last) = header, spin, guesses, bands
        blocks.check_small(file, "wavegrid/eigenvalues")
        self._levels = read(file, "wavegrid/eigenvalues")
        self._bands = MeshBands(file, header, [self._last] * header.spins)
        self._indices = [np.array(one) for one in itertools.product(*map(range, self._bands.mesh))]

    def points(self) -> list[int]:
        """Return the k-point of the checkpoint for each of the mesh; raises InputError where there is none."""
        return [self._bands.source(index) for index in self._indices]

    def win(self) -> bytes:
        header, guesses = self._header, self._guesses
        count = guesses.functions if isinstance(guesses, Scdm) else len(wannier_projections.read(guesses, header))
        lines = [
            f"! {_HEAD}",
            f"num_bands = {self._last - self._first}",
            f"num_wann = {count}",
            "num_iter = 500",
            *(["auto_projections = .true."] if isinstance(guesses, Scdm) else []),
            *([f"spin = {'down' if self._spin else 'up'}"] if header.spins == 2 else []),
            "wvfn_formatted = .true.",
            "",
            "begin unit_cell_cart",
            *(" ".join(f"{x:.12f}" for x in vector) for vector in header.cell * BOHR_IN_ANGSTROM),
            "end unit_cell_cart",
            "",
            "begin atoms_frac",
            *(
                f"{symbol} " + " ".join(f"{x:.12f}" for x in place)
                for symbol, place in zip(header.symbols(), header.positions, strict=True)
            ),
            "end atoms_frac",
            "",
        ]
        if not isinstance(guesses, Scdm):
            lines += ["begin projections", *guesses, "end projections", ""]
        lines += ["mp_grid = " + " ".join(map(str, self._bands.mesh)), "", "begin kpoints"]
        lines += [" ".join(f"{x:.12f}" for x in self._bands.point(index)) for index in self._indices]
        return "\n".join([*lines, "end kpoints", ""]).encode()

    def eig(self) -> bytes:
        lines = [
            f"{band + 1:5d} {number + 1:5d} {level * HARTREE_IN_EV:18.12f}"
            for number, k in enumerate(self.points())
            for band, level in enumerate(self._levels[k, self._spin, self._first : self._last])
        ]
        return "\n".join([*lines, ""]).encode()

    def mmn(self) -> bytes:
        steps = wannier_kmesh.neighbours(self._bands.mesh, self._header.reciprocal())
        bands = self._last - self._first
        text = io.StringIO()
        text.write(f"overlaps of bands, {_HEAD}\n{bands} {len(self._indices)} {len(steps)}\n")
        for number, index in enumerate(self._indices):
            here = self._at(index)
            for step in steps:
                there = index + step
                fold, inside = np.divmod(there, self._bands.mesh)
                other = int(np.ravel_multi_index(tuple(inside), tuple(self._bands.mesh)))
                text.write(f"{number + 1} {other + 1} {fold[0]} {fold[1]} {fold[2]}\n")
                _write_complex(text, overlaps(here, self._at(there)).T.ravel())
        return text.getvalue().encode()

    def amn(self) -> bytes:
        made = self._scdm() if isinstance(self._guesses, Scdm) else self._projected()
        text = io.StringIO()
        text.write(f"overlaps with first guesses, {_HEAD}\n")
        text.write(f"{self._last - self._first} {len(self._indices)} {made[0].shape[1]}\n")
        for number, matrix in enumerate(made, 1):
            for n, m in itertools.product(range(matrix.shape[1]), range(matrix.shape[0])):
                text.write(f"{m + 1} {n + 1} {number} {matrix[m, n].real:.12f} {matrix[m, n].imag:.12f}\n")
        return text.getvalue().encode()

    def unk(self, number: int) -> bytes:
        coefficients, waves = self._at(self._indices[number])
        grid = self._header.grid
        text = io.StringIO()
        text.write(f"{grid[0]} {grid[1]} {grid[2]} {number + 1} {len(coefficients)}\n")
        for row in coefficients:
            _write_complex(text, self._to_grid(row, waves).ravel(order="F"))
        return text.getvalue().encode()

    def _at(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        coefficients, waves = self._bands.at(self._spin, index)
        return coefficients[self._first :], waves

    def _to_grid(self, row: np.ndarray, waves: np.ndarray) -> np.ndarray:
        field = np.zeros(self._header.grid, complex)
        field[tuple((waves % self._header.grid).T)] = row
        return np.asarray(np.fft.ifftn(field) * field.size)

    def _projected(self) -> list[np.ndarray]:
        assert not isinstance(self._guesses, Scdm)
        guesses = wannier_projections.read(self._guesses, self._header)
        found = []
        for index in self._indices:
            coefficients, waves = self._at(index)
            orbitals = wannier_projections.coefficients(
                guesses, self._bands.point(index), waves, self._header.reciprocal()
            )
            found.append(coefficients.conj() @ orbitals.T)
        return found

    def _scdm(self) -> list[np.ndarray]:
        from scipy.linalg import qr, svd

        assert isinstance(self._guesses, Scdm)
        count = self._guesses.functions
        nearest = min(range(len(self._indices)), key=lambda i: self._distance(self._indices[i]))
        at_gamma = self._weighted(nearest)
        *_, order = qr(at_gamma, mode="economic", pivoting=True)
        chosen = np.array(np.unravel_index(order[:count], self._header.grid)).T / np.array(self._header.grid)
        found = []
        for number, index in enumerate(self._indices):
            coefficients, waves = self._at(index)
            phases = np.exp(2j * np.pi * ((self._bands.point(index) + waves) @ chosen.T))
            matrix = (self._weights(number)[:, None] * (coefficients @ phases)).conj()
            left, _, right = svd(matrix, full_matrices=False)
            found.append(left @ right)
        return found

    def _distance(self, index: np.ndarray) -> float:
        point = self._bands.point(index)
        return float(np.abs(point - np.rint(point)).sum())

    def _weighted(self, number: int) -> np.ndarray:
        """Return the bands of a k-point with their weights on the grid, (n, points)."""
        coefficients, waves = self._at(self._indices[number])
        rows = np.array([self._to_grid(row, waves).ravel() for row in coefficients])
        return self._weights(number)[:, None] * rows

    def _weights(self, number: int) -> np.ndarray:
        from scipy.special import erfc

        assert isinstance(self._guesses, Scdm)
        levels = self._levels[self._bands.source(self._indices[number]), self._spin, self._first : self._last]
        if self._guesses.centre is None:
            return np.ones(len(levels))
        return np.asarray(erfc((levels - self._guesses.centre) / self._guesses.width) / 2)


def _write_complex(text: io.StringIO, values: np.ndarray) -> None:
    np.savetxt(text, np.column_stack([values.real, values.imag]), fmt="%.12f")
