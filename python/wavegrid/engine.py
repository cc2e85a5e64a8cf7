"""Pieces of the engine for programs of one's own: on communicators of mpi4py, with arrays of numpy that are not copied.

- `Sphere`, `Partition`: plane waves up to a cutoff, and which rank has which; need no MPI
- `ExchangePlan`, `Exchange`: values move from the layout that owns them to another one
- `Halo`: ghost points of a mesh or of any graph
- `Boxes`: values between localised boxes and the grid of the cell
- `SphereFft`: between plane waves and the FFT grid
- `lowest_eigenpairs`, `Eigenpairs`: of an operator that is a function on arrays

All that moves data is collective: every rank of the communicator makes the same call. Arguments that must agree are
compared first, so that all ranks raise the same `BadInput` or none; a `TypeError` for an array of another type or order
is raised by its rank alone. An mpi4py for another MPI library is an `EnvironmentFault`. Delete plans and transforms on
all ranks, in the same order, before MPI_Finalize; at the end of a program nothing has to be done.
"""

from wavegrid.process import core_loader

core_loader.load()  # with its message where the core is missing

from wavegrid._core import (  # noqa: E402
    BadInput,
    Boxes,
    Eigenpairs,
    EnvironmentFault,
    Error,
    Exchange,
    ExchangePlan,
    Halo,
    Partition,
    Sphere,
    SphereFft,
    lowest_eigenpairs,
)

__all__ = [
    "BadInput",
    "Boxes",
    "Eigenpairs",
    "EnvironmentFault",
    "Error",
    "Exchange",
    "ExchangePlan",
    "Halo",
    "Partition",
    "Sphere",
    "SphereFft",
    "lowest_eigenpairs",
]
