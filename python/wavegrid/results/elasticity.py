"""Elastic constants from stresses of strained cells: their symmetry, least squares, stability and averages.

Voigt's order xx, yy, zz, yz, xz, xy throughout; shear strains are twice the components of the tensor. Constants are the
derivatives of the Cauchy stress by the strain, as M. Born and K. Huang define them where the cell without strain has
no stress.
"""

from dataclasses import dataclass

import numpy as np

VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
_PAIRS = [(i, j) for i in range(6) for j in range(i, 6)]  # the 21 independent constants
_ORDER = (0, 3, 2, 5, 1, 4)  # in which strains are tried: xx, yz, zz, xy, yy, xz
_ZERO = 1e-8  # singular values, relative


def strain_tensor(voigt: np.ndarray) -> np.ndarray:
    """Return the tensor (3, 3) of a strain in Voigt's order."""
    xx, yy, zz, yz, xz, xy = voigt
    return np.array([[xx, xy / 2, xz / 2], [xy / 2, yy, yz / 2], [xz / 2, yz / 2, zz]])


def symmetric_constants(rotations: list[np.ndarray]) -> np.ndarray:
    """Return matrices (n, 6, 6) that span the constants which all Cartesian rotations (3, 3) of a group keep.

    n is the number of independent constants: 3 of a cubic crystal, 21 of a triclinic one.
    """
    units = [_unit(i, j) for i, j in _PAIRS]
    mean = np.array([np.mean([_rotated(unit, one) for one in rotations], axis=0) for unit in units])
    # rows: the projections of the units on what the group keeps; an orthonormal basis of the space that they span
    _, values, rows = np.linalg.svd(mean.reshape(len(units), 36))
    found: np.ndarray = rows[: int((values > _ZERO * values[0]).sum())].reshape(-1, 6, 6)
    return found


def strains_needed(basis: np.ndarray) -> list[int]:
    """Return the fewest components of the strain, in Voigt's order, whose stresses determine all constants."""
    found: list[int] = []
    rank = 0
    for component in _ORDER:
        more = int(np.linalg.matrix_rank(_equations(basis, [*found, component]), tol=_ZERO))
        if more > rank:
            found, rank = [*found, component], more
    return found


@dataclass(frozen=True)
class Fit:
    """Elastic constants, in the unit of the stresses."""

    constants: np.ndarray  # (6, 6)
    scatter: float  # root mean square of what the constants leave of the slopes of the stresses


def fit(basis: np.ndarray, components: list[int], slopes: np.ndarray) -> Fit:
    """Return the constants of this symmetry nearest to the slopes (strains, 6) of the stress by `components`."""
    equations = _equations(basis, components)
    found, *_ = np.linalg.lstsq(equations, slopes.ravel(), rcond=None)
    left = equations @ found - slopes.ravel()
    return Fit(np.einsum("n,nij->ij", found, basis), float(np.sqrt((left**2).mean())))


def stability(constants: np.ndarray) -> np.ndarray:
    """Return the eigenvalues of the constants, ascending: a crystal without stress is stable where all are positive.

    This is Born's criterion for any symmetry (F. Mouhat, F.-X. Coudert, 10.1103/PhysRevB.90.224104).
    """
    found: np.ndarray = np.linalg.eigvalsh(constants)
    return found


@dataclass(frozen=True)
class Averages:
    """Moduli of a polycrystal: bounds of Voigt and Reuss, and their mean, that of Hill (10.1088/0370-1298/65/5/307)."""

    bulk: tuple[float, float, float]  # Voigt, Reuss, Hill
    shear: tuple[float, float, float]

    @property
    def young(self) -> float:
        """Young's modulus, of Hill's means."""
        bulk, shear = self.bulk[2], self.shear[2]
        return 9 * bulk * shear / (3 * bulk + shear)

    @property
    def poisson(self) -> float:
        """Poisson's ratio, of Hill's means."""
        bulk, shear = self.bulk[2], self.shear[2]
        return (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear))


def averages(constants: np.ndarray) -> Averages:
    """Return the moduli of a polycrystal of a stable crystal."""
    c, s = constants, np.linalg.inv(constants)
    normal, across, shear = c[:3, :3].trace(), c[0, 1] + c[1, 2] + c[0, 2], c[3:, 3:].trace()
    bulk_voigt, shear_voigt = (normal + 2 * across) / 9, (normal - across + 3 * shear) / 15
    normal, across, shear = s[:3, :3].trace(), s[0, 1] + s[1, 2] + s[0, 2], s[3:, 3:].trace()
    bulk_reuss, shear_reuss = 1 / (normal + 2 * across), 15 / (4 * normal - 4 * across + 3 * shear)
    return Averages(_bounds(bulk_voigt, bulk_reuss), _bounds(shear_voigt, shear_reuss))


def young_along(constants: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return Young's modulus along unit vectors (n, 3): 1 / (n_i n_j S_ijkl n_k n_l)."""
    strains = np.array([[one[i] * one[j] for i, j in VOIGT] for one in directions])
    found: np.ndarray = 1 / np.einsum("ni,ij,nj->n", strains, np.linalg.inv(constants), strains)
    return found


def _bounds(voigt: float, reuss: float) -> tuple[float, float, float]:
    return float(voigt), float(reuss), float(voigt + reuss) / 2


def _equations(basis: np.ndarray, components: list[int]) -> np.ndarray:
    """Return the matrix that takes the coefficients of the basis to the stresses by unit strains."""
    found: np.ndarray = basis[:, :, components].transpose(2, 1, 0).reshape(-1, len(basis))
    return found


def _unit(i: int, j: int) -> np.ndarray:
    found = np.zeros((6, 6))
    found[i, j] = found[j, i] = 1.0
    return found


def _rotated(constants: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Return constants in a rotated crystal."""
    whole = np.empty((3, 3, 3, 3))
    for i, (a, b) in enumerate(VOIGT):
        for j, (c, d) in enumerate(VOIGT):
            for p, q in ((a, b), (b, a)):
                whole[p, q, c, d] = whole[p, q, d, c] = constants[i, j]
    r = rotation
    turned = np.einsum("ai,bj,ck,dl,ijkl->abcd", r, r, r, r, whole, optimize=True)
    return np.array([[turned[*VOIGT[i], *VOIGT[j]] for j in range(6)] for i in range(6)])
