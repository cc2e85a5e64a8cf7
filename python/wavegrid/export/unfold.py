"""Copies a checkpoint and unfolds half of a sphere to the whole one: c(-G) = conj c(G)."""

from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import blocks, layout
from wavegrid.checkpoint.header import Header
from wavegrid.checkpoint.reader import CREATOR, find, version

if TYPE_CHECKING:
    import h5py


def size(source: "h5py.File", header: Header) -> int:
    """Return the bytes of the copy, or some more."""
    grown = (layout.COEFFS, layout.GVECS, *layout.CHECKSUMS.values()) if header.half_sphere else ()
    return sum(find(source, name).nbytes * (2 if name in grown else 1) for name in layout.datasets(version(source)))


def copy(source: "h5py.File", header: Header, made: "h5py.File") -> None:
    """Fill a new file with all of a checkpoint, the whole sphere in it; checks what it reads. One band in memory."""
    sphere = blocks.sphere(source, header)
    if header.half_sphere:
        sphere = whole_sphere(sphere)
    counts = [len(sphere)] if header.half_sphere else header.ngk
    for name in layout.datasets(version(source)):
        if name not in layout.CHECKSUMS and name not in layout.CHECKSUMS.values():
            blocks.check_small(source, name)
    for name in layout.fields(version(source)):
        for component in range(header.num_fields):
            blocks.field(source, header, name, component, lambda _first, _block: None)
    for group in ("wavegrid", "mf_header"):  # HDF5 itself copies: types and attributes stay as they are
        source.copy(source[group], made, group)
    for name, values in ((layout.NGK, counts), (layout.NGKMAX, max(counts))):
        write_small(made, name, np.asarray(values, dtype=find(source, name).dtype))
    cuts = layout.ranges(counts, header.block)
    made.create_dataset(layout.GVECS, data=sphere)
    _replace(made, layout.CHECKSUMS[layout.GVECS], _sums(sphere, cuts))
    _copy_bands(source, header, made, cuts)
    made["wavegrid"].attrs["half_sphere"] = np.int32(0)
    made.attrs[CREATOR] = np.bytes_(header.program)


def _copy_bands(source: "h5py.File", header: Header, made: "h5py.File", cuts: list[tuple[int, int]]) -> None:
    rows = header.spins * header.components
    shape = header.bands, rows, cuts[-1][1], 2
    coeffs = made.create_dataset(layout.COEFFS, shape, np.float64)
    sums = np.empty((*shape[:2], len(cuts)), np.uint64)
    for n in range(header.bands):
        for spin in range(rows):
            values = np.concatenate([block for _, block in blocks.band(source, header, n, spin)])
            if header.half_sphere:
                values = np.concatenate([values[:0:-1].conj(), values])
            row = values.view(np.float64).reshape(-1, 2)
            coeffs[n, spin] = row
            sums[n, spin] = _sums(row, cuts)
    _replace(made, layout.CHECKSUMS[layout.COEFFS], sums)


def whole_sphere(half: np.ndarray) -> np.ndarray:
    """Return all G-vectors in order: G = 0 comes first in the half, and -G comes before it in reverse."""
    return np.concatenate([-half[:0:-1], half])


def write_small(made: "h5py.File", name: str, values: np.ndarray) -> None:
    """Write a dataset with the checksum that it carries, in place of one that is there."""
    _replace(made, name, values).attrs[layout.CHECKSUM] = np.uint64(blocks.checksum(values))


def _replace(made: "h5py.File", name: str, values: np.ndarray) -> "h5py.Dataset":
    if name in made:
        del made[name]
    return made.create_dataset(name, data=values)


def _sums(values: np.ndarray, cuts: list[tuple[int, int]]) -> np.ndarray:
    return np.array([blocks.checksum(values[first:last]) for first, last in cuts], np.uint64)
