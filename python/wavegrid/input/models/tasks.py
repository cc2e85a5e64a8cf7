"""The tables [task], [relax] and [md]."""

from typing import Annotated, Literal

from wavegrid.input.fields import (
    AtomNumbers,
    Count,
    Flag,
    Kind,
    Section,
    Strain,
    key,
    measure,
    span_of,
    whole,
)
from wavegrid.input.models.defaults import DOS_WIDTH, HUBBARD_SHIFT, WINDOW, Width
from wavegrid.units import ENERGY_UNITS, FORCE_UNITS, FS_UNITS, LENGTH_UNITS, PRESSURE_UNITS, TEMPERATURE_UNITS


class Task(Section):
    """What is computed: one energy, what follows from its density, or many geometries."""

    kind: (
        Literal[
            "scf",
            "bands",
            "dos",
            "born",
            "wannier",
            "relax",
            "md",
            "eos",
            "elastic",
            "phonon",
            "vibrations",
            "neb",
            "propagate",
            "casida",
            "anisotropy",
            "hubbard-u",
        ]
        | None
    ) = key(
        None,
        "one SCF loop, and after it a band structure, a density of states, Born charges and dielectric constant, files "
        "for Wannier90, the electrons in time, or excitations of a molecule; or a relaxation of atoms and cell, "
        "molecular dynamics, an equation of state, elastic constants, phonons, vibrations of a molecule, a reaction "
        "path, magnetic moments in several directions, or U of DFT+U by linear response",
        omitted='that of a section with the name of a task, "bands" with a path, else "scf"',
    )
    width: Width | None = key(
        None,
        'with "dos": width of the Gaussian exp(-x^2 / width^2) that broadens each level',
        omitted=f"that of the smearing, else {DOS_WIDTH} Ha",
        examples=["0.1 eV"],
    )
    projections: Literal["l", "lm", "j", "jm"] | None = key(
        None,
        'with "dos" or "bands": the parts of the atoms in each state by angular momentum, or by real harmonic, as px, '
        "along the Cartesian axes; with spin-orbit coupling by j, or by j and m_j along z; of bands the plot shows "
        "them in colours",
        omitted='"l" with "dos"',
    )
    broadening: Literal["gaussian", "tetrahedra", "tetrahedra-opt"] | None = key(
        None,
        'with "dos": a Gaussian, or none: tetrahedra of the mesh of k-points, without states in a gap',
        omitted='tetrahedra where the smearing is, else "gaussian"',
    )
    points: Annotated[int, whole(20_000)] | None = key(
        None,
        'with "dos": number of energies, without those of deep levels',
        omitted="as many as steps of 0.02 eV or a quarter of the width need",
        examples=[1001],
    )
    shift: Annotated[float, measure("energy", ENERGY_UNITS, 1e-4, 0.1)] = key(
        HUBBARD_SHIFT,
        'with "hubbard-u": the largest shift of the potential of a shell; U is that of the cell, which should be a '
        "supercell that is large enough",
        examples=[HUBBARD_SHIFT],
    )
    window: Annotated[list[float], span_of(measure("energy", ENERGY_UNITS, -1000, 1000))] | None = key(
        None,
        'with "bands" or "dos": energies that the plot shows, from the Fermi level or the middle of the gap; '
        "result.json has all levels",
        omitted=f'["{WINDOW[0]}", "{WINDOW[1]}"]',
        examples=[list(WINDOW)],
    )
    extrema: Flag = key(
        False,
        'with "bands": follow both edges of the gap to the extrema of their bands, on the path or not, with k-points '
        "around them; gives tensors of effective masses",
    )


FixedAtoms = Annotated[AtomNumbers | None, Kind("list of counts", "a list of atoms by their number, from 1")]


class Relax(Section):
    """Relaxation of the atoms, and of the cell if that is free; with the optimisers of ASE."""

    optimizer: Literal["bfgs", "lbfgs", "fire"] = key(
        "bfgs",
        "ASE's BFGS; its L-BFGS with the preconditioner of Packwood and others, for many atoms; or FIRE, for very "
        "rough starts",
    )
    force_tolerance: Annotated[float, measure("force", FORCE_UNITS, 1e-8, 1)] = key(
        "0.01 eV/angstrom",
        "the relaxation ends when no force on a free atom is larger, and no stress than `stress_tolerance`",
        examples=["0.01 eV/angstrom"],
    )
    max_steps: Annotated[int, whole(100_000)] = key(
        200, "largest number of geometries, with those of a trajectory that it continues", examples=[200]
    )
    largest_step: Annotated[float, measure("length", LENGTH_UNITS, 1e-4, 1.8)] = key(
        "0.2 angstrom", "no atom moves farther from one geometry to the next", examples=["0.2 angstrom"]
    )
    fixed_atoms: FixedAtoms = key(
        None,
        "atoms that do not move (with the cell they do), by their number in the cell or supercell; `[]` lets all move",
        omitted="those of the structure file",
        examples=[[1, 2]],
    )
    displace: Annotated[float, measure("length", LENGTH_UNITS, 1e-8, 1)] | None = key(
        None,
        "standard deviation of random displacements of the free atoms before the first step, always the same ones: a "
        "way out of a symmetric structure, which forces do not leave",
        omitted="none",
        examples=["0.02 angstrom"],
    )
    cell: Literal["fixed", "free", "isotropic", "fixed-volume"] = key(
        "fixed", "which cells are possible: only this one, all, those of the same shape or those of the same volume"
    )
    strain: Strain | None = key(
        None,
        'with `cell = "free"`: whether the components xx, yy, zz, yz, xz, xy of the strain are free',
        omitted="all",
        examples=[[False, False, True, False, False, False]],
    )
    pressure: Annotated[float, measure("pressure", PRESSURE_UNITS, -10_000, 10_000)] = key(
        "0 GPa", "external pressure on the cell", examples=["10 GPa", "-5 kbar"]
    )
    stress_tolerance: Annotated[float, measure("pressure", PRESSURE_UNITS, 1e-6, 1000)] = key(
        "0.02 GPa",
        "with a cell that is not fixed: largest difference of a free component of the stress from the pressure",
        examples=["0.02 GPa"],
    )


class Md(Section):
    """Molecular dynamics, with the integrators of ASE."""

    ensemble: Literal["nve", "langevin", "nose-hoover", "npt"] = key(
        "nve",
        "constant energy (velocity Verlet), constant temperature by Langevin or by a Nose-Hoover chain, or constant "
        "temperature and pressure by Martyna, Tobias and Klein, in a cell that changes",
    )
    steps: Annotated[int, whole(100_000_000)] = key(
        100, "number of steps, with those of a trajectory that it continues", examples=[100]
    )
    timestep: Annotated[float, measure("time", FS_UNITS, 1e-3, 100)] = key("1 fs", "time step", examples=["1 fs"])
    temperature: Annotated[float, measure("temperature", TEMPERATURE_UNITS, 0, 1e6)] = key(
        "300 K",
        "temperature of the thermostat, and of the first velocities where the structure file has none: random, without "
        "total momentum, scaled to it",
        examples=["300 K"],
    )
    thermostat_time: Annotated[float, measure("time", FS_UNITS, 0.1, 1e6)] = key(
        "100 fs",
        "how fast the thermostat acts: the reciprocal of Langevin's friction, the period of the Nose-Hoover chain",
        examples=["100 fs"],
    )
    cell: Literal["free", "isotropic"] = key("free", 'with "npt": all cells, or those of the same shape')
    pressure: Annotated[float, measure("pressure", PRESSURE_UNITS, -10_000, 10_000)] = key(
        "0 GPa", 'with "npt": the pressure', examples=["10 GPa"]
    )
    barostat_time: Annotated[float, measure("time", FS_UNITS, 1, 1e6)] = key(
        "1000 fs", 'with "npt": the period of the cell', examples=["1000 fs"]
    )
    seed: Count = key(1, "number that determines velocities at the start and random forces", examples=[1])
    fixed_atoms: FixedAtoms = key(
        None,
        "atoms that do not move, by their number in the cell or supercell; `[]` lets all move",
        omitted="those of the structure file",
        examples=[[1, 2]],
    )
    write_every: Count = key(1, "number of steps from one geometry in the trajectory to the next", examples=[1])
