"""What the input of another program needs of a job of ours."""

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from wavegrid.comparison.inputs import mesh as meshes
from wavegrid.errors import InputError
from wavegrid.input.features import check as features
from wavegrid.job.job import Job
from wavegrid.model.problem import PotentialFile


@dataclass(frozen=True)
class Potential:
    """The pseudopotential of an element: its file, the entry in it, its format by the core's name for it."""

    element: str
    file: Path
    valence: int
    name: str
    format: str


@dataclass(frozen=True)
class Species:
    """Atoms of one element with the same initial moment (mu_B): pw.x gives moments by species."""

    potential: Potential
    moment: float


@dataclass(frozen=True)
class Case:
    """A calculation; bohr, fractional coordinates, Ha."""

    title: str
    cell: list[list[float]]
    atoms: list[tuple[Species, list[float]]]
    ecut: float
    grid: list[int] | None  # None: that of the other program
    density_ecut: float | None  # with a grid of the density of its own
    density_grid: list[int] | None
    aliased: bool  # whether the grid does not hold products of wave functions
    xc: str  # libxc's names joined by +
    bands: int | None  # None: as many as the other program takes
    mesh: list[int] | None  # None: Gamma alone with real wave functions, unless there is a list
    shift: list[float]
    kpoints: list[list[float]] | None  # a list of k-points with weights
    symmetric: bool
    smearing: tuple[str, float] | None
    occupations: list[list[float]] | None  # electrons of bands, by spin
    spins: int
    total_magnetisation: float | None
    charge: float
    dispersion: str | None
    tolerance: float  # of the free energy
    forces: bool
    stress: bool

    @property
    def species(self) -> list[Species]:
        """All species, each once."""
        return list(dict.fromkeys(species for species, _ in self.atoms))

    @property
    def potentials(self) -> list[Potential]:
        """The pseudopotentials, one for each element."""
        return list(dict.fromkeys(species.potential for species in self.species))


def case_of(core: ModuleType, job: Job) -> Case:
    """Return the case of a job; raises InputError for what other programs cannot compute."""
    problem = job.problem
    features.check_command("the input of another program", job.file, problem)
    if problem["spinors"]:
        raise InputError(f"{job.file}: inputs of other programs with spinors are not made; valid: without spin_orbit")
    if job.moves:
        job.notes.append("the other input is that of the first geometry")
    elif job.task["kind"] != "scf":
        job.notes.append("the other input is that of the density, without bands or density of states")
    elements = problem["species"]
    potentials = [
        _potential(core, element, chosen) for element, chosen in zip(elements, problem["pseudopotentials"], strict=True)
    ]
    moments = problem["initial_magnetic_moments"] or [0.0] * len(problem["atoms"])
    points = problem["kpoints"] or {}
    mesh, shift, symmetric = points.get("mesh"), points.get("shift", [0.0, 0.0, 0.0]), problem["symmetry"]
    listed = points.get("list")
    if mesh and not meshes.is_symmetric(problem["cell"], mesh, shift):  # other programs expand it to more points
        listed, mesh, symmetric = meshes.points(mesh, shift), None, False
    smearing = problem["smearing"]
    default = core.default_grid(problem["cell"], problem["ecut"])
    return Case(
        job.title,
        problem["cell"],
        [
            (Species(potentials[kind], moment), list(place))
            for (kind, *place), moment in zip(problem["atoms"], moments, strict=True)
        ],
        problem["ecut"],
        list(problem["grid"]),
        problem["density_ecut"],
        problem["density_grid"],
        any(n < least for n, least in zip(problem["grid"], default, strict=True)),
        core.check_xc(problem["xc"]),
        problem["bands"],
        mesh,
        shift,
        listed,
        symmetric,
        smearing and (smearing["kind"], smearing["width"]),
        problem["occupations"],
        problem["spins"],
        problem["total_magnetisation"],
        problem["charge"],
        problem["dispersion"] and problem["dispersion"]["model"],
        problem["energy_tolerance"],
        problem["forces"],
        problem["stress"],
    )


def _potential(core: ModuleType, element: str, chosen: PotentialFile) -> Potential:
    file, valence, name = chosen["file"], chosen["valence"], chosen["name"]
    try:
        info = core.pseudopotential_info(file, element, valence, name)
    except core.BadInput as fault:
        raise InputError(str(fault)) from None
    return Potential(element, Path(file), valence, name, info["format"])
