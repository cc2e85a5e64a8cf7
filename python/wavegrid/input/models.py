"""The input file as data models: the one place of names, types, defaults, ranges and meanings of all its keys."""

import math
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from wavegrid.input.fields import (
    MOST_KPOINTS,
    AtomNumbers,
    Atoms,
    Boundary,
    Cell,
    Count,
    Flag,
    Grid,
    GroupCount,
    Kind,
    KPointList,
    Mesh,
    Moments,
    Path,
    Pseudopotentials,
    Repeats,
    Section,
    Spacing,
    Strain,
    Time,
    Triple,
    Weights,
    energy,
    even,
    key,
    measure,
    number,
    text,
    whole,
)
from wavegrid.units import FORCE_UNITS, FS_UNITS, LENGTH_UNITS, PRESSURE_UNITS, TEMPERATURE_UNITS

# Names without "auto", which results have too.
SmearingName = Literal["fermi-dirac", "gaussian", "methfessel-paxton", "cold"]
PreconditionerName = Literal["none", "kerker", "dielectric", "ldos"]
ScfMethodName = Literal["mixing", "direct"]
ProjectorsName = Literal["reciprocal", "real"]
EigensolverName = Literal["rmm-diis", "lobpcg", "davidson", "chebyshev"]
PartitionName = Literal["greedy", "cyclic", "balanced", "optimized"]
MeshPartitionName = Literal["metis", "block"]
RegionName = Literal["cell", "spheres", "cylinder", "box"]
TransportName = Literal[
    "alltoallv", "alltoall_padded", "neighbor", "pairwise", "ring", "one_sided", "one_sided_get", "shared"
]

MESH_SPACING = 0.15  # 1/bohr, at most, of the mesh of the density where the input has only a path
PATH_POINTS, LINE_POINTS = 60, 15  # of a band path that is given; of each line of the usual one
MD_TOLERANCE = 1e-9  # Ha, of the energy
DOS_WIDTH = 0.004  # Ha, of the broadening where occupations are fixed
BANDS_FACTOR, BANDS_MORE = 1.2, 4  # with smearing: times the bands that hold the electrons, and so many more


Length = Annotated[float, measure("length", LENGTH_UNITS, 1, 1000)]  # of a region
Width = Annotated[float, energy(1e-8, 10)]  # of a broadening

_INLINE = "required without `file`"


class Structure(Section):
    """Cell and atoms, inline or from a file."""

    file: Annotated[Path, Kind("path", "the path of a structure file that ASE reads, in quotes")] | None = key(
        None,
        "any structure file that ASE reads, instead of `cell`, `unit`, `atoms` and `coordinates`",
        omitted="cell and atoms are in this file",
    )
    frame: Count | None = key(
        None,
        "with `file`: which structure of a file that holds several, from 1",
        omitted="the only one of the file",
        examples=[1],
    )
    cell: Cell | None = key(
        None, "lattice vectors, one per row", omitted=_INLINE, examples=[[[4, 0, 0], [0, 4, 0], [0, 0, 4]]]
    )
    unit: Literal["angstrom", "bohr"] | None = key(None, "unit of `cell` and of cartesian coordinates", omitted=_INLINE)
    atoms: Atoms | None = key(
        None,
        'element and coordinates of each atom, `["Al", x, y, z]`',
        omitted=_INLINE,
        examples=[[["Al", 0, 0.5, 0.5]]],
    )
    coordinates: Literal["fractional", "cartesian"] | None = key(
        None, "kind of the coordinates of `atoms`", omitted=_INLINE
    )
    supercell: Repeats = key([1, 1, 1], "repetitions of the cell along its vectors", examples=[[3, 3, 3]])


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


class Basis(Section):
    """Plane waves and FFT grid, or a mesh in real space."""

    method: Literal["planewaves", "realspace"] = key(
        "planewaves", "plane waves, with `ecut`, or finite differences on a mesh, with `spacing` (realspace.md)"
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
    projectors: Literal["auto", ProjectorsName] = key(
        "reciprocal",
        "of plane waves: where the nonlocal part of the pseudopotentials is applied, on the plane waves or on the "
        'points of the FFT grid near each atom; "auto": where it takes less time, by an estimate from the size',
    )
    projector_accuracy: Annotated[float, energy(1e-9, 1)] = key(
        "1e-5 Ha",
        'with `projectors = "real"`: error of the energy per atom that the filtered projectors may cause; decides the '
        "radius of the spheres",
        examples=["1e-7 Ha"],
    )
    spacing: Annotated[float, measure("length", LENGTH_UNITS, 0.05, 2)] | None = key(
        None,
        "of a mesh: distance of neighbouring points along each lattice vector, at most; whole numbers of them fill the "
        "cell",
        omitted="required on a mesh",
        examples=["0.35 bohr"],
    )
    order: Annotated[int, even(12)] = key(12, "of a mesh: order of the finite differences", examples=[8])
    region: Region = key(
        Region, "of a mesh: where it has points", omitted="the cell", examples=[{"kind": "spheres", "radius": "8 bohr"}]
    )
    boundary: Boundary = key(
        "periodic",
        "of a mesh: periodic in all directions; or free, where functions are zero outside the region and charges are "
        "those of an isolated molecule, which may be an ion; or one for each lattice vector: a chain or a layer",
        examples=["free", ["periodic", "periodic", "free"]],
    )

    def periodic(self) -> list[bool]:
        """Return whether each direction is periodic."""
        return [
            one == "periodic" for one in (self.boundary if isinstance(self.boundary, list) else [self.boundary] * 3)
        ]

    def cutoff(self) -> float:
        """Return the cutoff, Ha; of a mesh that of the shortest wave that it can represent."""
        if self.ecut is not None:
            return self.ecut
        return 0.5 * (math.pi / (self.spacing or 1.0)) ** 2


class Smearing(Section):
    """Broadening of the occupations."""

    kind: SmearingName = key(
        ..., "the distribution: Fermi-Dirac, Gaussian, Methfessel-Paxton of first order, Marzari-Vanderbilt (cold)"
    )
    width: Width = key(..., "width of the broadening; kT for Fermi-Dirac", examples=["0.2 eV"])


class KPoints(Section):
    """k-points in units of the reciprocal vectors of the (super)cell: mesh or list for the density, path for bands."""

    mesh: Mesh | None = key(
        None,
        "mesh N of k_i = (n_i + shift_i) / N_i",
        omitted=f"[1, 1, 1]; where there is only a path, at most {MESH_SPACING}/bohr apart",
        examples=[[4, 4, 4]],
    )
    spacing: Spacing | None = key(
        None,
        "instead of `mesh`: the smallest mesh whose points are at most this apart along each reciprocal vector (its "
        "length, 2 pi included, divided by N), one point across vacuum; centred at Gamma unless `shift` is given, "
        "which hexagonal lattices refuse",
        examples=["0.15 /bohr", "0.3 /angstrom"],
    )
    shift: Triple = key(
        [0, 0, 0],
        "shift in steps of the mesh; 0.5 with an even count is that of Monkhorst and Pack",
        examples=[[0.5, 0.5, 0.5]],
    )
    list: KPointList | None = key(
        None, "k-points instead of a mesh, used as given, without symmetry", examples=[[[0, 0, 0], [0.5, 0, 0]]]
    )
    weights: Weights | None = key(
        None, "weights of the k-points of `list`; divided by their sum", omitted="equal", examples=[[1, 3]]
    )
    path: Annotated[str, text("text", "names of special points")] | None = key(
        None,
        'band path: names of special points such as "GXWK", a comma is a jump ("GXU,KGL"); names as in ASE, those of '
        "the lattice of the cell",
        omitted='the usual path of the lattice of the cell, with `[task] kind = "bands"`',
        examples=["GXWK", "GXU,KGL"],
    )
    points: Annotated[int, whole(MOST_KPOINTS)] | None = key(
        None,
        "number of k-points of the path, all named points among them",
        omitted=f"{PATH_POINTS}; of the usual path {LINE_POINTS} for each of its lines",
        examples=[60],
    )


class Electrons(Section):
    """Functional, pseudopotentials, k-points, bands, spin and occupations."""

    xc: Annotated[str, text("text", "libxc names joined by + or a short one", most=200)] = key(
        ...,
        "exchange-correlation functional: LDA or GGA names of libxc joined by +, or a short one: LDA-PZ, LDA-PW, "
        "LDA-VWN, TETER, PBE, PBESOL, REVPBE, RPBE, WC, PW91, AM05, BLYP, BP86",
        examples=["PBE"],
    )
    pseudopotentials: Pseudopotentials = key(
        ...,
        '"gth-lda", "gth-pbe", "PseudoDojo", "SG15", the path of a folder with a file for each element, or by element '
        '`{ Al = "path/to/Al.upf", Li = "gth-lda-q3" }`: a norm-conserving UPF or psp8 file, a GTH text, or a shipped '
        "entry by its valence",
        examples=[{"Al": "path/to/Al.upf", "Li": "gth-lda-q3"}],
    )
    dispersion: Literal["d3-bj", "d4"] | None = key(
        None,
        "dispersion correction of the functional, in energy, forces and stress: D3 with Becke-Johnson damping or D4, "
        "by the packages dftd3 and dftd4",
        omitted="none",
    )
    kpoints: KPoints | None = key(
        None,
        "see below",
        omitted="Gamma alone, real wave functions",
        examples=[{"mesh": [4, 4, 4], "shift": [0, 0, 0]}, {"path": "GXWK", "points": 60}],
    )
    bands: Count | None = key(
        None,
        "number of bands of each k-point and spin; a run whose highest band is occupied to more than 0.1 % ends with "
        "exit code 1 and a number that is enough; with a band structure or a density of states the default has at "
        "least 4 empty bands",
        omitted=f"enough for the electrons; with smearing {BANDS_FACTOR} times that plus {BANDS_MORE}, and more are "
        "added during the run if the highest one stays occupied",
        examples=[16],
    )
    smearing: Smearing | None = key(
        None,
        "broadening of the occupations",
        omitted="fixed occupations",
        examples=[{"kind": "fermi-dirac", "width": "0.2 eV"}],
    )
    spin: Literal["none", "collinear"] = key("none", "spin polarisation")
    initial_magnetic_moments: Moments | None = key(
        None,
        "electrons up minus down (mu_B) of the initial density: `{ Fe = 2.5 }`, elements left out have 0, or one for "
        "each atom of the cell or supercell",
        omitted="half of those of the free atoms, all parallel",
        examples=[{"Fe": 2.5}, [1, -1]],
    )
    total_magnetisation: Annotated[float, number(-1e6, 1e6)] | None = key(
        None, "electrons up minus down (mu_B) of the cell, held fixed", omitted="free", examples=[2.0]
    )
    charge: Annotated[float, number(-1e6, 1e6)] = key(
        0.0, "charge of the cell (electrons taken away), in a neutralising background", examples=[1.0]
    )


class Symmetry(Section):
    """Symmetry of the crystal."""

    use: Flag | None = key(
        None,
        "irreducible k-points and a symmetrised density; k and -k count as one in any case",
        omitted="true for a mesh of more than one point",
    )


class Mixing(Section):
    """Mixing of the density from those of earlier steps, preconditioned."""

    method: Literal["pulay", "broyden"] = key("pulay", "Pulay's method (DIIS) or Broyden's second method")
    beta: Annotated[float, number(0.001, 2)] = key(
        1.0, "mixing parameter: share of the preconditioned residual that is added to the density", examples=[0.5]
    )
    preconditioner: Literal["auto", PreconditionerName] = key(
        "auto",
        '"kerker" for metals, "dielectric" for solids with a gap, "ldos" (from the local density of states) for '
        'metallic slabs, none for molecules and single layers; "auto" chooses one, and another where the loop '
        "stagnates",
    )
    k0: Annotated[float, number(0.001, 1000)] = key(
        1.2, "wave number of the Kerker preconditioner, 1/bohr", examples=[1.2]
    )
    epsilon: Annotated[float, number(0.001, 1e6)] = key(
        10.0, "dielectric constant of the dielectric preconditioner", examples=[10.0]
    )
    history: Annotated[int, whole(100)] = key(
        8, "number of earlier steps that are used; 1 is linear mixing", examples=[8]
    )


class Scf(Section):
    """The self-consistency loop."""

    method: ScfMethodName = key(
        "mixing",
        '"mixing": the density is mixed until it is that of its bands; "direct": the energy is minimised over the '
        "bands by conjugate gradients, for fixed occupations (molecules, insulators), in double precision: about half "
        "the applications of H in more, shorter steps (decision 0016)",
    )
    eigensolver: Literal["auto", EigensolverName] = key(
        "auto",
        '"auto": "lobpcg" from random wave functions and below 64 bands, else "rmm-diis"; `result.json` says which and '
        "why",
    )
    energy_tolerance: Annotated[float, energy(1e-14, 1)] = key(
        "1e-7 Ha",
        "the loop ends when the estimated error of the free energy is below it, or below the rounding of the "
        "energy and no longer falling",
        omitted=f"1e-7 Ha; with a relaxation what its `force_tolerance` needs, at most 1e-7 Ha; with molecular "
        f"dynamics {MD_TOLERANCE:g} Ha",
        examples=["1e-7 Ha"],
    )
    max_steps: Annotated[int, whole(100_000)] = key(
        60, "largest number of steps; a run that needs more ends with exit code 1 and advice", examples=[60]
    )
    mixing: Mixing = key(
        Mixing, "mixing of the density", omitted="all of its defaults", examples=[{"beta": 0.5, "history": 8}]
    )
    initial_wavefunctions: Literal["lcao", "random"] = key(
        "lcao", "linear combinations of atomic orbitals, or random numbers"
    )
    precision: Literal["auto", "mixed", "double"] = key(
        "auto",
        '"mixed": single precision except in the last steps and for all energies; "auto": "mixed" up to 500 electrons '
        "and down to a tolerance of 1e-11 Ha per electron (decision 0006)",
    )


class Parallel(Section):
    """How k-points, bands and plane waves are distributed over the ranks, and how their values are exchanged."""

    kpoint_groups: GroupCount | None = key(
        None, "groups of ranks, each with a share of the k-points and spins", omitted="chosen by estimated cost"
    )
    band_groups: GroupCount | None = key(
        None, "groups within each of these, each with a share of the bands", omitted="chosen by estimated cost"
    )
    rows: GroupCount | None = key(
        None,
        "with `columns`: process grid of a band group, whose ranks share the plane waves; the product of all four "
        "numbers is then the number of ranks",
        omitted="chosen by estimated cost",
    )
    columns: GroupCount | None = key(None, "together with `rows`", omitted="chosen by estimated cost")
    partition: Literal["auto", PartitionName, MeshPartitionName] = key(
        "auto",
        'how the sticks of the sphere of plane waves are distributed; on a mesh "metis" (which is "auto") or "block": '
        "how its points are",
    )
    transport: Literal["auto", TransportName] = key(
        "auto", 'MPI operations of the transposes; "auto" measures several during the run, takes the fastest'
    )
    machine: Annotated[Path, Kind("path", 'a file that "wavegrid bench machine" has written')] | None = key(
        None,
        'file of "wavegrid bench machine", for which groups and "auto" partition are chosen',
        omitted="a node of the 2020s",
        examples=["machine.toml"],
    )
    transports_file: Annotated[Path, Kind("path", 'a file name that keeps what "auto" has measured')] | None = key(
        None,
        'file that keeps what "auto" has measured for later runs',
        omitted="nothing is kept",
        examples=["transports.txt"],
    )
    deterministic: Flag = key(
        False,
        "bitwise equal results on any number of ranks and any partition, at the same numbers of groups; double "
        "precision, one group each unless set (decision 0007)",
    )


class Task(Section):
    """What is computed: one energy, what follows from its density, or many geometries."""

    kind: Literal["scf", "bands", "dos", "relax", "md"] | None = key(
        None,
        "one SCF loop, and after it a band structure or a density of states; or a relaxation of atoms and cell, or "
        "molecular dynamics",
        omitted='"relax" or "md" with a section of that name, "bands" with a path, else "scf"',
    )
    width: Width | None = key(
        None,
        'with "dos": width of the Gaussian exp(-x^2 / width^2) that broadens each level',
        omitted=f"that of the smearing, else {DOS_WIDTH} Ha",
        examples=["0.1 eV"],
    )
    points: Annotated[int, whole(20_000)] | None = key(
        None,
        'with "dos": number of energies, without those of deep levels',
        omitted="as many as steps of 0.02 eV or a quarter of the width need",
        examples=[1001],
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
        "atoms that do not move (with the cell they do), by their number in the cell or supercell",
        omitted="all move",
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

    ensemble: Literal["nve", "langevin", "nose-hoover"] = key(
        "nve", "constant energy (velocity Verlet), or constant temperature by Langevin or by a Nose-Hoover chain"
    )
    steps: Annotated[int, whole(100_000_000)] = key(
        100, "number of steps, with those of a trajectory that it continues", examples=[100]
    )
    timestep: Annotated[float, measure("time", FS_UNITS, 1e-3, 100)] = key("1 fs", "time step", examples=["1 fs"])
    temperature: Annotated[float, measure("temperature", TEMPERATURE_UNITS, 0, 1e6)] = key(
        "300 K",
        "temperature of the thermostat, and of the first velocities: random, without total momentum, scaled to it",
        examples=["300 K"],
    )
    thermostat_time: Annotated[float, measure("time", FS_UNITS, 0.1, 1e6)] = key(
        "100 fs",
        "how fast the thermostat acts: the reciprocal of Langevin's friction, the period of the Nose-Hoover chain",
        examples=["100 fs"],
    )
    seed: Count = key(1, "number that determines velocities at the start and random forces", examples=[1])
    fixed_atoms: FixedAtoms = key(
        None, "atoms that do not move, by their number in the cell or supercell", omitted="all move", examples=[[1, 2]]
    )
    write_every: Count = key(1, "number of steps from one geometry in the trajectory to the next", examples=[1])


class Checkpoint(Section):
    """When a run writes a checkpoint before its end, and how many of them stay."""

    every: Time = key(
        "10 min", "interval between checkpoints: a time or a number of SCF steps", examples=["10 min", "5 steps"]
    )
    keep: Annotated[int, whole(1000)] = key(
        2, "number of checkpoints that stay; older ones are `checkpoint.1.h5`, ...", examples=[2]
    )


def _checkpoint(value: object) -> object:
    """Take true for a table of defaults and false for none."""
    if isinstance(value, bool):
        return {} if value else None
    if not isinstance(value, dict | Checkpoint):
        raise ValueError("neither true, false nor a table")
    return value


class Output(Section):
    """Where the results go, and which files are written in addition to result.json."""

    directory: Annotated[Path, Kind("path", "a directory name")] | None = key(
        None, "directory of all files that the run writes", omitted="the name of the input file", examples=["al108"]
    )
    density: Literal["cube", "xsf"] | None = key(
        None, "`density.cube` or `.xsf`, with spin `magnetisation` too, electrons/bohr^3", omitted="no file"
    )
    forces: Flag = key(
        False,
        "forces on the atoms, computed at the end of the run, converged or not, unless a signal stopped it. With "
        "symmetry they are the forces in the symmetric crystal, from which the given positions may differ by 1e-4 "
        "bohr. Their error is proportional to the square root of `energy_tolerance`: in tests 1e-6 to 1e-4 Ha/bohr at "
        "1e-7 Ha, 1e-7 to 6e-6 at 1e-9 Ha, 1e-8 to 3e-7 at 1e-11 Ha",
    )
    stress: Flag = key(
        False,
        "the stress tensor, under the same conditions as the forces. Its error in tests: 1e-8 to 1e-6 Ha/bohr^3 (up to "
        "0.04 GPa) at 1e-7 Ha, 1e-9 to 3e-8 at 1e-9 Ha, 1e-10 to 3e-9 at 1e-11 Ha. It is the stress at a fixed set of "
        "plane waves, without the Pulay stress: with a low `ecut` the energies of two volumes at the same `ecut` "
        "differ by more than it predicts",
    )
    checkpoint: Annotated[
        Checkpoint | None,
        BeforeValidator(_checkpoint, json_schema_input_type=Checkpoint | bool),
        Kind("table, true, false", "true, false or a table"),
    ] = key(
        Checkpoint,
        "`checkpoint.h5` at the end of the run and at intervals during it; false: none",
        omitted="true",
        examples=[{"every": "10 min", "keep": 2}],
    )


class Input(Section):
    """A whole input file."""

    title: Annotated[str, text("text", "a text in quotes", least=0)] = key(
        "", "title of the run in its output", omitted="the name of the input file"
    )
    structure: Annotated[Structure, Kind("table", "a section [structure] with the cell and the atoms")] = key(
        ..., "cell and atoms"
    )
    basis: Annotated[Basis, Kind("table", "a section [basis] with ecut")] = key(
        ..., "plane waves and FFT grid, or a mesh in real space"
    )
    electrons: Annotated[Electrons, Kind("table", "a section [electrons] with xc and pseudopotentials")] = key(
        ..., "functional, pseudopotentials, k-points, bands, occupations"
    )
    symmetry: Annotated[Symmetry, Kind("table", "a section [symmetry]")] = key(Symmetry, "symmetry of the crystal")
    scf: Annotated[Scf, Kind("table", "a section [scf]")] = key(Scf, "self-consistency loop")
    parallel: Annotated[Parallel, Kind("table", "a section [parallel]")] = key(Parallel, "distribution over ranks")
    task: Annotated[Task, Kind("table", "a section [task]")] = key(Task, "what is computed")
    relax: Annotated[Relax, Kind("table", "a section [relax]")] = key(Relax, "relaxation of atoms and cell")
    md: Annotated[Md, Kind("table", "a section [md]")] = key(Md, "molecular dynamics")
    output: Annotated[Output, Kind("table", "a section [output]")] = key(Output, "files that the run writes")
