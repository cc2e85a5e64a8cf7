"""Wave functions in Quantum ESPRESSO's HDF5 format: write_wfc of its Modules/io_base.f90 (6.7).

k-points and reciprocal vectors are cartesian in 1/bohr. G-vectors are in the order of its global list: ascending |G|^2,
then ascending (gx, gy, gz) (ggen in Modules/recvec_subs.f90). At Gamma its half of the sphere differs from ours: it has
gx > 0, or gx = 0 and gy > 0, or gx = gy = 0 and gz >= 0. `ngw`, which QE's own reader ignores, is `igwx` here.
"""

from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import blocks
from wavegrid.checkpoint.header import Header
from wavegrid.checkpoint.reader import CREATOR

if TYPE_CHECKING:
    import h5py

_SHELL = 1e-8  # (2 pi / a)^2; QE's own width of a shell


def name(header: Header, k: int, spin: int) -> str:
    """Return the file's name for a k-point and spin, both from 0."""
    channel = "" if header.spins == 1 else ("up", "dw")[spin]
    return f"wfc{channel}{k + 1}.hdf5"


def size(header: Header, k: int) -> int:
    """Return the bytes of a k-point's file."""
    return header.ngk[k] * (3 * 4 + 16 * header.bands)


def write(source: "h5py.File", header: Header, k: int, spin: int, made: "h5py.File") -> None:
    """Fill a new file with the bands of one k-point and spin, one band in memory at a time."""
    reciprocal = header.reciprocal()
    miller, order, conjugate = arrange(blocks.sphere(source, header, k), header)
    size = len(miller)
    made.attrs[CREATOR] = np.bytes_(header.program)
    made.attrs["gamma_only"] = np.bytes_(".TRUE." if header.half_sphere else ".FALSE.")
    made.attrs["ik"] = np.int32(k + 1)
    made.attrs["ispin"] = np.int32(spin + 1)
    made.attrs["xk"] = header.kpoints[k] @ reciprocal
    made.attrs["scale_factor"] = 1.0
    for attribute, value in (("ngw", size), ("igwx", size), ("npol", 1), ("nbnd", header.bands)):
        made.attrs[attribute] = np.int32(value)
    indices = made.create_dataset("MillerIndices", data=miller)
    for axis in range(3):
        indices.attrs[f"bg{axis + 1}"] = reciprocal[axis]
    indices.attrs["doc"] = np.bytes_("Miller indices of the wave vectors, in the order of the coefficients")
    evc = made.create_dataset("evc", (header.bands, 2 * size), np.float64)
    evc.attrs["doc"] = np.bytes_("wave functions (nbnd, 2 npol igwx): real and imaginary parts in turn")
    for n in range(header.bands):
        values = np.concatenate([block for _, block in blocks.band(source, header, n, spin, k)])
        values[conjugate] = values[conjugate].conj()
        evc[n] = values[order].view(np.float64)


def arrange(gvecs: np.ndarray, header: Header) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return QE's Miller indices (n, 3), the place of each in our order, and which of ours are conjugated (G to -G)."""
    lead = np.where(gvecs[:, 0] != 0, gvecs[:, 0], np.where(gvecs[:, 1] != 0, gvecs[:, 1], gvecs[:, 2]))
    conjugate = (lead < 0) if header.half_sphere else np.zeros(len(gvecs), bool)
    miller = np.where(conjugate[:, None], -gvecs, gvecs).astype(np.int32)
    unit = (2 * np.pi / np.linalg.norm(header.cell[0])) ** 2
    squares = np.sum((miller @ header.reciprocal()) ** 2, axis=1) / unit
    by_square = np.argsort(squares, kind="stable")
    rises = np.diff(squares[by_square], prepend=0.0) > _SHELL
    shells = np.empty(len(gvecs), np.int64)
    shells[by_square] = np.cumsum(rises)
    order = np.lexsort((miller[:, 2], miller[:, 1], miller[:, 0], shells))
    return miller[order], order, conjugate
