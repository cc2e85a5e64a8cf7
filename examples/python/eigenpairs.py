"""The lowest eigenpairs of a program's own operator: a particle on a ring, -1/2 d2/dx2 by differences of second order.

mpirun -n 3 python eigenpairs.py
"""

import numpy as np
from mpi4py import MPI

from wavegrid import engine

comm = MPI.COMM_WORLD
points = 201
h = 2 * np.pi / points
mine = np.array_split(np.arange(points), comm.size)[comm.rank]
halo = engine.Halo(comm, mine, np.array([mine[0] - 1, mine[-1] + 1]) % points)


def apply(x: np.ndarray) -> np.ndarray:
    """Apply H to vectors (vectors, points of this rank)."""
    line = np.zeros((halo.points, len(x)))  # the vectors side by side; own points, then the ghosts
    line[:-2] = x.T
    halo.fill(line)
    line = np.concatenate([line[-2:-1], line[:-2], line[-1:]])  # the point before, own points, the point after
    return ((line[1:-1] - 0.5 * (line[:-2] + line[2:])) / h**2).T


found = engine.lowest_eigenpairs(comm, apply, rows=mine.size, count=4, weight=h)
if comm.rank == 0:
    print(np.round(np.abs(found.values), 6), f"{found.applications} applications of H")
assert found.converged
assert np.allclose(found.values, [0, 0.5, 0.5, 2], atol=1e-3)
