"""A matrix that is distributed by rows is needed by columns: what Alltoallv does with packing, counts and offsets.

mpirun -n 3 python transpose.py
"""

import numpy as np
from mpi4py import MPI

from wavegrid import engine

comm = MPI.COMM_WORLD
rows, columns = 7, 5
my_rows = np.array_split(np.arange(rows), comm.size)[comm.rank]
my_columns = np.array_split(np.arange(columns), comm.size)[comm.rank]

# Element (i, j) has the number i * columns + j on all ranks. Each rank says which numbers it has, and which it needs,
# in the order of its arrays.
have = (my_rows[:, None] * columns + np.arange(columns)).ravel()
need = (np.arange(rows) * columns + my_columns[:, None]).ravel()  # column by column
plan = engine.ExchangePlan(comm, have, need)  # once

by_rows = 0.5 * have
by_columns = np.empty(need.size)
plan.forward(by_rows, by_columns)  # many times; plan.start and wait do it in two steps

wrong = comm.allreduce(int(np.sum(by_columns != 0.5 * need)))
if comm.rank == 0:
    print(f"transpose: {wrong} wrong values on {comm.size} ranks")
