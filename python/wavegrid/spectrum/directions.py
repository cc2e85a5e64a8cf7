"""Kicks in several directions, of which rotations of the structure make one several."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wavegrid.files.propagation import Propagated

_INDEPENDENT = 0.05  # least singular value of a direction that counts, of the largest
AXES = 3


def kick_directions(runs: list[Propagated]) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Return the unit vectors of the kicks, and the rotations of the structure."""
    kicks = [k / np.linalg.norm(k) for k in (np.array(run.momentum) for run in runs)]
    return kicks, [np.array(one) for one in runs[0].rotations] or [np.eye(AXES)]


def spanned(runs: list[Propagated]) -> int:
    """Return how many independent directions the kicks have with all rotations."""
    kicks, rotations = kick_directions(runs)
    directions = np.array([r @ kick for kick in kicks for r in rotations])
    return int(np.linalg.matrix_rank(directions, tol=_INDEPENDENT * np.sqrt(len(directions))))


def trace_over_directions(
    runs: list[Propagated], changes: list[NDArray[Any]], *, axial: bool = False
) -> NDArray[Any] | None:
    """Return the trace of T with change = T kick, by least squares; None where the directions do not span space.

    `changes`: (3, energies) of each run, for a momentum of 1; `axial`: a magnetic moment, which det(R) R turns.
    """
    if spanned(runs) < AXES:
        return None
    kicks, rotations = kick_directions(runs)
    directions = np.array([r @ kick for kick in kicks for r in rotations])  # (all, 3)
    inverse = np.linalg.pinv(directions, rcond=_INDEPENDENT)  # (3, all)
    signs = [np.sign(np.linalg.det(r)) if axial else 1.0 for r in rotations]
    turned = np.array([s * (r @ one) for one in changes for s, r in zip(signs, rotations, strict=True)])
    return np.einsum("ia,aie->e", inverse, turned)
