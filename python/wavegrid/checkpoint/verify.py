"""Verifies a checkpoint: every object and checksum, norms of the bands, electrons in the density. Bounded memory."""

import math
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wavegrid.checkpoint import blocks, contents, layout
from wavegrid.checkpoint.header import Header, read_header
from wavegrid.checkpoint.reader import CREATOR, attribute, damaged, opened, reason, version

if TYPE_CHECKING:
    import h5py

# All names of objects: the datasets and the groups around them.
_PARTS = {name.rsplit("/", n)[0] for name in layout.ALL for n in range(name.count("/") + 1)}
_NORM, _SINGLE_NORM = 1e-8, 1e-4  # how far the norm of a band may be from 1, in double and in single precision
_ELECTRONS = 1e-6  # how far the density may be from the number of electrons, as a share of it


def verify(path: Path, on_band: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Return the figures of a whole checkpoint; raises InputError that names the first damaged thing.

    `on_band`: called with how many bands (of all spins) are done, and of how many.
    """
    began = time.perf_counter()
    with opened(path) as file:
        header = read_header(file)
        datasets = _all_datasets(file)
        for name in datasets:
            if name not in layout.CHECKSUMS and name not in layout.CHECKSUMS.values():
                blocks.check_small(file, name)
        contents.check(file, header)
        zeros = _check_gvecs(file, header)
        norm_error = _check_bands(file, header, zeros, on_band)
        electrons = _check_density(file, header)
        num_blocks = _count_blocks(header, len(layout.fields(version(file))))
    return {
        "file": str(path),
        "intact": True,
        "bytes": path.stat().st_size,
        "datasets": len(datasets),
        "blocks": num_blocks,
        "norm_error": None if header.has_overlap() else norm_error,
        "electrons": header.electrons if header.bands > 0 else None,
        "electrons_in_density": electrons,
        "seconds": time.perf_counter() - began,
    }


def _all_datasets(file: "h5py.File") -> list[str]:
    """Open every object and read every attribute, so that HDF5 checks its own checksums; return the datasets."""
    found: list[str] = []

    def visit(group: "h5py.Group", path: str) -> None:
        try:
            names = list(group)
            _check_attributes(group)
        except (OSError, RuntimeError, KeyError, ValueError, TypeError) as fault:
            raise damaged(file.filename, f"/{path}: {reason(fault)}") from None
        for name in names:
            below = f"{path}/{name}".lstrip("/")
            if below not in _PARTS:
                raise damaged(file.filename, f"/{below}: is no part of a checkpoint")
            try:
                thing = group[name]
                is_group = hasattr(thing, "keys")
                if not is_group:
                    _check_attributes(thing)
            except (OSError, RuntimeError, KeyError, ValueError, TypeError) as fault:
                raise damaged(file.filename, f"/{below}: {reason(fault)}") from None
            if is_group:
                visit(thing, below)
            else:
                found.append(below)

    visit(file, "")
    try:
        file.visit(lambda _name: None)  # uses the other index of the names, where a group has two
    except (OSError, RuntimeError) as fault:
        raise damaged(file.filename, f"the names of the groups: {reason(fault)}") from None
    return found


def _check_attributes(thing: "h5py.Group | h5py.Dataset") -> None:
    """Read all attributes; refuse those that the format does not have."""
    valid = {"/wavegrid": layout.attributes(version(thing.file)), "/": {CREATOR: "S"}}.get(thing.name, {})
    valid = {layout.CHECKSUM: "u8"} if hasattr(thing, "dtype") else valid
    for name in thing.attrs:
        if name not in valid:
            raise damaged(thing.file.filename, f"{thing.name}: the attribute {name} is no part of a checkpoint")
        attribute(thing, name, valid[name])


def _check_gvecs(file: "h5py.File", header: Header) -> int | None:
    """Check the G-vectors: order, sphere, half; return the place of G = 0 in a half sphere."""
    zero = None
    reciprocal = header.reciprocal()
    ends = np.cumsum(header.ngk)
    before = np.empty((0, 3), np.int64)  # the last G-vector of the block before, if it is of the same k-point
    for first, last, block in blocks.gvecs(file, header):
        k = int(np.searchsorted(ends, first, side="right"))
        where = f"/{layout.GVECS}: k-point {k + 1}, G-vectors {first} to {last - 1}"
        keys = np.concatenate([before, block[:, ::-1]])  # gz, gy, gx
        before = keys[:0] if last == ends[k] else keys[-1:]
        if np.any(_order(keys[1:], keys[:-1]) <= 0):
            raise damaged(file.filename, f"{where}: not in ascending order of gz, gy, gx")
        if header.half_sphere and np.any(_order(keys, np.zeros_like(keys)) < 0):
            raise damaged(file.filename, f"{where}: outside the half sphere")
        energies = 0.5 * np.sum(((block + header.kpoints[k]) @ reciprocal) ** 2, axis=1)
        if energies.max() > header.ecut * (1 + 1e-9) + 1e-12:
            raise damaged(file.filename, f"{where}: outside the cutoff")
        if header.half_sphere and first == 0 and not block[0].any():
            zero = 0
    if header.half_sphere and zero is None:
        raise damaged(file.filename, f"/{layout.GVECS}: a half sphere without G = 0")
    return zero


def _order(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return by row 1, 0 or -1: whether `one` comes after, is, or comes before `other`."""
    signs = np.sign(one - other)
    return signs[:, 0] * 4 + signs[:, 1] * 2 + signs[:, 2]


def _check_bands(
    file: "h5py.File", header: Header, zero: int | None, on_band: Callable[[int, int], None] | None
) -> float:
    """Check checksums and norms of all bands; return the largest deviation of a norm from 1.

    With an overlap S, which the file does not hold, norms may be any numbers above zero.
    """
    bound = _SINGLE_NORM if header.single_precision else _NORM
    worst, done = 0.0, 0
    starts = np.concatenate([[0], np.cumsum(header.ngk)])
    for n in range(header.bands):
        for spin in range(header.spins):
            norms = np.zeros(len(header.ngk))
            rows = range(spin * header.components, (spin + 1) * header.components)
            for first, values in chain.from_iterable(blocks.band(file, header, n, row) for row in rows):
                k = int(np.searchsorted(starts, first, side="right")) - 1
                norms[k] += np.vdot(values, values).real
                if zero is not None and first == 0:
                    at_zero = abs(values[zero]) ** 2
            if zero is not None:  # the half that is not there
                norms = 2 * norms - at_zero
            errors = np.abs(norms - 1)
            possible = np.isfinite(norms) & (norms > 0) if header.has_overlap() else errors <= bound
            if not possible.all():  # also where it is not a number
                k = int(np.argmin(possible))
                raise damaged(
                    file.filename,
                    f"/{layout.COEFFS}: band {n + 1}, spin {spin + 1}, k-point {k + 1}: its norm is {norms[k]:.12g}",
                )
            worst, done = max(worst, float(errors.max())), done + 1
            if on_band:
                on_band(done, header.bands * header.spins)
    return worst


def _check_density(file: "h5py.File", header: Header) -> float:
    """Check the fields; return the electrons that the density holds."""
    total = 0.0

    def check(_first: int, block: np.ndarray) -> None:
        if not np.isfinite(block).all():
            raise damaged(file.filename, "a field on the grid: holds a value that is not a finite number")

    def add(first: int, block: np.ndarray) -> None:
        nonlocal total
        check(first, block)
        total += float(block.sum())

    for component in range(header.num_fields):
        for name in layout.fields(version(file)):
            blocks.field(file, header, name, component, add if name == layout.DENSITY and component == 0 else check)
    electrons = total * header.volume() / float(np.prod(header.grid))
    if header.bands > 0 and not abs(electrons - header.electrons) <= _ELECTRONS * max(1.0, header.electrons):
        raise damaged(
            file.filename,
            f"/{layout.DENSITY}: holds {electrons:.9g} electrons, the occupations {header.electrons:.9g}",
        )
    return electrons


def _count_blocks(header: Header, num_fields: int) -> int:
    row = layout.num_blocks(header.ngk, header.block)
    component = layout.num_blocks([math.prod(header.grid)], header.block)
    rows = header.bands * header.spins * header.components
    return row * (1 + rows) + num_fields * header.num_fields * component
