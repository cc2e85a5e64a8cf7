"""The tables of tasks that are a series of geometries: [eos], [elastic], [phonon], ..."""

from typing import Annotated, Literal

from wavegrid.input.fields import (
    AtomNumbers,
    Flag,
    Kind,
    Mesh,
    Path,
    Section,
    ascending,
    key,
    measure,
    number,
    span_of,
    text,
    whole,
)
from wavegrid.units import FORCE_UNITS, LENGTH_UNITS, TEMPERATURE_UNITS

_Ratio = number(0.5, 2)
Displacement = Annotated[float, measure("length", LENGTH_UNITS, 1e-4, 0.5)]
SeriesForce = Annotated[float, measure("force", FORCE_UNITS, 1e-8, 1)]


class Eos(Section):
    """Equation of state: the energy at several volumes, and the curves of Birch and Murnaghan and of Vinet."""

    volumes: Annotated[list[float], ascending(_Ratio, 5, 99)] | None = key(
        None,
        "volumes of the cell, as multiples of that of [structure]; its shape and the fractional coordinates stay",
        omitted="`number` of them in `range`",
        examples=[[0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06]],
    )
    range: Annotated[list[float], span_of(_Ratio)] = key([0.94, 1.06], "smallest and largest volume")
    number: Annotated[int, whole(99, 5)] = key(7, "number of volumes, at equal distances")


class Elastic(Section):
    """Elastic constants from the stresses of strained cells."""

    strain: Annotated[float, number(1e-4, 0.05)] = key(
        0.005, "size of the strains, of both signs; only those that the symmetry needs are computed"
    )
    relax: Flag = key(True, "relax the atoms in each strained cell")
    force_tolerance: SeriesForce = key(
        "0.002 eV/angstrom", "with `relax`: largest force that is left", examples=["0.002 eV/angstrom"]
    )
    max_steps: Annotated[int, whole(1000)] = key(50, "with `relax`: largest number of geometries of a cell")


class Phonon(Section):
    """Phonons by phonopy: displacements in the supercell of [structure]."""

    displacement: Displacement = key("0.02 angstrom", "of one atom at a time", examples=["0.02 angstrom"])
    path: Annotated[str, text("text", "names of special points")] | None = key(
        None,
        "path of the bands, as that of `[electrons.kpoints]`, of the cell that is repeated",
        omitted="the usual path of its lattice",
        examples=["XGL"],
    )
    mesh: Mesh | None = key(
        None,
        "mesh of q for the density of states and the free energy",
        omitted="about 100 Angstrom over the length of each lattice vector",
        examples=[[20, 20, 20]],
    )
    born: Path | None = key(
        None,
        'folder of a run of the cell that is repeated with kind = "born": its dielectric tensor and charges give the '
        "splitting of longitudinal and transverse waves",
        omitted="none: that of metals and of crystals without polar modes",
        examples=["gaas_born"],
    )
    max_temperature: Annotated[float, measure("temperature", TEMPERATURE_UNITS, 1, 1e5)] = key(
        "1000 K", "of the free energy, from 0 K on", examples=["1000 K"]
    )


class Vibrations(Section):
    """Vibrations of a molecule, or of some atoms, from displacements of each."""

    displacement: Displacement = key("0.01 angstrom", "of one atom at a time", examples=["0.01 angstrom"])
    atoms: Annotated[AtomNumbers | None, Kind("list of counts", "a list of atoms by their number, from 1")] = key(
        None, "atoms that vibrate", omitted="all that the structure does not fix", examples=[[1, 2]]
    )
    mesh_positions: Annotated[int, whole(8)] = key(
        1,
        "on a mesh: 2, 4 or 8 solves each geometry at as many positions between the points, half a spacing apart, and "
        "takes the mean of the forces",
    )


class Neb(Section):
    """Reaction path between [structure] and another minimum, by ASE's nudged elastic band."""

    final: Path | None = key(
        None, "structure file of the other end: the same cell and atoms in the same order", omitted="required"
    )
    images: Annotated[int, whole(99)] = key(5, "number of images between the ends")
    interpolation: Literal["idpp", "linear"] = key(
        "idpp", "first path: by the image-dependent pair potential, or straight lines"
    )
    climb: Flag = key(True, "the highest image climbs to the saddle point")
    spring: Annotated[float, number(1e-3, 100)] = key(0.1, "force constant between images, eV/Angstrom^2")
    optimizer: Literal["bfgs", "fire"] = key("bfgs", "that of ASE; FIRE for rough first paths")
    force_tolerance: SeriesForce = key(
        "0.05 eV/angstrom", "largest force perpendicular to the path that is left", examples=["0.05 eV/angstrom"]
    )
    max_steps: Annotated[int, whole(10_000)] = key(200, "largest number of steps of the optimiser")
    parallel_images: Annotated[int, whole(99)] = key(
        1, "number of images that are solved at the same time, by groups of ranks; fewer where there are fewer ranks"
    )
