"""The content of result.json as data models: names, types and meanings of all its keys.

A run does not import this: its numbers are plain dictionaries. The JSON schema (`schema`) and docs/result.md are made
from it, and tests compare the results of real runs with the schema. `schema_version`, also in `report`, rises with
every change that a reader of older files would notice.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from wavegrid.input.models import (
    EigensolverName,
    PartitionName,
    PreconditionerName,
    ScfMethodName,
    SmearingName,
    TransportName,
)

Vector = tuple[float, float, float]
Tensor = tuple[Vector, Vector, Vector]
KPoint = tuple[float, float, float, float]
FermiLevel = float | tuple[float, float]
ByState = list[list[list[float]]]


class Part(BaseModel):
    """A table of result.json: no keys but those listed."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Structure(Part):
    """The crystal, also where the input names a file: the whole supercell."""

    cell: Tensor
    """lattice vectors as rows, bohr"""
    species: list[str]
    """element of each atom"""
    positions: list[Vector]
    """Cartesian positions of the atoms, bohr"""
    fractional: list[Vector]
    """the same in units of the lattice vectors"""


class Energy(Part):
    """The energy of the cell by term, Ha. The terms from kinetic to dispersion add up to the free energy."""

    free: float
    """free energy F = E - TS, which the calculation minimises"""
    internal: float
    """internal energy E: the free energy without the term `smearing`"""
    kinetic: float
    """kinetic energy of the electrons"""
    hartree: float
    """Hartree energy"""
    xc: float
    """exchange-correlation energy, with the core density where a pseudopotential has one"""
    ewald: float
    """Coulomb energy of the ions (Ewald sum)"""
    local: float
    """local part of the pseudopotentials without G = 0"""
    local_g0: float
    """the G = 0 part of the local pseudopotentials (ABINIT's PspCore)"""
    nonlocal_: float = Field(alias="nonlocal")
    """nonlocal part of the pseudopotentials"""
    smearing: float
    """-TS, or the corresponding term of the smearing; 0 with fixed occupations"""
    dispersion: float | None = None
    """dispersion correction, where the input asks for one"""
    extrapolated: float
    """the free energy extrapolated to zero smearing, to the order that its kind allows"""


class Magnetisation(Part):
    """Electrons up minus down of the cell (mu_B)."""

    total: float
    """integral of the magnetisation density"""
    absolute: float
    """integral of its absolute value"""


class AtomicCharges(Part):
    """Charges and moments of the atoms in the order of the (super)cell: Hirshfeld's partition of the density."""

    charges: list[float]
    """valence charge of the ion minus the electrons of the atom, e"""
    magnetic_moments: list[float] | None = None
    """with spin: electrons up minus down of the atom, mu_B"""
    unassigned: float
    """electrons of the cell that are far from all atoms; the charges add up to that of the cell plus this, e"""


class ForceTerms(Part):
    """Forces by term, Ha/bohr, each one vector per atom."""

    ewald: list[Vector]
    """Coulomb forces of the ions"""
    local: list[Vector]
    """local part of the pseudopotentials"""
    nonlocal_: list[Vector] = Field(alias="nonlocal")
    """nonlocal part of the pseudopotentials"""
    nlcc: list[Vector]
    """nonlinear core correction"""
    scf_correction: list[Vector]
    """correction for a density that is not fully self-consistent"""
    dispersion: list[Vector] | None = None
    """dispersion correction"""


class Forces(Part):
    """Forces on the atoms in the order of the (super)cell, Ha/bohr, Cartesian."""

    elements: list[str]
    """element of each atom"""
    largest: float
    """length of the largest force"""
    error_estimate: float | None = None
    """estimated error of a force, from that of the energy: usually larger than the error, in tests 0.5 to 12 times"""
    total: list[Vector]
    """sum of all terms without the net force"""
    terms: ForceTerms
    """by term"""
    net: Vector
    """net force on the cell, subtracted in equal parts"""


class StressTerms(Part):
    """Stress by term, Ha/bohr^3."""

    kinetic: Tensor
    """kinetic energy"""
    hartree: Tensor
    """Hartree energy"""
    xc: Tensor
    """exchange-correlation energy"""
    ewald: Tensor
    """Coulomb energy of the ions"""
    local: Tensor
    """local part of the pseudopotentials without G = 0"""
    local_g0: Tensor
    """G = 0 part of the local pseudopotentials"""
    nonlocal_: Tensor = Field(alias="nonlocal")
    """nonlocal part of the pseudopotentials"""
    nlcc: Tensor
    """nonlinear core correction"""
    scf_correction: Tensor
    """correction for a density that is not fully self-consistent"""
    dispersion: Tensor | None = None
    """dispersion correction"""


class Stress(Part):
    """Stress of the cell, Ha/bohr^3, Cartesian; signs in docs/conventions.md."""

    total: Tensor
    """sum of all terms"""
    terms: StressTerms
    """by term"""
    pressure: float
    """-1/3 of the trace"""
    total_GPa: Tensor
    """`total` in GPa"""
    pressure_GPa: float
    """`pressure` in GPa"""


class Restart(Part):
    """What was found in the checkpoint that the run continued from. With spin each k-point counts twice."""

    file: str
    """the checkpoint"""
    kpoints_found: int
    """k-points whose wave functions were read as they are"""
    kpoints_rotated: int
    """further k-points, whose wave functions were read at an equivalent k-point and rotated by a symmetry operation"""
    kpoints_missing: int
    """k-points without wave functions in the checkpoint"""
    bands_found: int
    """bands of each k-point that were read"""
    bands_random: int
    """bands that began with random numbers, of all k-points and spins"""
    min_norm_retained: float
    """smallest squared norm of a band after its transfer to the new basis, before normalisation"""
    density: str
    """how the density was used: "taken" as it was, or "carried over" to another grid, cell or positions"""
    seconds: float
    """wall time of reading"""


class RelaxedGeometry(Part):
    """One geometry of a relaxation, in the order of their calculation."""

    free_energy: float
    """free energy, Ha"""
    largest_force: float
    """largest force on an atom that may move, Ha/bohr"""
    force_error: float | None = None
    """its estimated error, Ha/bohr; not of a geometry of the trajectory that the run continues"""
    volume: float | None = None
    """of a cell that is not fixed, bohr^3"""
    stress_deviation_GPa: float | None = None
    """largest difference of a free component of the stress from the external pressure, GPa"""
    scf_steps: int
    """SCF steps; 0 for a geometry of the trajectory that the run continues"""
    seconds: float
    """wall time of the geometry"""


class Relaxation(Part):
    """The relaxation. The other parts of result.json belong to its last geometry, but for the wall times."""

    converged: bool
    """whether forces and stress are below the tolerances"""
    optimizer: Literal["bfgs", "lbfgs", "fire"]
    """as in the input"""
    geometries: list[RelaxedGeometry]
    """all geometries that were computed, those of a continued trajectory too"""
    energy_of_new_run: float | None = None
    """of a cell that was relaxed: free energy of its last geometry in a calculation that begins anew, Ha"""
    difference_from_new_run: float | None = None
    """free energy of the last geometry minus that, Ha"""
    pulay_pressure_GPa: float | None = None
    """what the pressure, which is that of a fixed set of plane waves, lacks at a fixed cutoff; an estimate, GPa"""


class DynamicsStep(Part):
    """One step of molecular dynamics."""

    step: int
    """its number; 0 is the start"""
    time: float
    """simulated time, fs"""
    free_energy: float
    """free energy of the electrons with the Coulomb energy of the ions: the potential energy, Ha"""
    kinetic_energy: float
    """kinetic energy of the atoms, Ha"""
    temperature: float
    """of the atoms, K"""
    conserved: float | None = None
    """what the integrator conserves, but for its error, Ha; not with Langevin"""
    scf_steps: int
    """SCF steps"""
    seconds: float
    """wall time"""


class Dynamics(Part):
    """Molecular dynamics. The other parts of result.json belong to the last geometry, but for the wall times."""

    ensemble: Literal["nve", "langevin", "nose-hoover"]
    """as in the input"""
    timestep: float
    """time step, fs"""
    finished: bool
    """whether all steps of the input are done"""
    steps: list[DynamicsStep]
    """the steps of this run; those of a continued trajectory are in that file"""
    mean_temperature: float | None = None
    """mean of the steps of this run, K"""
    drift: float | None = None
    """slope of the conserved energy, Ha per atom and ps; from three steps on"""


class CheckpointFile(Part):
    """The checkpoints that the run wrote."""

    file: str
    """the newest one"""
    writes: int
    """how many were written"""
    bytes: float
    """size of the last one"""
    seconds: float
    """wall time of all writes"""
    error: str | None = None
    """why the last one could not be written"""


class Measured(Part):
    """Times of one transport, microseconds."""

    transport: TransportName
    """its name"""
    median_us: float
    """median of a block of bands"""
    spread_us: float
    """slowest minus fastest sample"""


class Tuning(Part):
    """How the transport was chosen where the input has "auto"."""

    chosen: TransportName
    """the transport of the rest of the run"""
    reason: str
    """why"""
    measured: list[Measured]
    """all that were measured, fastest first"""


class ParallelLayout(Part):
    """How k-points, bands and plane waves were distributed over the ranks."""

    ranks: int
    """MPI ranks"""
    threads: int
    """threads per rank"""
    kpoint_groups: int
    """groups of ranks, each with a share of the k-points and spins"""
    band_groups: int
    """groups within each of these, each with a share of the bands"""
    groups_reason: str
    """why these numbers of groups"""
    rows: int
    """rows of the process grid of a band group"""
    columns: int
    """its columns"""
    partition: PartitionName | Literal["metis", "block"]
    """partition of the plane waves, or of the points of a mesh"""
    partition_reason: str
    """why this one"""
    transport: TransportName | Literal["none"]
    """transport of the transposes; "none" on one rank"""
    tuning: Tuning | None = None
    """how it was chosen"""
    band_tuning: Tuning | None = None
    """how the transport between band groups was chosen"""
    max_plane_waves: int
    """plane waves of the rank that has most; 0 on a mesh"""
    min_plane_waves: int
    """plane waves of the rank that has fewest; 0 on a mesh"""


class MeshUsed(Part):
    """The mesh in real space."""

    points: int
    """its points"""
    max_points: int
    """points of the rank that has most"""
    min_points: int
    """points of the rank that has fewest"""
    max_ghosts: int
    """most points of other ranks, and of periodic images, that a rank needs"""
    max_neighbours: int
    """most ranks that these are from"""
    highest_kinetic_energy: float
    """upper bound of the kinetic energies on the mesh, Ha: it determines the degree of the Chebyshev filter"""


class WallSeconds(Part):
    """Wall time, s, from the start of the calculation to the end of the solution, by phase; of rank 0."""

    total: float
    """all of it"""
    fft: float
    """FFTs"""
    exchange: float
    """messages of transposes"""
    reductions: float
    """sums, extremes and broadcasts over ranks, the wait for other ranks included"""
    linear_algebra: float
    """overlaps, rotations, subspace eigenproblems"""
    nonlocal_: float = Field(alias="nonlocal")
    """nonlocal part of the pseudopotentials"""
    other: float
    """the rest"""


class Memory(Part):
    """Resident memory of a rank, MiB."""

    predicted_mib_per_rank: float
    """as estimated before the run"""
    peak_mib_per_rank: float
    """most that a rank has used"""


class Machine(Part):
    """The machine of rank 0."""

    host: str
    """its name"""
    processor: str
    """its processor"""
    cores: int
    """its number of cores"""


class BandGap(Part):
    """The band gap, Ha, of an insulator with empty bands."""

    fundamental: float
    """conduction band minimum minus valence band maximum"""
    direct: float
    """smallest gap at one k-point"""
    valence_band_maximum: float
    """the highest occupied level"""
    valence_band_maximum_index: int
    """its (first) place in the list of k-points, from 0"""
    conduction_band_minimum: float
    """the lowest empty level"""
    conduction_band_minimum_index: int
    """its (first) place in the list of k-points, from 0"""


class Bands(Part):
    """The band structure along the path; plotted in `bands.png`."""

    kpoints: list[Vector]
    """in units of the reciprocal vectors"""
    x: list[float]
    """length along the path, 1/bohr"""
    labels: list[str]
    """names of the special points"""
    label_x: list[float]
    """positions of the labels on `x`, 1/bohr"""
    eigenvalues: ByState
    """Ha, `[spin][point][band]`"""
    error_bound: float
    """largest error that the residuals allow, Ha"""
    converged: bool
    """whether all bands converged"""
    fermi_level: FermiLevel
    """as at the top level, Ha"""
    band_gap: BandGap | None = None
    """along the path, of an insulator with empty bands"""


class Broadening(Part):
    """Broadening of the levels."""

    kind: SmearingName
    """the distribution"""
    width: float
    """its width, Ha"""


class DensityOfStates(Part):
    """The density of states; plotted in `dos.png`. Use a dense mesh."""

    energies: list[float]
    """Ha, ascending"""
    ranges: list[tuple[int, int]]
    """first index and index after the last one of each range of evenly spaced `energies`: those of deep bands
    (semicore), and last the range of all other bands; between ranges there are no levels"""
    density_of_states: list[list[float]]
    """1/Ha/cell, `[spin][energy]`"""
    integrated_density_of_states: list[list[float]]
    """states below each energy, `[spin][energy]`: the integral of `density_of_states`"""
    electrons_at_fermi_level: float
    """states below the Fermi level, counted by the smearing of the run and the levels of the loop: the electrons"""
    fermi_level: FermiLevel
    """as at the top level, Ha"""
    complete_below: float
    """Ha; above, bands are missing that were not computed"""
    broadening: Broadening
    """how the levels were broadened: by a Gaussian, whatever the smearing of the run"""


class PseudopotentialUsed(Part):
    """The pseudopotential of an element."""

    element: str
    """the element"""
    name: str
    """the entry of a shipped table, or the file, as in the input"""
    valence: int
    """valence electrons"""
    functional: str
    """functional of its generation, libxc's names; empty where the file has none"""
    recommended_ecut: float
    """recommended cutoff, Ha"""
    recommended_ecut_source: Literal["hint of the file", "estimated"]
    """where it is from; estimates leave an error of 1 mHa per atom (decision 0011)"""
    ecut_error: float
    """estimated error of the energy of the free atom at `ecut` of the input, Ha"""


class WarningGiven(Part):
    """What may make the result wrong; `--strict` refuses it."""

    name: str
    """fixed name of the kind of warning, for scripts"""
    message: str
    """sentence for the user"""


class ScfChange(Part):
    """A change of method in the self-consistency loop."""

    step: int
    """after this step"""
    what: str
    """the reason and the change"""


class ScfStep(Part):
    """A step of the self-consistency loop."""

    step: int
    """its number, from 1"""
    free_energy: float
    """free energy, Ha"""
    error_estimate: float | None = None
    """its estimated error, Ha, where it is known"""
    h_applications: int | None = None
    """applications of H to a band up to its end"""
    seconds: float
    """wall time from the start of the solution to its end"""
    single_precision: bool = False
    """whether it ran in single precision"""
    total_magnetisation: float | None = None
    """with spin, mu_B"""


class Result(Part):
    """The whole file. Ha and bohr, unless a key says otherwise."""

    schema_version: Literal[2]
    """version of this format"""
    title: str
    """title of the input"""
    structure: Structure
    """cell and atoms"""
    converged: bool
    """whether the estimated error fell below the tolerance"""
    energy: Energy
    """by term"""
    error_estimate: float
    """estimated error of the free energy, Ha"""
    fermi_level: FermiLevel
    """Ha; with a fixed magnetisation those of spin up and down"""
    kpoints: list[KPoint]
    """kx, ky, kz in units of the reciprocal vectors, and the weight"""
    kpoints_description: str
    """where they come from"""
    eigenvalues: ByState
    """Ha, `[spin][k-point][band]`"""
    residuals: ByState
    """norms of the residuals H psi - eps psi, Ha, `[spin][k-point][band]`"""
    occupations: ByState
    """electrons, weights of the k-points included, `[spin][k-point][band]`"""
    band_gap: BandGap | None = None
    """on the k-points of the loop, where it is known: of an insulator with empty bands that are accurate"""
    magnetisation: Magnetisation | None = None
    """with spin"""
    atomic_charges: AtomicCharges | None = None
    """of a run that was not ended early"""
    forces: Forces | None = None
    """where the input asks for them"""
    stress: Stress | None = None
    """where the input asks for it"""
    bands: Bands | None = None
    """with `[task] kind = "bands"`"""
    dos: DensityOfStates | None = None
    """with `[task] kind = "dos"`"""
    num_bands: int
    """bands of each k-point and spin; the program raises a default that leaves the highest one occupied"""
    too_few_bands: bool
    """whether the highest band is still occupied to more than 0.1 %; then the run has not converged"""
    enough_bands: int | None = None
    """where there are too few: an estimate of the number that is enough"""
    at_rounding: bool
    """whether the run has converged to the rounding of the energy, which is above the tolerance"""
    hpsi_deviation: float
    """difference of the nonlocal energy of the bands and what the eigenvalues leave for it, Ha: a check of H psi"""
    scf_changes: list[ScfChange] = []
    """changes of method where the self-consistency loop stagnated"""
    recovered_states: int
    """states that the eigensolver had missed and a later check found"""
    scf_steps: int
    """steps of the self-consistency loop, each with a new density and potential"""
    scf_history: list[ScfStep] = []
    """the steps; with several geometries those of the last one"""
    relaxation: Relaxation | None = None
    """with `[task] kind = "relax"`"""
    dynamics: Dynamics | None = None
    """with `[task] kind = "md"`"""
    advice: str | None = None
    """what to change where the run has not converged"""
    stopped: Literal["SIGINT", "SIGTERM"] | None = None
    """the signal that ended the run early; SIGHUP counts as SIGTERM"""
    restart: Restart | None = None
    """of a run that continued from a checkpoint"""
    checkpoint: CheckpointFile | None = None
    """where checkpoints were written"""
    precision: Literal["mixed", "double"]
    """as used"""
    scf_method: ScfMethodName = "mixing"
    """how the self-consistent density was found"""
    eigensolver: EigensolverName
    """as used"""
    eigensolver_reason: str
    """why this one"""
    preconditioner: PreconditionerName
    """preconditioner of the mixing, as used"""
    h_applications: int
    """applications of H to a band, of all k-points and spins"""
    nonlocal_applications: int
    """applications of the nonlocal potential to a band"""
    ffts: int
    """three-dimensional FFTs of a band"""
    plane_waves: int
    """plane waves of the first k-point, half of them with real wave functions; 0 on a mesh"""
    grid: tuple[int, int, int]
    """FFT grid; of a mesh its points along the lattice vectors"""
    mesh: MeshUsed | None = None
    """with `[basis] method = "realspace"`"""
    parallel: ParallelLayout
    """distribution over the ranks"""
    wall_seconds: WallSeconds
    """wall time by phase"""
    memory: Memory
    """memory of a rank"""
    versions: dict[str, str]
    """versions of wavegrid and its libraries"""
    machine: Machine
    """the machine of rank 0"""
    finished: str
    """end of the run, ISO 8601, UTC"""
    pseudopotentials: list[PseudopotentialUsed]
    """by species"""
    notes: list[str]
    """what the program chose or assumed, and information"""
    warnings: list[WarningGiven]
    """what may make the result wrong; empty in a run with `--strict` that ended with exit code 0"""
    input_file: str
    """path of the input file"""
    input: dict[str, Any]
    """the input file as it was read"""
