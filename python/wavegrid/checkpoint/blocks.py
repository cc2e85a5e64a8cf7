"""Reads the large datasets of a checkpoint block by block and compares each block with its checksum."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import layout
from wavegrid.checkpoint.header import Header
from wavegrid.checkpoint.reader import attribute, damaged, find, read, read_part
from wavegrid.errors import InputError

if TYPE_CHECKING:
    import h5py

_SLAB = 1 << 23  # bytes of a dataset without blocks that are read at once


def checksum(array: np.ndarray) -> int:
    """Return XXH3-64 of the bytes of an array in storage order."""
    import xxhash

    return xxhash.xxh3_64_intdigest(np.ascontiguousarray(array).data.cast("B") if array.size else b"")


def whole(file: "h5py.File", name: str) -> int:
    """Return XXH3-64 of a dataset, read in slabs along its first axis."""
    import xxhash

    dataset = find(file, name)
    if not dataset.shape:
        return xxhash.xxh3_64_intdigest(np.asarray(read_part(file, name, ())).tobytes())
    state = xxhash.xxh3_64()
    rows = max(1, _SLAB // max(1, dataset.nbytes // max(1, dataset.shape[0])))
    for first in range(0, dataset.shape[0], rows):
        state.update(read_part(file, name, slice(first, first + rows)).tobytes())
    return state.intdigest()


def check_small(file: "h5py.File", name: str) -> None:
    """Compare a dataset with the checksum that it carries; raises InputError that names it."""
    try:
        wanted = int(attribute(find(file, name), layout.CHECKSUM, "u8"))
    except (InputError, OSError, RuntimeError, ValueError, TypeError):
        raise damaged(file.filename, f"/{name}: carries no checksum") from None
    if whole(file, name) != wanted:
        raise damaged(file.filename, f"/{name}: the checksum does not fit")


def _of_kpoint(header: Header, k: int | None) -> list[tuple[int, int, int]]:
    """Return index, first and last of the blocks of one k-point, or of all."""
    begin, end = (0, sum(header.ngk)) if k is None else (sum(header.ngk[:k]), sum(header.ngk[: k + 1]))
    cuts = layout.ranges(header.ngk, header.block)
    return [(index, first, last) for index, (first, last) in enumerate(cuts) if begin <= first and last <= end]


def gvecs(file: "h5py.File", header: Header, k: int | None = None) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield [first, last) and the Miller indices (n, 3) of each block, checked; `k`: of one k-point."""
    sums = read(file, layout.CHECKSUMS[layout.GVECS])
    for index, first, last in _of_kpoint(header, k):
        block = read_part(file, layout.GVECS, slice(first, last))
        if checksum(block) != int(sums[index]):
            raise _wrong(file, layout.GVECS, "", first, last)
        yield first, last, block


def sphere(file: "h5py.File", header: Header, k: int | None = None) -> np.ndarray:
    """Return the Miller indices (ngk, 3) of one k-point, or of all, checked."""
    return np.concatenate([block for _, _, block in gvecs(file, header, k)])


def band(
    file: "h5py.File", header: Header, n: int, spin: int, k: int | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the first index and the coefficients (complex) of each block of a band, checked; `k`: of one k-point."""
    sums = read_part(file, layout.CHECKSUMS[layout.COEFFS], (n, spin))
    for index, first, last in _of_kpoint(header, k):
        block = read_part(file, layout.COEFFS, (n, spin, slice(first, last)))
        if checksum(block) != int(sums[index]):
            raise _wrong(file, layout.COEFFS, f"band {n + 1}, spin {spin + 1}, ", first, last)
        yield first, np.ascontiguousarray(block).view(np.complex128)[:, 0]


def field(
    file: "h5py.File", header: Header, name: str, component: int, take: Callable[[int, np.ndarray], None]
) -> None:
    """Give `take` the first index and the values of each block of one component on the grid, checked."""
    sums = read_part(file, layout.CHECKSUMS[name], component)
    plane = header.grid[1] * header.grid[2]
    points = header.grid[0] * plane
    for index, (first, last) in enumerate(layout.ranges([points], header.block)):
        # Whole planes around the block are read: HDF5 has no flat view of a dataset.
        low, high = first // plane, -(-last // plane)
        planes = read_part(file, name, (component, slice(low, high))).ravel()
        block = planes[first - low * plane : last - low * plane]
        if checksum(block) != int(sums[index]):
            raise _wrong(file, name, f"component {component + 1}, ", first, last)
        take(first, block)


def grid(file: "h5py.File", header: Header, name: str) -> np.ndarray:
    """Return density or potential, (components, nx, ny, nz), checked."""
    result = np.empty((header.num_fields, int(np.prod(header.grid))))
    for component in range(header.num_fields):

        def take(first: int, block: np.ndarray, row: np.ndarray = result[component]) -> None:
            row[first : first + len(block)] = block

        field(file, header, name, component, take)
    return result.reshape(header.num_fields, *header.grid)


def _wrong(file: "h5py.File", name: str, where: str, first: int, last: int) -> Exception:
    what = "points" if name in (layout.DENSITY, layout.POTENTIAL, layout.KINETIC_DENSITY) else "G-vectors"
    return damaged(file.filename, f"/{name}: {where}{what} {first} to {last - 1}: the checksum does not fit")
