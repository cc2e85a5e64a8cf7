"""The table [basis]."""

from typing import Annotated, Literal

from pydantic import Field

from wavegrid.input.fields import (
    Boundary,
    Flag,
    Grid,
    Kind,
    Section,
    energy,
    even,
    for_each_vector,
    key,
    measure,
    number,
    whole,
)
from wavegrid.model.names import AugmentationName, DensityKernelName, OrbitalSetName, ProjectorsName, RegionName
from wavegrid.units import LENGTH_UNITS

Length = Annotated[float, measure("length", LENGTH_UNITS, 1, 1000)]  # of a region


class Region(Section):
    """Where a mesh in real space has points."""

    kind: RegionName = key(
        "cell",
        "the whole cell; or with a free boundary spheres around all atoms, which follow them, or a cylinder or box "
        "around the middle of the atoms, which stays",
        examples=["spheres"],
    )
    radius: Length | None = key(
        None,
        "radius of the spheres or of the cylinder",
        omitted='required with `kind = "spheres"` and "cylinder"',
        examples=["8 bohr"],
    )
    axis: Annotated[int, whole(3)] | None = key(
        None, "lattice vector along which the cylinder lies", omitted='required with `kind = "cylinder"`'
    )
    length: Length | None = key(
        None, "length of the cylinder", omitted='required with `kind = "cylinder"`', examples=["40 bohr"]
    )
    lengths: (
        Annotated[
            list[Length], Field(min_length=3, max_length=3), Kind("three lengths", "three lengths with their units")
        ]
        | None
    ) = key(
        None,
        "edges of the box along the lattice vectors",
        omitted='required with `kind = "box"`',
        examples=[["12 bohr", "12 bohr", "20 bohr"]],
    )


class LocalOrbitals(Section):
    """The local orbitals of each atom."""

    functions: OrbitalSetName = key(
        "double-zeta-polarised",
        "one radial function for each occupied level of the free atom, two, or two and one of the next angular "
        "momentum for each atom",
    )
    radius: Annotated[float, measure("length", LENGTH_UNITS, 1, 30)] = key(
        "7 bohr", "of the confinement of the atom, 0.1 Ha (r/radius)^8; of polarisation functions 0.4 of it"
    )
    box_radius: Annotated[float, measure("length", LENGTH_UNITS, 1, 100)] | None = key(
        None,
        "half the edge of the box of an atom, beyond which its functions are cut off; with `optimise` the radius of a "
        "sphere, in which functions have all waves of the grid",
        omitted="as far as functions have more than 1e-8 of their norm; with `optimise` the cell",
    )
    optimise: Flag = key(False, "optimise the functions: without `box_radius` energies are those of plane waves")
    kernel: DensityKernelName = key(
        "diagonalise", "the density matrix: from the states, or with a gap by purification of block-sparse matrices"
    )
    kernel_cutoff: Annotated[float, number(0, 0.01)] = key(
        1e-7, "of purification: norm below which blocks of two atoms are left out; the result states the error"
    )


class Basis(Section):
    """Plane waves and FFT grid, or a mesh in real space."""

    method: Literal["planewaves", "realspace", "local-orbitals"] = key(
        "planewaves",
        "plane waves, with `ecut`; finite differences on a mesh, with `spacing` (realspace.md); or local orbitals of "
        "the atoms, which are sums of the plane waves of `ecut`",
    )
    orbitals: LocalOrbitals = key(
        LocalOrbitals,
        "of local orbitals: which functions each atom has",
        omitted="two functions for each level, and polarisation",
        examples=[{"functions": "minimal", "radius": "6 bohr"}],
    )
    ecut: Annotated[float, energy(0.01, 10_000)] | None = key(
        None,
        "kinetic-energy cutoff: plane waves with (k+G)^2/2 up to it",
        omitted="required with plane waves",
        examples=["240 eV"],
    )
    grid: Grid | None = key(
        None,
        "FFT grid; with symmetry the default is invariant under every symmetry operation; a given grid is taken as it "
        "is, and operations that do not map it onto itself are left out",
        omitted="at least 4 gmax + 1 points, gmax being the largest index of a plane wave",
        examples=[[48, 48, 48]],
    )
    density_ecut: Annotated[float, energy(0.01, 100_000)] | None = key(
        None,
        "of plane waves: cutoff of the density, which then has a sphere and an FFT grid of its own; at least `ecut`, "
        "below 4 `ecut` products of wave functions are cut off; `grid` is that of the wave functions",
        omitted="what ultrasoft and PAW datasets need; with others the density has the FFT grid of the wave functions",
        examples=["100 Ha"],
    )
    density_grid: Grid | None = key(
        None,
        "with `density_ecut`: FFT grid of the density, along no vector coarser than `grid`; with symmetry as `grid`",
        omitted="the smallest that holds the sphere of `density_ecut`",
        examples=[[72, 72, 72]],
    )
    projectors: Literal["auto", ProjectorsName] = key(
        "reciprocal",
        "of plane waves: where the nonlocal part of the pseudopotentials is applied, on the plane waves or on the "
        'points of the FFT grid near each atom; "auto": where it takes less time, by an estimate from the size',
    )
    projector_accuracy: Annotated[float, energy(1e-9, 1)] = key(
        "1e-5 Ha",
        'with `projectors = "real"`: error that the filtered projectors may cause, of the energy (Ha per atom) and of '
        "forces (Ha/bohr), and 0.01 of it of the stress (Ha/bohr^3); decides the radius of the spheres",
        examples=["1e-7 Ha"],
    )
    augmentation: Literal["auto", AugmentationName] = key(
        "reciprocal",
        "of ultrasoft and PAW datasets: their charge in reciprocal space or in boxes around the atoms; "
        '"auto": boxes where they take less time and change the energy by less than 1e-6 Ha per atom, as measured',
    )
    spacing: Annotated[list[float], for_each_vector(measure("length", LENGTH_UNITS, 0.05, 2))] | None = key(
        None,
        "of a mesh: distance of neighbouring points along each lattice vector, at most; one for all, or one for each; "
        "whole numbers of them fill the cell",
        omitted="required on a mesh",
        examples=["0.35 bohr", ["0.35 bohr", "0.35 bohr", "0.3 bohr"]],
    )
    order: Annotated[int, even(12)] = key(12, "of a mesh: order of the finite differences", examples=[8])
    region: Region = key(
        Region, "of a mesh: where it has points", omitted="the cell", examples=[{"kind": "spheres", "radius": "8 bohr"}]
    )
    boundary: Boundary = key(
        "periodic",
        "periodic in all directions; or free: charges are those of an isolated molecule, which may be an ion; or one "
        "for each lattice vector: a chain or a layer. On a mesh functions are zero outside the region; plane waves "
        "need atoms and electrons within half of the cell along a free direction",
        examples=["free", ["periodic", "periodic", "free"]],
    )

    def periodic(self) -> list[bool]:
        """Return whether each direction is periodic."""
        return periodic_directions(self.boundary)


def periodic_directions(boundary: object) -> list[bool]:
    """Return whether each direction is periodic; `boundary`: the key, or what an input has in its place."""
    return [one == "periodic" for one in (boundary if isinstance(boundary, list) else [boundary] * 3)]
