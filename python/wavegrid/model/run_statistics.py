"""The course of a run: loop, parallel layout, files, times, machine."""

from typing import Literal

from wavegrid.model.names import AugmentationName, OverlapName, PartitionName, ProjectorsName, TransportName
from wavegrid.model.part import Part


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


class ScfChange(Part):
    """A change of method in the self-consistency loop."""

    step: int
    """after this step"""
    what: str
    """the reason and the change"""


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
    kinetic_density: str | None = None
    """of a meta-GGA: "taken", or "model" where the checkpoint has none for these positions: that of a model"""
    matrices: str | None = None
    """rho_ij of PAW: "taken", or "atoms" where the checkpoint has none of these sizes: those of free atoms"""
    seconds: float
    """wall time of reading"""


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
    """median of a step: of a block of bands, or of a field"""
    spread_us: float
    """slowest minus fastest sample"""


ExchangeName = Literal[
    "transposes",
    "band groups",
    "row blocks",
    "change of basis",
    "halo",
    "field transforms",
    "field groups",
    "field transforms of the bands' grid",
    "field grids",
]


class ExchangeUsed(Part):
    """An exchange between ranks that has a transport of its own."""

    name: ExchangeName
    """what is exchanged: in the transforms of bands, between groups of bands (or rows in blocks of a deterministic run
    with one group), bands to the plane waves of another cell, ghost points of a mesh, in the transforms of densities
    and potentials, and these between all ranks and each group; with two grids the transforms on that of the bands, and
    coefficients between both"""
    transport: TransportName
    """its transport at the end of the run"""
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
    """transport of the first of the exchanges; "none" without exchanges"""
    exchanges: list[ExchangeUsed]
    """all that move anything"""
    max_plane_waves: int
    """plane waves of the rank that has most; 0 on a mesh"""
    min_plane_waves: int
    """plane waves of the rank that has fewest; 0 on a mesh"""


class AugmentationUsed(Part):
    """The augmentation charge of ultrasoft and PAW datasets."""

    kind: AugmentationName
    """where it was summed"""
    reason: str
    """why there"""
    error_estimate: float | None = None
    """in boxes: change of the energy, by the first bands, Ha per atom"""
    radius: float | None = None
    """in boxes: largest radius, bohr"""


class ExactExchangeUsed(Part):
    """How the exact exchange of a hybrid functional was computed."""

    in_single: int
    """computations of all bands with pairs transformed in single precision"""
    in_double: int
    """the same in double precision"""
    error_estimate: float
    """of the energy, by the outer loop, Ha"""
    seconds: float
    """wall time of all computations, s"""
    communication_seconds: float
    """of these: transfers of bands, s"""


class ProjectorsUsed(Part):
    """Where the nonlocal part of the pseudopotentials was applied."""

    kind: ProjectorsName
    """on the plane waves, or in real space on the points of the FFT grid near each atom"""
    reason: str
    """why there"""
    error_estimate: float | None = None
    """in real space: estimate from above of the error of the energy by the filter, Ha per atom"""
    radius: float | None = None
    """in real space: largest radius of the spheres, bohr"""
    points: int | None = None
    """in real space: grid points in a sphere, the mean of all atoms"""


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
    overlap: OverlapName | Literal["auto"]
    """what is computed during halo exchanges; "auto" where the run was too short to decide"""
    overlap_reason: str
    """why, where it was measured"""
    hidden_share: float
    """part of the time of halo exchanges in which the ranks computed, with overlap; mean of all ranks"""


class KernelUsed(Part):
    """A density matrix that was found by purification, in the last step."""

    cutoff: float
    """Frobenius norm below which blocks of two atoms were left out"""
    iterations: int
    """of one purification"""
    block_products: float
    """products of blocks of two atoms, of all steps"""
    filled: float
    """share of the blocks that the density matrix has"""
    idempotency: float
    """Frobenius norm of P^2 - P"""
    electrons: float
    """by which Tr K S differed from those of the system before it was corrected"""
    energy_error: float
    """that the cutoff costs, Ha, an estimate"""
    highest_occupied: float
    """level, Ha"""
    lowest_empty: float
    """level, Ha"""


class LocalOrbitalSeconds(Part):
    """Wall time of the steps with local orbitals, s, of rank 0."""

    total: float
    """all of it"""
    extract: float
    """potentials from the grid to boxes"""
    deposit: float
    """densities from boxes to the grid"""
    matrices: float
    """matrices of potentials"""
    density: float
    """density matrices at the points of boxes"""
    sharing: float
    """part of these two: waiting for functions of other ranks"""
    solution: float
    """solving the equations, or purification"""
    bands: float
    """bands as plane waves"""
    optimisation: float
    """of functions, with the matrices that it needs"""
    get: float = 0.0
    """one visit of functions by Get, slowest rank; measured to choose one, else 0"""
    request: float = 0.0
    """the same by request"""


class LocalOrbitalsUsed(Part):
    """Local orbitals in boxes."""

    functions: int
    """orbitals of all atoms"""
    radius: float
    """of the confinement, bohr"""
    box_radius: float
    """half the edge of the largest box, bohr"""
    lost_norm: float
    """largest part of its norm that an orbital lacks outside its box"""
    whole_cell: bool
    """whether all boxes are the cell, so that nothing is cut off"""
    steps: int = 0
    """in which orbitals were optimised, of all k-points and spins"""
    error: float = 0.0
    """left by the optimisation, Ha, an estimate"""
    kernel: KernelUsed | None = None
    """of purification"""
    seconds: LocalOrbitalSeconds | None = None
    """of the steps"""


class WallSeconds(Part):
    """Wall time, s, from the start of the calculation to the end of the solution, by phase; of rank 0."""

    total: float
    """all of it"""
    fft: float
    """FFTs of bands; on a mesh the stencils of H"""
    exchange: float
    """messages of transposes and of other exchanges, see `traffic`"""
    reductions: float
    """sums, extremes and broadcasts over ranks, the wait for other ranks included"""
    linear_algebra: float
    """overlaps, rotations, subspace eigenproblems"""
    nonlocal_: float
    """nonlocal part of the pseudopotentials"""
    other: float
    """the rest"""


TrafficPurpose = Literal[
    "sticks_and_planes", "planes_and_sections", "bands", "fields", "halo", "mesh_and_box", "coefficients", "other"
]


class Sent(Part):
    """What the ranks have sent to each other for one purpose; sums of single numbers over ranks are not counted."""

    purpose: TrafficPurpose
    """`sticks_and_planes`, `planes_and_sections`: the transposes of the FFT inside rows and columns of ranks;
    `bands`: complete bands to the ranks of a band group, and back; `fields`: density and potential between all ranks
    and the band groups, and between two grids; `halo`: ghost points of a mesh; `mesh_and_box`: fields between a mesh
    and the box around it; `coefficients`: bands to another layout, for checkpoints, equivalent k-points or another
    basis"""
    exchanges: int
    """their number, each of a block of bands; of the rank that took part in most"""
    messages: int
    """messages that all ranks have sent to others"""
    bytes: int
    """bytes in them"""
    seconds: float
    """wall time of packing, waiting for messages and unpacking on rank 0; the sum over all purposes is `exchange` of
    `wall_seconds` (with several geometries, its part of the last one)"""


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
    recommended_ecut_source: Literal["hint of the file", "hint of the library", "estimated"]
    """where it is from; estimates leave an error of 1 mHa per atom (decision 0011)"""
    recommended_spacing: float
    """recommended spacing of a mesh in real space, bohr; estimated to leave 0.1 mHa per atom"""
    ecut_error: float
    """estimated error of the energy of the free atom at `ecut` of the input, Ha"""


class WarningGiven(Part):
    """What may make the result wrong; `--strict` refuses it."""

    name: str
    """fixed name of the kind of warning, for scripts"""
    message: str
    """sentence for the user"""
