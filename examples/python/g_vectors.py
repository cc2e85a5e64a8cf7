"""The FFT on a program's own list of G-vectors, in its own order and distribution.

mpirun -n 3 python g_vectors.py
"""

import numpy as np
from mpi4py import MPI

from wavegrid import engine

comm = MPI.COMM_WORLD
grid = (20, 18, 24)

# This program keeps G-vectors by rising length and gives every size-th one to each rank.
axes = [np.arange(-(n // 4), n // 4 + 1) for n in grid]
g = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
g = g[np.argsort((g**2).sum(axis=1), kind="stable")][comm.rank :: comm.size]

fft = engine.SphereFft.from_g(comm, grid, g.astype(np.int32))  # once; gamma=True for real functions

psi = np.exp(-0.1 * (g**2).sum(axis=1)).astype(complex)[None]  # (bands, plane waves of this rank)
values = np.empty((1, *fft.grid_shape), dtype=complex)  # this rank's block of the grid
fft.to_real(psi, values)  # sum over G of psi(G) exp(iG.r)
back = np.empty_like(psi)
fft.to_recip(values, back)  # with 1/N

error = comm.allreduce(np.abs(back - psi).max(initial=0.0), op=MPI.MAX)
if comm.rank == 0:
    print(f"g_vectors: largest error {error:.1e} on {comm.size} ranks")
assert error < 1e-12
