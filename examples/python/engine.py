"""Plane waves divided over ranks: a local potential applied to wave functions, and their transposition by bands.

mpirun -n 3 python engine.py
"""

import numpy as np
from mpi4py import MPI

from wavegrid import engine

comm = MPI.COMM_WORLD

# A cell of 10 bohr, plane waves up to 6 Ha, at Gamma: real wave functions, one half of the sphere.
sphere = engine.Sphere(cell=np.diag([10.0, 10.0, 10.0]), ecut=6.0, gamma=True)
partition = engine.Partition(sphere, parts=comm.size)
fft = engine.SphereFft(comm, partition)
if comm.rank == 0:
    print(f"{sphere.size} plane waves on {comm.size} ranks, {partition.scheme}: {partition.reason}")

# Four Gaussians of different widths, c(G) = exp(-a |G|^2 / 2), normalised: real and even functions.
kinetic = partition.kinetic(comm.rank)
bands = 4
psi = np.array([np.exp(-width * kinetic) for width in np.arange(1, bands + 1)], dtype=complex)
count = np.where((partition.g(comm.rank) == 0).all(axis=1), 1, 2)  # every G but 0 stands for -G too
psi /= np.sqrt(comm.allreduce(np.sum(count * np.abs(psi) ** 2, axis=1)))[:, None]

# V(r) = cos(2 pi x / 10): on this rank's block of the grid (my x, my y, nz).
x = fft.grid_start[0] + np.arange(fft.grid_shape[0])
potential = np.ascontiguousarray(np.broadcast_to(np.cos(2 * np.pi * x / sphere.grid[0])[:, None, None], fft.grid_shape))
v_psi = np.empty_like(psi)
fft.apply_local(psi, potential, v_psi)  # into an array that is there: nothing is copied or allocated
expectation = comm.allreduce(np.sum(count * (psi.conj() * v_psi).real, axis=1))

# The density on the grid: its mean is the number of electrons.
density = np.zeros(fft.grid_shape)
fft.accumulate_density(psi, np.full(bands, 2.0), density)
electrons = comm.allreduce(density.sum()) / np.prod(sphere.grid)

# Whole bands on each rank: from layout (my G of all bands) to (all G of my bands), a plan between two layouts.
start = comm.exscan(fft.size) or 0
of_band = np.arange(start, start + fft.size)
mine = np.arange(bands)[comm.rank :: comm.size]
source = (np.arange(bands)[:, None] * sphere.size + of_band).ravel()
target = (mine[:, None] * sphere.size + np.arange(sphere.size)).ravel()
plan = engine.ExchangePlan(comm, source, target)
whole = np.empty((1, target.size), dtype=complex)
moving = plan.start("forward", psi.reshape(1, -1), whole)
moving.wait()  # between start and wait: work on other arrays
back = np.empty_like(psi)
plan.backward(whole, back.reshape(1, -1))

error = comm.allreduce(np.abs(back - psi).max(initial=0.0), op=MPI.MAX)
if comm.rank == 0:
    print(f"<V> {expectation[0]:.6f} Ha, {electrons:.6f} electrons, difference after both ways {error:.1e}")
