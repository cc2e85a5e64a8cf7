"""Halos, boxes, G-vectors, tuples and operators of a program with wavegrid.engine; test_engine.py runs it by mpirun."""

from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

from wavegrid import engine

comm = MPI.COMM_WORLD


def raises(error: type[Exception], part: str, call: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Expect an error whose message contains `part`."""
    try:
        call(*args, **options)
    except error as raised:
        assert part in str(raised), str(raised)
        return
    raise AssertionError(f"no error; expected: {part}")


def my_rows(n: int) -> slice:
    """Return this rank's rows of n; the last of several ranks has none."""
    filled = max(comm.size - 1, 1)
    first, last = (min(rank * n // filled, n) for rank in (comm.rank, comm.rank + 1))
    return slice(first, last)


def check_eigenpairs(dtype: type) -> None:
    """Lowest eigenpairs of H x = e S x against numpy, with rows on all ranks but the last."""
    n, rng = 97, np.random.default_rng(3)
    h, s = (
        0.02 * (a + a.conj().T)
        for a in rng.normal(size=(2, n, n)) + (1j if dtype is complex else 0) * rng.normal(size=(2, n, n))
    )
    h, s = h + np.diag(0.1 * np.arange(n)), 0.05 * s + np.eye(n)
    mine = my_rows(n)
    rows = mine.stop - mine.start

    def times(matrix: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        return lambda x: np.concatenate(comm.allgather(x), axis=1) @ matrix.T[:, mine]

    found = engine.lowest_eigenpairs(comm, times(h), rows, 5, dtype=dtype)
    exact = np.linalg.eigvalsh(h)[:5]
    assert found.converged
    assert np.abs(found.values - exact).max() <= found.error + 1e-11
    whole = np.concatenate(comm.allgather(found.vectors), axis=1)
    assert np.allclose(whole.conj() @ whole.T, np.eye(5), atol=1e-10)
    assert np.abs(whole @ h.T - found.values[:, None] * whole).max() < 1e-4
    again = engine.lowest_eigenpairs(
        comm, times(h), rows, 5, dtype=dtype, start=found.vectors, diagonal=np.diag(h).real[mine]
    )
    assert again.converged
    assert again.applications < found.applications
    general = engine.lowest_eigenpairs(comm, times(h), rows, 5, dtype=dtype, overlap=times(s), solver="lobpcg")
    root = np.linalg.inv(np.linalg.cholesky(s))
    assert np.allclose(general.values, np.linalg.eigvalsh(root @ h @ root.conj().T)[:5], atol=1e-8)
    stopped = engine.lowest_eigenpairs(comm, times(h), rows, 5, dtype=dtype, max_rounds=1)
    assert not stopped.converged


def check_failing_operators() -> None:
    """An exception of one rank ends the call on all ranks, and is raised as it is on its own."""
    last = comm.rank == comm.size - 1

    def fails(x: np.ndarray) -> np.ndarray:
        if last:
            raise KeyError("no potential")
        return x

    rows = 20 if comm.rank == 0 else 7
    message = f"failed with status 1 on rank {comm.size - 1}"
    raises(
        KeyError if last else engine.BadInput,
        "no potential" if last else message,
        engine.lowest_eigenpairs,
        comm,
        fails,
        rows,
        3,
    )
    raises(TypeError, "valid: that of its argument", engine.lowest_eigenpairs, comm, lambda x: x[:, :-1], rows, 3)
    raises(TypeError, "complex128", engine.lowest_eigenpairs, comm, lambda x: 1j * x, rows, 3)
    raises(TypeError, "dtype is float32", engine.lowest_eigenpairs, comm, fails, rows, 3, dtype="float32")
    raises(engine.BadInput, "unknown eigensolver", engine.lowest_eigenpairs, comm, fails, rows, 3, solver="qr")


def check_halo() -> None:
    """A ring whose points are distributed one by one: ghosts, and their adjoint, with three numbers per point."""
    own = np.arange(comm.rank, 23, comm.size)
    ghosts = np.array([(own[-1] + 1) % 23, (own[0] - 1) % 23])
    halo = engine.Halo(comm, own, ghosts)
    values = np.zeros((halo.points, 3))
    values[: own.size] = own[:, None] + 0.1 * np.arange(3)
    halo.fill(values)
    assert np.array_equal(values[own.size :], ghosts[:, None] + 0.1 * np.arange(3))
    values[:] = 1
    halo.add(values)
    assert comm.allreduce(values[: own.size].sum()) == 3 * (23 + 2 * comm.size)
    raises(TypeError, "own points and ghosts", halo.fill, np.zeros(halo.points + 1))
    raises(engine.BadInput, "23", engine.Halo, comm, own, np.array([23]))


def check_tuples() -> None:
    """Vectors of two components move together."""
    mine = np.arange(comm.rank, 17, comm.size)
    plan = engine.ExchangePlan(comm, mine, mine[::-1].copy())
    source = np.stack([mine + 0.0, mine + 0.5], axis=1)
    target = np.zeros_like(source)
    plan.forward(source, target, width=2)
    assert np.array_equal(target, source[::-1])
    raises(TypeError, "(bands, elements, 2)", plan.forward, source.ravel(), target.ravel(), width=2)


def check_boxes() -> None:
    """Boxes that leave the cell, on a grid whose points are distributed one by one."""
    grid, begin, size = (7, 8, 9), (-2, 3, 4), (4, 5, 6)
    points = np.arange(comm.rank, 7 * 8 * 9, comm.size)
    boxes = engine.Boxes(comm, grid, points, [begin], [size], [comm.rank], deterministic=True)
    x, y, z = (np.arange(b, b + s) % n for b, s, n in zip(begin, size, grid, strict=True))
    values = np.zeros((2, boxes.size))
    boxes.extract(np.stack([points, 2 * points]).astype(float), values.ravel())
    expected = (x[:, None, None] * 8 + y[:, None]) * 9 + z
    assert np.array_equal(values.reshape(2, *size), np.stack([expected, 2 * expected]))
    sums = np.zeros(points.size)
    boxes.deposit(np.ones(boxes.size), sums)
    assert comm.allreduce(sums.sum()) == comm.size * boxes.size
    raises(engine.BadInput, "values has", boxes.extract, sums, np.zeros(3))
    raises(engine.BadInput, "box", engine.Boxes, comm, grid, points, [begin], [(8, 1, 1)])


def check_g_vectors(gamma: bool, flipped: bool) -> None:
    """Lists in random order, split over ranks without regard to sticks, against a whole transform by numpy."""
    sphere = engine.Sphere(np.diag([10.0, 9.0, 11.0]), 4.0, gamma=gamma)
    partition = engine.Partition(sphere, 1)
    g = np.random.default_rng(1).permutation(partition.g(0))[comm.rank :: comm.size].astype(np.int32)
    psi = (g @ [1.0, 0.3, -2.1] + 1j * (g @ [0.2, 1.7, 0.4])) / (1 + (g**2).sum(axis=1))
    if flipped:
        g[::2] *= -1
        psi[::2] = psi[::2].conj()
    fft = engine.SphereFft.from_g(comm, sphere.grid, np.ascontiguousarray(g), gamma=gamma)
    whole = np.zeros(sphere.grid, dtype=complex)
    for its, values in zip(comm.allgather(g), comm.allgather(psi), strict=True):
        whole[tuple(its.T)] = values
        if gamma:
            whole[tuple(-its.T)] = values.conj()
    (x, y, _), (nx, ny, _) = fft.grid_start, fft.grid_shape
    expected = (np.fft.ifftn(whole) * whole.size)[x : x + nx, y : y + ny]
    found = np.zeros((1, *fft.grid_shape), dtype=float if gamma else complex)
    fft.to_real(psi[None], found)
    assert np.abs(found[0] - expected).max(initial=0) < 1e-11
    back = np.zeros_like(psi)
    fft.to_recip(found, back[None])
    assert np.abs(back - psi).max(initial=0) < 1e-12
    raises(engine.BadInput, "outside", engine.SphereFft.from_g, comm, sphere.grid, np.full((1, 3), 99, dtype=np.int32))
    raises(engine.BadInput, "G-vectors", engine.SphereFft.from_g, comm, sphere.grid, np.zeros((2, 3), dtype=np.int32))


def check_stick_map() -> None:
    """Sticks given to ranks as the program likes."""
    sphere = engine.Sphere(np.diag([6.0, 7.0, 8.0]), 3.0)
    g = engine.Partition(sphere, 1).g(0)
    owners = np.full(sphere.grid[:0:-1], -1, dtype=np.int32)
    owners[g[:, 2], g[:, 1]] = (g[:, 1] + g[:, 2]) % comm.size
    partition = engine.Partition.from_sticks(sphere, comm.size, owners)
    mine = partition.g(comm.rank)
    assert ((mine[:, 1] + mine[:, 2]) % comm.size == comm.rank).all()
    fft = engine.SphereFft(comm, partition)
    psi, back = np.ones((1, fft.size), dtype=complex), np.zeros((1, fft.size), dtype=complex)
    values = np.zeros((1, *fft.grid_shape), dtype=complex)
    fft.to_real(psi, values)
    fft.to_recip(values, back)
    assert np.abs(back - psi).max(initial=0) < 1e-12
    raises(engine.BadInput, "owners has", engine.Partition.from_sticks, sphere, comm.size, owners[:1].copy())


for by_dtype in (float, complex):
    check_eigenpairs(by_dtype)
check_failing_operators()
check_halo()
check_tuples()
check_boxes()
for by_gamma, by_flipped in ((False, False), (True, False), (True, True)):
    check_g_vectors(by_gamma, by_flipped)
check_stick_map()
if comm.rank == 0:
    print(f"checked on {comm.size} ranks")
