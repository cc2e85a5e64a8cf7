"""Checks of wavegrid.engine that test_engine.py runs under mpirun; prints the number of ranks at the end."""

import sys
import types

import numpy as np
from mpi4py import MPI

from wavegrid import engine

comm = MPI.COMM_WORLD
CELL = [[10, 0, 0], [0, 9, 1], [0, -1, 11]]


def raises(kind: type[Exception], words: str, call, *arguments) -> None:
    try:
        call(*arguments)
    except kind as fault:
        assert words in str(fault), str(fault)
    else:
        raise AssertionError(f"no {kind.__name__} with '{words}'")


def check_plan() -> None:
    """From slabs of a mesh to pencils and back; every value encodes band and index."""
    nx, ny, nz, bands = 7, 8, 9, 2
    index = np.arange(nx * ny * nz).reshape(nx, ny, nz)
    first, last = (nx * (comm.rank + more) // comm.size for more in (0, 1))
    slabs = index[first:last].ravel()
    pencils = index.reshape(nx, -1)[:, comm.rank :: comm.size].T.ravel()
    for transport in ("alltoallv", "pairwise"):
        plan = engine.ExchangePlan(comm, slabs, pencils, transport=transport)
        assert plan.transport == transport
        for kind in (np.float64, np.complex64, np.int64):
            source = (1000 * np.arange(bands)[:, None] + slabs).astype(kind)
            target = np.full((bands, pencils.size), -1, kind)
            exchange = plan.start("forward", source, target)
            exchange.test()
            exchange.wait()
            exchange.wait()  # does nothing
            assert (target == (1000 * np.arange(bands)[:, None] + pencils).astype(kind)).all()
            back = np.zeros_like(source)
            plan.backward(target, back)
            assert (back == source).all()
            plan.adjoint(target, back)
            assert (back == 2 * source).all()
    one = np.zeros(slabs.size)
    plan.forward(one, np.zeros(pencils.size))  # one band without its dimension
    raises(TypeError, "is an array of float16; valid: C-contiguous float64", plan.forward, np.zeros(3, "f2"), one)
    raises(TypeError, "target is an array of float32; valid: C-contiguous float64", plan.forward, one, one.astype("f4"))
    raises(TypeError, "not C-contiguous", plan.forward, np.zeros((slabs.size, 2)).T, np.zeros((2, pencils.size)))
    raises(TypeError, "source has 2 bands, target 1", plan.forward, np.zeros((2, slabs.size)), one)
    raises(engine.BadInput, "target", plan.forward, one, np.zeros(max(0, pencils.size - 1)))  # on all ranks alike
    raises(engine.BadInput, "transport", plan.use, "pigeon")
    raises(engine.BadInput, "'alltoallv_blocking'; valid: alltoallv, ", plan.use, "alltoallv_blocking")
    raises(TypeError, "source is an array of int32; valid: C-contiguous int64", engine.ExchangePlan, comm,
           slabs.astype("i4"), pencils)  # fmt: skip
    del plan


def check_fft(*, gamma: bool, precision: str) -> None:
    """A round trip, Parseval's theorem, a constant potential, and the density."""
    real, kind, small = {"double": ("f8", "c16", 1e-13), "single": ("f4", "c8", 1e-5)}[precision]
    sphere = engine.Sphere(CELL, 6.0, gamma=gamma, k=(0, 0, 0) if gamma else (0.25, 0, -0.125))
    partition = engine.Partition(sphere, comm.size)
    fft = engine.SphereFft(comm, partition, precision=precision)
    n, bands = fft.size, 3
    assert n == partition.size(comm.rank) == len(partition.g(comm.rank))
    assert comm.allreduce(n) == sphere.size
    kinetic = partition.kinetic(comm.rank)
    factors = np.arange(1, bands + 1)[:, None] * (1 if gamma else 1j)
    psi = (factors / (1 + kinetic)).astype(kind)
    values = np.empty((bands, *fft.grid_shape), real if gamma else kind)
    fft.to_real(psi, values)
    back = np.empty_like(psi)
    fft.to_recip(values, back)
    assert np.abs(back - psi).max(initial=0) < small
    count = np.where((partition.g(comm.rank) == 0).all(axis=1), 1, 2 if gamma else 1)
    norm = comm.allreduce(np.sum(count * np.abs(psi.astype("c16")) ** 2, axis=1))
    mean = comm.allreduce(np.sum(np.abs(values.astype("c16")) ** 2, axis=(1, 2, 3))) / np.prod(sphere.grid)
    assert np.abs(mean / norm - 1).max() < 10 * small
    fft.apply_local(psi, np.full(fft.grid_shape, 2.5, real), psi)  # in place
    assert np.abs(psi - 2.5 * back).max(initial=0) < 30 * small
    density = np.zeros(fft.grid_shape)
    fft.accumulate_density(back, np.full(bands, 2.0), density)
    assert abs(comm.allreduce(density.sum()) / np.prod(sphere.grid) / (2 * norm.sum()) - 1) < 10 * small
    raises(TypeError, "psi is an array of", fft.to_real, psi.real.copy(), values)
    raises(engine.BadInput, "values", fft.to_real, psi, values[:2])
    read_only = psi.copy()
    read_only.flags.writeable = False
    fft.to_real(read_only, values)
    raises(TypeError, "incompatible", fft.to_recip, values, read_only)


def check_communicators() -> None:
    """Parts of the ranks, wrong objects, and an mpi4py for another MPI library."""
    sphere = engine.Sphere(CELL, 4.0)
    half = comm.Split(comm.rank % 2)
    engine.SphereFft(half, engine.Partition(sphere, half.size))
    raises(engine.BadInput, "parts", engine.SphereFft, comm, engine.Partition(sphere, comm.size + 1))
    raises(TypeError, "comm is a str; valid: a communicator of mpi4py", engine.SphereFft, "world",
           engine.Partition(sphere, 1))  # fmt: skip
    real = sys.modules["mpi4py.MPI"]
    other = types.SimpleNamespace(
        Comm=MPI.Comm, Get_library_version=lambda: "MPICH Version:\t9.0\n", Is_initialized=lambda: True,
        Is_finalized=lambda: False,
    )  # fmt: skip
    sys.modules["mpi4py.MPI"] = other  # type: ignore[assignment]
    raises(engine.EnvironmentFault, "mpi4py uses the MPI library 'MPICH", engine.SphereFft, comm,
           engine.Partition(sphere, comm.size))  # fmt: skip
    sys.modules["mpi4py.MPI"] = real


check_plan()
for by_gamma in (False, True):
    for by_precision in ("double", "single"):
        check_fft(gamma=by_gamma, precision=by_precision)
check_communicators()
if comm.rank == 0:
    print(f"checked on {comm.size} ranks")
