"""The task of a job, and the data that it needs."""

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from wavegrid.model.names import SmearingName
    from wavegrid.model.problem import Smearing

FOLLOWING = ("relax", "md")  # tasks of many geometries, of which each follows from those before
SERIES = (
    "eos",
    "elastic",
    "phonon",
    "vibrations",
    "neb",
)  # of many geometries that are known before, but for relaxations among them
MOTION = (*FOLLOWING, *SERIES)  # the tasks of many geometries
ANISOTROPY, HUBBARD_U = "anisotropy", "hubbard-u"
REPEATED = (ANISOTROPY, HUBBARD_U)  # of one geometry, in many problems
WITHOUT_PLOT = ("scf", "born", "wannier", *REPEATED)
SECTIONS = (*MOTION, "wannier", "propagate", "casida", ANISOTROPY)  # those with a section of their name


class OrbitalTask(TypedDict):
    """The table [output.orbitals], Ha and bohr."""

    bands: list[int | str]
    kpoint: int | None
    energies: list[float] | None
    stm_height: float | None
    stm_current: bool
    elf: bool
    format: str


class BandPath(TypedDict):
    """A path through the Brillouin zone. Lengths in 1/bohr."""

    x: list[float]
    labels: list[str]
    label_x: list[float]


class DosTask(TypedDict, total=False):
    """A density of states: broadening and its width (Ha), number of energies (None: by the program), smearing."""

    broadening: "SmearingName"
    width: float
    points: int | None
    smearing: "Smearing | None"


class RelaxTask(TypedDict, total=False):
    """The keys of [relax], Ha and bohr, GPa."""

    optimizer: Literal["bfgs", "lbfgs", "fire"]
    max_steps: int
    force_tolerance: float
    largest_step: float
    displace: float | None
    cell: str
    strain: list[bool] | None
    pressure: float
    stress_tolerance: float


class MdTask(TypedDict, total=False):
    """The keys of [md], fs and K, and what the dynamics begin with."""

    ensemble: Literal["nve", "langevin", "nose-hoover", "npt"]
    steps: int
    timestep: float
    temperature: float
    thermostat_time: float
    barostat_time: float
    seed: int
    write_every: int
    momenta: list[list[float]] | None  # ASE's unit
    masses: list[float] | None  # amu


class EosTask(TypedDict, total=False):
    """Of [eos]: volumes, multiples of that of the cell."""

    volumes: list[float]


class ElasticTask(TypedDict, total=False):
    """The keys of [elastic], whose force tolerance (Ha/bohr) is that of a relaxation, too."""

    strain_size: float
    relax_atoms: bool
    relax_steps: int


class BornData(TypedDict):
    """Charges `[atom][force][field]`, e, and the dielectric tensor."""

    charges: list[list[list[float]]]
    dielectric: list[list[float]]


class PhononTask(TypedDict, total=False):
    """Of [phonon], bohr and K: repetitions of the cell, path and mesh in units of its reciprocal vectors."""

    repeats: list[int]
    displacement: float
    q_points: list[list[float]]
    q_mesh: list[int] | None
    nac: BornData | None
    max_temperature: float


class VibrationsTask(TypedDict, total=False):
    """Of [vibrations]: indices of the atoms, whether rotations cost no energy, and whether nothing moves freely."""

    moving: list[int]
    rotations: bool
    held: bool
    between_points: bool  # whether places between the points of a mesh differ
    mesh_positions: int  # of each geometry between them: 1, 2, 4 or 8


class NebTask(TypedDict, total=False):
    """Of [neb]: the first images, fractional coordinates; eV/Angstrom^2."""

    images: list[list[list[float]]]
    climb: bool
    spring: float
    parallel_images: int  # that groups of ranks solve at the same time


class WannierTask(TypedDict, total=False):
    """The keys of [wannier], Ha."""

    projections: list[str]
    scdm: int | None
    scdm_energy: float | None
    scdm_width: float
    first_band: int
    last_band: int | None
    unk: bool


class AnisotropyTask(TypedDict, total=False):
    """The keys of [anisotropy]."""

    directions: list[list[float]]
    method: Literal["force-theorem", "full", "both"]
    meshes: list[list[int]] | None
    identity: str  # JSON
    known: list[dict[str, Any]]  # of it, done by a run with the same input
    scalar_density: bool  # whether the density that is turned is without spin-orbit coupling


class HubbardTask(TypedDict, total=False):
    """U by linear response: the largest shift (Ha), and what of it is done by a run with the same input."""

    shift: float
    identity: str  # JSON
    known: list[dict[str, Any]]


class ScfTask(TypedDict, total=False):
    """Several starts of DFT+U: of each, element, number of the shell in the input, and initial occupations."""

    starts: list[list[tuple[str, int, list[list[float]]]]]


class PropagateTask(TypedDict, total=False):
    """Of [propagate] what the display and the result have: the momentum of the kick (1/bohr) and its gauge."""

    momentum: list[float] | None
    gauge: Literal["dipole", "velocity"] | None


class Task(
    DosTask,
    RelaxTask,
    MdTask,
    EosTask,
    ElasticTask,
    PhononTask,
    VibrationsTask,
    NebTask,
    WannierTask,
    PropagateTask,
    AnisotropyTask,
    HubbardTask,
    ScfTask,
    total=False,
):
    """What a job computes: its `kind` and what that kind needs."""

    kind: str
    path: BandPath | None
    window: list[float]  # Ha
    trajectory: str | None  # that a run continues
    zero_weight: int  # last points of the band path that are k-points of weight zero
    fixed_atoms: list[int] | None
