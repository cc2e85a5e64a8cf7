"""Copies a checkpoint and unfolds half of a sphere to the whole one: c(-G) = conj c(G)."""

from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import blocks, layout
from wavegrid.checkpoint.reader import Header, find, read_part

if TYPE_CHECKING:
    import h5py

_SLAB = 1 << 23  # bytes that are copied at once


def size(source: "h5py.File", header: Header) -> int:
    """Return the bytes of the copy, or some more."""
    grown = (layout.COEFFS, layout.GVECS, *layout.CHECKSUMS.values()) if header.half_sphere else ()
    return sum(find(source, name).nbytes * (2 if name in grown else 1) for name in layout.DATASETS)


def copy(source: "h5py.File", header: Header, made: "h5py.File") -> None:
    """Fill a new file with all of a checkpoint, the whole sphere in it; checks what it reads. One band in memory."""
    sphere = blocks.sphere(source, header)
    if header.half_sphere:
        sphere = whole_sphere(sphere)
    counts = [len(sphere)] if header.half_sphere else header.ngk
    changed = {layout.NGK: counts, layout.NGKMAX: max(counts)}
    for name in layout.DATASETS:
        if name in changed:
            blocks.check_small(source, name)
            write_small(made, name, np.asarray(changed[name], dtype=find(source, name).dtype))
        elif name not in layout.CHECKSUMS and name not in layout.CHECKSUMS.values():
            blocks.check_small(source, name)
            _copy(source, made, name)
            made[name].attrs["xxh3"] = find(source, name).attrs["xxh3"]
    for name in (layout.DENSITY, layout.POTENTIAL):
        for component in range(header.spins):
            blocks.field(source, header, name, component, lambda _first, _block: None)
        _copy(source, made, name)
        _copy(source, made, layout.CHECKSUMS[name])
    made.create_dataset(layout.GVECS, data=sphere)
    cuts = layout.ranges(counts, header.block)
    made.create_dataset(layout.CHECKSUMS[layout.GVECS], data=_sums(sphere, cuts))
    _copy_bands(source, header, made, cuts)
    for attribute, value in source["wavegrid"].attrs.items():
        made["wavegrid"].attrs[attribute] = value
    made["wavegrid"].attrs["half_sphere"] = np.int32(0)


def _copy_bands(source: "h5py.File", header: Header, made: "h5py.File", cuts: list[tuple[int, int]]) -> None:
    shape = header.bands, header.spins, cuts[-1][1], 2
    coeffs = made.create_dataset(layout.COEFFS, shape, np.float64)
    sums = made.create_dataset(layout.CHECKSUMS[layout.COEFFS], (*shape[:2], len(cuts)), np.uint64)
    for n in range(header.bands):
        for spin in range(header.spins):
            values = np.concatenate([block for _, block in blocks.band(source, header, n, spin)])
            if header.half_sphere:
                values = np.concatenate([values[:0:-1].conj(), values])
            row = values.view(np.float64).reshape(-1, 2)
            coeffs[n, spin] = row
            sums[n, spin] = _sums(row, cuts)


def whole_sphere(half: np.ndarray) -> np.ndarray:
    """Return all G-vectors in order: G = 0 comes first in the half, and -G comes before it in reverse."""
    return np.concatenate([-half[:0:-1], half])


def write_small(made: "h5py.File", name: str, values: np.ndarray) -> None:
    """Write a dataset with the checksum that it carries."""
    made.create_dataset(name, data=values).attrs["xxh3"] = np.uint64(blocks.checksum(values))


def _sums(values: np.ndarray, cuts: list[tuple[int, int]]) -> np.ndarray:
    return np.array([blocks.checksum(values[first:last]) for first, last in cuts], np.uint64)


def _copy(source: "h5py.File", made: "h5py.File", name: str) -> None:
    """Copy a dataset in slabs along its longest leading axes."""
    old = find(source, name)
    new = made.create_dataset(name, old.shape, old.dtype)
    if not old.shape:
        new[()] = read_part(source, name, ())
        return
    rows = max(1, _SLAB // max(1, old.nbytes // max(1, old.shape[0])))
    for first in range(0, old.shape[0], rows):
        new[first : first + rows] = read_part(source, name, slice(first, first + rows))
