"""Vectors between neighbouring k-points of a mesh whose weighted squares are complete, as Wannier90 chooses them.

sum_b w_b b_i b_j = delta_ij      N. Marzari, D. Vanderbilt, Phys. Rev. B 56, 12847 (1997), 10.1103/PhysRevB.56.12847
"""

import itertools

import numpy as np

from wavegrid.errors import InputError

_FARTHEST = 5  # steps of the mesh along each axis
_SAME = 1e-6  # 1/bohr, of two lengths
_COMPLETE = 1e-6


def neighbours(mesh: np.ndarray, reciprocal: np.ndarray) -> np.ndarray:
    """Return the vectors (n, 3) in steps of the mesh, shell by shell; `reciprocal`: vectors as rows, 1/bohr."""
    steps = np.array([n for n in itertools.product(range(-_FARTHEST, _FARTHEST + 1), repeat=3) if any(n)])
    vectors = (steps / mesh) @ reciprocal
    lengths = np.linalg.norm(vectors, axis=1)
    order = np.argsort(lengths, kind="stable")
    chosen: list[np.ndarray] = []
    while len(order):
        shell = order[: int(np.searchsorted(lengths[order], lengths[order[0]] + _SAME))]
        order = order[len(shell) :]
        if any(_parallel(vectors[shell], vectors[other]) for other in chosen):
            continue
        trial = [*chosen, shell]
        sums = np.array([(vectors[one].T @ vectors[one])[np.triu_indices(3)] for one in trial]).T
        if np.linalg.svd(sums, compute_uv=False).min() < _COMPLETE:
            continue
        chosen = trial
        weights, *_ = np.linalg.lstsq(sums, np.eye(3)[np.triu_indices(3)], rcond=None)
        if np.abs(sums @ weights - np.eye(3)[np.triu_indices(3)]).max() < _COMPLETE:
            return np.asarray(steps[np.concatenate(chosen)])
    raise InputError("no neighbours of the mesh of k-points are complete; valid: a mesh of about equal steps")


def _parallel(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether a vector of one shell is a multiple of one of another."""
    cosines = (one @ other.T) / np.outer(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1))
    return bool((np.abs(np.abs(cosines) - 1) < _COMPLETE).any())
