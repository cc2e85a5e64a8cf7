"""Localised functions, each on a box of grid points, and a grid that is distributed over the ranks.

mpirun -n 3 python boxes.py
"""

import numpy as np
from mpi4py import MPI

from wavegrid import engine

comm = MPI.COMM_WORLD
grid = (24, 20, 18)
# This rank's planes of fixed x; the point (x, y, z) has the number (x ny + y) nz + z.
points = np.array_split(np.arange(np.prod(grid)).reshape(grid), comm.size)[comm.rank]

begins, sizes = [(7 * comm.rank - 3, 5 * b, -2) for b in (0, 1)], [(8, 9, 10)] * 2  # the cell is periodic
boxes = engine.Boxes(comm, grid, points.ravel(), begins, sizes)  # once

# One electron in each box, constant within it.
values = np.full(boxes.size, 1 / 720)
density = np.zeros(points.size)
boxes.deposit(values, density)  # many times
boxes.extract(density, values)

electrons = comm.allreduce(density.sum())
if comm.rank == 0:
    print(f"boxes: {electrons:.6f} electrons on {comm.size} ranks")
