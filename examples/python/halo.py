"""The halo exchange of a ring with chords whose vertices are distributed over the ranks in any way.

mpirun -n 3 python halo.py
"""

import numpy as np
from mpi4py import MPI

from wavegrid import engine

comm = MPI.COMM_WORLD
vertices = 101
own = np.arange(comm.rank, vertices, comm.size)
neighbours = (own[:, None] + [-10, -1, 1, 10]) % vertices  # (own vertices, 4)

ghosts = np.setdiff1d(neighbours, own)
halo = engine.Halo(comm, own, ghosts)  # once

# Own vertices, then ghosts, in one array; here two numbers for each.
x = np.zeros((halo.points, 2))
x[: own.size] = np.stack([own, np.ones(own.size)], axis=1)
halo.fill(x)  # many times; halo.add(x) is the adjoint: ghosts are added to their owners

place = np.empty(vertices, dtype=int)  # of a vertex in this array
place[np.concatenate([own, ghosts])] = np.arange(halo.points)
sums = x[place[neighbours]].sum(axis=1)
wrong = comm.allreduce(int(np.sum(sums != np.stack([neighbours.sum(axis=1), np.full(own.size, 4)], axis=1))))
if comm.rank == 0:
    print(f"halo: {wrong} wrong sums on {comm.size} ranks")
