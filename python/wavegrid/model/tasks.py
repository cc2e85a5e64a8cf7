"""The task of a job, and the data that it needs."""

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from wavegrid.model.names import SmearingName
    from wavegrid.model.problem import Smearing

MOTION = ("relax", "md", "eos")  # the tasks of many geometries
SECTIONS = (*MOTION, "propagate")  # those with a section of their name


class OrbitalTask(TypedDict):
    """The table [output.orbitals], Ha and bohr."""

    bands: list[int | str]
    kpoint: int | None
    energies: list[float] | None
    stm_height: float | None
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

    ensemble: Literal["nve", "langevin", "nose-hoover"]
    steps: int
    timestep: float
    temperature: float
    thermostat_time: float
    seed: int
    write_every: int
    momenta: list[list[float]] | None  # ASE's unit
    masses: list[float] | None  # amu


class EosTask(TypedDict, total=False):
    """The key of [eos], multiples of the volume of the cell."""

    volumes: list[float]


class PropagateTask(TypedDict, total=False):
    """Of [propagate] what the display and the result have: the momentum of the kick (1/bohr) and its gauge."""

    momentum: list[float] | None
    gauge: Literal["dipole", "velocity"] | None


class Task(DosTask, RelaxTask, MdTask, EosTask, PropagateTask, total=False):
    """What a job computes: its `kind` and what that kind needs."""

    kind: str
    path: BandPath | None
    window: list[float]  # Ha
    trajectory: str | None  # that a run continues
    zero_weight: int  # last points of the band path that are k-points of weight zero
    fixed_atoms: list[int] | None
