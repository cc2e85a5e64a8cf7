"""The sizes that a checkpoint claims: compared with each other and with the basis before anything of that size is read.

A file may claim more than it holds, or consist of holes; a count that no basis has would fill the memory.
"""

from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import layout
from wavegrid.checkpoint.reader import damaged, find, is_kind, read, version

if TYPE_CHECKING:
    import h5py

_MOST_KPOINTS, _MOST_ATOMS = 1_000_000, 1_000_000
_ROTATIONS = 48
_MOST_TEXT = 64_000_000  # bytes of the input that a file keeps
_MOST_SYMBOL = 64  # bytes of the name of a species
_HIGHEST_CUTOFF, _LONGEST_VECTOR = 1e5, 1e7  # Ha, bohr


def check_claims(file: "h5py.File") -> None:
    """Refuse shapes that do not fit each other or the basis; reads the cell, the cutoff and the grid alone."""
    grid = [int(count) for count in read(file, "wavegrid/grid")]
    if min(grid) < 1:
        raise damaged(file.filename, "/wavegrid/grid: is not above zero")
    sizes = dict(zip("xyz", grid, strict=True)) | {"p": int(np.prod(np.array(grid, float)))}
    compare(file, sizes)
    most = _most_waves(file)
    waves = min(most, sizes["p"])
    for count, limit, what in (
        (sizes["k"], _MOST_KPOINTS, "k-points"),
        (sizes["a"], _MOST_ATOMS, "atoms"),
        (sizes["e"], sizes["a"], "species"),
        (sizes["n"], _ROTATIONS * sizes["a"], "symmetry operations"),
        (sizes["f"], 2, "Fermi levels"),
        (sizes["g"], waves * sizes["k"], "G-vectors"),
        (sizes["b"], 2 * sizes["g"] // max(1, sizes["k"]), "bands"),  # half of a sphere stands for the other half
        (sizes.get("m", 0), layout.MOST_ROWS**2 * sizes["a"], "elements of matrices"),
    ):
        if count > limit:
            raise damaged(file.filename, f"it claims {count} {what}; valid: up to {limit}")


def compare(file: "h5py.File", sizes: dict[str, int]) -> None:
    """Compare type and shape of every dataset with `sizes` by letter; letters that are not there get their size."""
    for name, (kind, letters) in layout.datasets(version(file)).items():
        dataset = find(file, name)
        if not is_kind(dataset.dtype, kind):
            raise damaged(file.filename, f"/{name}: is of type {dataset.dtype}, not {kind}")
        if len(dataset.shape) != len(letters):
            raise damaged(file.filename, f"/{name}: has {len(dataset.shape)} dimensions, not {len(letters)}")
        for letter, size in zip(letters, dataset.shape, strict=True):
            if isinstance(letter, str):
                sizes.setdefault(letter, size)
        wanted = tuple(letter if isinstance(letter, int) else sizes[letter] for letter in letters)
        if dataset.shape != wanted:
            raise damaged(file.filename, f"/{name}: has the shape {dataset.shape}, not {wanted}")
        most = _MOST_SYMBOL if letters else _MOST_TEXT
        if kind == "S" and dataset.dtype.itemsize > most:
            raise damaged(
                file.filename, f"/{name}: claims a text of {dataset.dtype.itemsize} bytes; valid: up to {most}"
            )


def _most_waves(file: "h5py.File") -> int:
    """Return a bound on the plane waves of a k-point: cells of the reciprocal lattice that touch the cutoff sphere."""
    cell, ecut = read(file, "wavegrid/cell"), float(read(file, "wavegrid/ecut"))
    volume = abs(np.linalg.det(cell)) if (np.abs(cell) <= _LONGEST_VECTOR).all() else 0.0
    for name, is_possible in (("cell", volume > 0), ("ecut", 0 < ecut <= _HIGHEST_CUTOFF)):
        if not is_possible:
            raise damaged(file.filename, f"/wavegrid/{name}: not possible in a calculation")
    reach = np.linalg.norm(2 * np.pi * np.linalg.inv(cell), axis=0).sum() / 2
    return int(volume * (np.sqrt(2 * ecut) + reach) ** 3 / (6 * np.pi**2)) + 1
