"""The table [anisotropy]."""

from typing import Annotated, Literal

from pydantic import Field

from wavegrid.input.fields import Kind, Mesh, Section, Triple, key


class Anisotropy(Section):
    """The energy as all magnetic moments turn together, with spin-orbit coupling."""

    directions: Annotated[
        list[Triple], Field(min_length=2, max_length=100), Kind("list of vectors", "a list of two or more vectors")
    ] = key(
        [[0, 0, 1], [1, 0, 0]],
        "Cartesian directions to which the first initial moment turns, all others with it; energies are relative to "
        "that of the first one",
        examples=[[[0, 0, 1], [1, 0, 0], [1, 1, 0]]],
    )
    method: Literal["force-theorem", "full", "both"] = key(
        "both",
        "energies in the density without spin-orbit coupling, turned, to first order (the force theorem); or of "
        "self-consistent densities for each direction",
    )
    meshes: (
        Annotated[
            list[Mesh], Field(min_length=1, max_length=100), Kind("list of meshes", "a list of meshes of three counts")
        ]
        | None
    ) = key(
        None,
        "meshes of k-points for the force theorem, which show what it has converged to",
        omitted="that of the density",
        examples=[[[8, 8, 8], [12, 12, 12]]],
    )
