"""Whether the numbers of a checkpoint can be those of a calculation: what checksums alone do not say."""

import json
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import berkeleygw, layout
from wavegrid.checkpoint.header import Header
from wavegrid.checkpoint.reader import damaged, read, version

if TYPE_CHECKING:
    import h5py

_OCCUPATION = -0.3, 1.3  # of a state: Methfessel-Paxton and cold smearing leave 0 to 1
_ORDER = 1e-6  # Ha; how far an eigenvalue may lie below the one before it
_LARGEST, _SYMMETRIC = 1e9, 1e-6  # elements of matrices; how far two may differ, relative to the larger one or to 1
_SAME = 1e-9  # of determinants and occupations


def check(file: "h5py.File", header: Header) -> None:
    """Refuse numbers that no calculation writes; raises InputError that names the dataset."""
    for name, (kind, _) in layout.datasets(version(file)).items():
        if kind == "f8" and name not in layout.CHECKSUMS and not np.isfinite(read(file, name)).all():
            raise _wrong(file, name, "holds a value that is not a finite number")
    _check_states(file, header)
    _check_symmetry(file)
    if header.has_overlap():
        _check_matrices(file, header)
    berkeleygw.check(file, header)
    for name in ("wavegrid/input", "wavegrid/versions"):
        try:
            is_table = isinstance(json.loads(read(file, name).item()), dict)
        except (ValueError, RecursionError):
            is_table = False
        if not is_table:
            raise _wrong(file, name, "is not a JSON object")


def _check_states(file: "h5py.File", header: Header) -> None:
    levels, occupations = read(file, "wavegrid/eigenvalues"), read(file, "wavegrid/occupations")
    if (np.diff(levels, axis=2) < -_ORDER).any():
        raise _wrong(file, "wavegrid/eigenvalues", "do not ascend within a k-point and spin")
    full = header.weights[:, None, None] * header.full()
    least, most = (bound * full for bound in _OCCUPATION)
    if ((occupations < least - _SAME) | (occupations > most + _SAME)).any():
        raise _wrong(file, "wavegrid/occupations", "are not between none and a full state")


def _check_symmetry(file: "h5py.File") -> None:
    rotations = read(file, "wavegrid/rotations").astype(float)
    if len(rotations) == 0 or not (np.abs(np.abs(np.linalg.det(rotations)) - 1) < _SAME).all():
        raise _wrong(file, "wavegrid/rotations", "holds a matrix that is no symmetry operation")


def _check_matrices(file: "h5py.File", header: Header) -> None:
    ends = np.cumsum([rows**2 for rows in header.matrix_sizes])
    for component in read(file, layout.MATRICES):
        if (np.abs(component) > _LARGEST).any():
            raise _wrong(file, layout.MATRICES, "holds an element that no calculation has")
        for rows, elements in zip(header.matrix_sizes, np.split(component, ends[:-1]), strict=True):
            matrix = elements.reshape(rows, rows)
            scale = np.maximum(1, np.maximum(np.abs(matrix), np.abs(matrix.T)))
            if (np.abs(matrix - matrix.T) > _SYMMETRIC * scale).any():
                raise _wrong(file, layout.MATRICES, "holds a matrix that is not symmetric")


def _wrong(file: "h5py.File", name: str, what: str) -> Exception:
    return damaged(file.filename, f"/{name}: {what}")
