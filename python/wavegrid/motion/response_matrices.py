"""U from the electrons of shells in shifted potentials.

M. Cococcioni, S. de Gironcoli, Phys. Rev. B 71, 035105 (2005), 10.1103/PhysRevB.71.035105.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

SHARES = (-1.0, -0.5, 0.5, 1.0)
"""of the largest shift: the shifts of a shell"""
_SIGNIFICANT = 1e-4  # of eigenvalues of occupation matrices: those of equivalent atoms differ by less


@dataclass(frozen=True)
class Response:
    """A matrix of derivatives, and the error of each element."""

    values: np.ndarray
    errors: np.ndarray
    asymmetry: float = 0.0


def slopes(shift: float, unshifted: np.ndarray, electrons: Mapping[float, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the derivatives of values by a shift, and their errors; `electrons` by the share of the largest shift.

    The first order of a polynomial of third order. Its error: the third order's part in the smaller difference, and the
    scatter by which the even part differs from a parabola.
    """
    half, whole = ((electrons[share] - electrons[-share]) / (2 * share * shift) for share in (0.5, 1.0))
    curved = [electrons[share] + electrons[-share] - 2 * unshifted for share in (0.5, 1.0)]
    scatter = np.abs(curved[1] - 4 * curved[0]) / np.sqrt(70) / shift  # the root of the sum of the squared weights
    found = (4 * half - whole) / 3
    return found, np.hypot(found - half, scatter)


def whole(columns: Mapping[int, tuple[np.ndarray, np.ndarray]], images: Sequence[Sequence[int]]) -> Response:
    """Return the matrix of all shells from the columns of some.

    `images`: of each operation, the shell onto which it puts each one.
    """
    size = len(next(iter(columns.values()))[0])
    sums, squares, counts = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    for image, (column, (values, errors)) in itertools.product(images, columns.items()):
        rows = list(image)
        sums[rows, image[column]] += values
        squares[rows, image[column]] += errors**2
        counts[rows, image[column]] += 1
    matrix = sums / counts
    largest = np.abs(matrix).max() or 1.0
    return Response(
        (matrix + matrix.T) / 2, np.sqrt(squares / counts), float(np.abs(matrix - matrix.T).max() / largest)
    )


def interaction(bare: Response, screened: Response) -> tuple[np.ndarray, np.ndarray]:
    """Return U of each shell and its error: the diagonal of the difference of the inverse matrices.

    Raises LinAlgError where one of them is singular.
    """
    inverses = [np.linalg.inv(one.values) for one in (bare, screened)]
    for inverse, one in zip(inverses, (bare, screened), strict=True):
        if not np.isfinite(inverse).all() or np.linalg.cond(one.values) > 1e8:
            raise np.linalg.LinAlgError("singular")
    squares = [
        np.einsum("ij,jk,ki->i", inverse**2, one.errors**2, inverse**2)
        for inverse, one in zip(inverses, (bare, screened), strict=True)
    ]
    return np.diag(inverses[0] - inverses[1]).copy(), np.sqrt(squares[0] + squares[1])


def equivalent(images: Sequence[Sequence[int]], occupations: Sequence[Sequence[Sequence[float]]]) -> list[list[int]]:
    """Return the operations under which the shells are what their images are.

    `occupations`: of each shell, the eigenvalues of each spin, which may be exchanged.
    """
    kinds = [np.array(sorted(map(list, one))) for one in occupations]
    return [
        list(image)
        for image in images
        if all(np.abs(kinds[i] - kinds[to]).max() < _SIGNIFICANT for i, to in enumerate(image))
    ]


def representatives(images: Sequence[Sequence[int]], size: int) -> list[int]:
    """Return one shell of each class of equivalent ones."""
    return sorted({min([image[shell] for image in images], default=shell) for shell in range(size)})
