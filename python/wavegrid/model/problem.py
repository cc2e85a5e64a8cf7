"""The argument of the core's `solve`, as a dictionary whose keys are known. Ha and bohr."""

from typing import Any, Literal, NotRequired, TypedDict

from wavegrid.model.names import PropagatorName


class CellAndAtoms(TypedDict):
    """Cell and atoms."""

    cell: list[list[float]]  # lattice vectors as rows
    species: list[str]
    atoms: list[Any]  # index of the species, and three fractional coordinates


class Smearing(TypedDict):
    """Smearing of the occupations."""

    kind: str
    width: float


class KPoints(TypedDict, total=False):
    """A mesh with its shift, or a list of points with weights."""

    mesh: list[int]
    shift: list[float]
    list: list[list[float]]


class Mixing(TypedDict):
    """Mixing of densities."""

    beta: float


class Dispersion(TypedDict):
    """The dispersion correction."""

    model: str
    functional: str


class RealSpace(TypedDict):
    """A mesh: whether each direction is periodic, and the kind of its region."""

    periodic: list[bool]
    region: str


class LocalOrbitals(TypedDict):
    """Local orbitals: which functions, and radii in bohr."""

    functions: str
    radius: float
    box_radius: float | None
    optimise: bool
    kernel: str
    kernel_cutoff: float


class KPointSettings(TypedDict):
    """K-points of the density (None: Gamma alone), whether symmetry reduces them, and points that are solved after."""

    kpoints: KPoints | None
    symmetry: bool
    band_path: list[list[float]]


class PotentialFile(TypedDict):
    """The pseudopotential of a species: a file, and which of it."""

    file: str
    valence: int
    name: str
    core_density: NotRequired[bool]  # whether it has one


class ExternalField(TypedDict):
    """The table [external], its file as seen from here."""

    potential: str | None
    axis: int | None
    field: float
    dipole_correction: bool


class KickSettings(TypedDict):
    """A kick: momentum in 1/bohr."""

    momentum: list[float]
    gauge: str


class LaserSettings(TypedDict):
    """A pulse: Ha/bohr along the axes, Ha, radians, hbar/Ha."""

    field: list[float]
    frequency: float
    phase: float
    duration: float
    centre: float
    envelope: str
    gauge: str


class MovingAtoms(TypedDict):
    """Atoms that move: electron masses, bohr Ha/hbar."""

    masses: list[float]
    velocities: list[list[float]]


class PropagationSettings(TypedDict):
    """Propagation in time, in hbar/Ha."""

    timestep: float
    steps: int
    every: int
    propagator: PropagatorName
    propagator_reason: str
    tolerance: float
    kick: KickSettings | None
    lasers: list[LaserSettings]
    absorber: dict[str, float] | None  # width (bohr) and strength (Ha)
    density_every: int  # steps; 0: none
    forces: bool  # in the table
    magnetic_moment: bool
    excited: bool
    occupations: bool  # of the bands of the start
    moving: MovingAtoms | None
    restart: str | None  # the state from which it goes on
    first_step: int  # that of the state
    checkpoint: str | None  # where states are saved
    identity: str  # JSON: what of an input has to stay the same, by names


class CasidaSettings(TypedDict):
    """Of Casida's equation: tolerance of the levels, Ha."""

    spin: Literal["singlet", "triplet"]
    tolerance: float


class FieldResponseSettings(TypedDict):
    """Response to electric fields."""

    axes: list[bool]  # fields that are computed
    tolerance: float
    identity: str  # JSON, as of a propagation
    known: list[dict[str, Any]]  # fields of an earlier run, as the core reports them


class Checkpoints(TypedDict):
    """Where and when checkpoints are written, and the texts in them."""

    file: str
    every_seconds: float | None
    every_steps: int | None
    keep: int
    at_end: bool
    input: str
    versions: str
    program: str


class Grids(TypedDict):
    """FFT grids; on a mesh its points along the lattice vectors."""

    grid: list[int]
    density_grid: list[int] | None  # None: that of the bands


class Problem(CellAndAtoms, KPointSettings, Grids):
    """The problem: what Python reads of it. bindings/python/problem.cpp reads these and further keys of the input."""

    pseudopotentials: list[PotentialFile]
    initial_magnetic_moments: list[float]
    initial_moment_vectors: list[list[float]]  # with noncollinear spin; empty: no magnetisation
    threads: int
    dispersion: Dispersion | None
    restart: str | None
    xc: str
    smearing: Smearing | None
    occupations: list[list[float]] | None  # electrons of bands, by spin
    spins: int
    spinors: bool
    spin_orbit: bool
    total_magnetisation: float | None
    charge: float
    method: str
    energy_tolerance: float
    max_steps: int
    mixing: Mixing
    transports_file: str
    external: ExternalField | None
    propagation: PropagationSettings | None
    casida: CasidaSettings | None
    field_response: FieldResponseSettings | None
    ecut: float
    exchange: NotRequired[dict[str, Any] | None]  # exact exchange, as given
    periodic: NotRequired[list[bool]]  # of plane waves: whether each direction is
    realspace: RealSpace | None
    local_orbitals: LocalOrbitals | None
    density_ecut: float | None
    bands: int
    checkpoint: Checkpoints | None
    keep_potential: str | None  # "electrostatic" or "total"
    average_axis: int | None  # of the averages of the electrostatic potential over planes
    dos_tetrahedra: str | None  # that a density of states needs
    extremum_axes: list[bool]  # along which band extrema are searched; empty: not
    moment_axes: list[bool]  # along which moments of the charge are wanted
    forces: bool
    stress: bool
    precision: str
    may_add_bands: bool
    memory_limit: float | None


def field_grid(problem: Problem) -> list[int]:
    """Return the grid of densities and potentials."""
    return problem["density_grid"] or problem["grid"]
