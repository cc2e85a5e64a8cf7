"""The whole of result.json."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from wavegrid.model.anisotropy import Anisotropy
from wavegrid.model.born import BornCharges
from wavegrid.model.casida import Excitations
from wavegrid.model.crystal import AtomicCharges, Energy, Magnetisation, Multipoles, Structure
from wavegrid.model.derivatives import Forces, Stress
from wavegrid.model.earlier import present
from wavegrid.model.hubbard import HubbardResponse, HubbardStart, ShellOccupations
from wavegrid.model.motion import Dynamics, EquationOfState, Relaxation
from wavegrid.model.names import EigensolverName, PreconditionerName, ScfMethodName
from wavegrid.model.part import ByState, FermiLevel, InputTables, KPoint, Part
from wavegrid.model.polarisation import Polarisation
from wavegrid.model.propagation import Propagation
from wavegrid.model.run_statistics import (
    AugmentationUsed,
    CheckpointFile,
    ExactExchangeUsed,
    LocalOrbitalsUsed,
    Machine,
    Memory,
    MeshUsed,
    ParallelLayout,
    ProjectorsUsed,
    PseudopotentialUsed,
    Restart,
    ScfChange,
    ScfStep,
    Sent,
    WallSeconds,
    WarningGiven,
)
from wavegrid.model.series import ElasticConstants, Phonons, ReactionPath, Vibrations
from wavegrid.model.spectra import BandGap, Bands, Broadening, DensityOfStates, LevelsAtWeightZero
from wavegrid.model.surface import PotentialSurface
from wavegrid.model.vacuum import Vacuum

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core.core_schema import CoreSchema


class Result(Part):
    """The whole file. Ha and bohr, unless a key says otherwise."""

    schema_version: Literal[4]
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
    """Ha, `[spin][k-point][band]`; no bands of more than 1000 purified local orbitals"""
    residuals: ByState
    """norms of the residuals H psi - eps psi, Ha, `[spin][k-point][band]`"""
    occupations: ByState
    """electrons, weights of the k-points included, `[spin][k-point][band]`"""
    spinors: bool = False
    """whether bands have two components, with one electron in a full state"""
    smearing: Broadening | None = None
    """of the occupations, given or by default; left out where they are fixed"""
    fixed_magnetisation: float | None = None
    """with spin, where it is held fixed, given or by default: electrons up minus down"""
    band_gap: BandGap | None = None
    """on the k-points of the loop, where it is known: of an insulator with empty bands that are accurate"""
    potential_surface: PotentialSurface | None = None
    """with `[output] surface`"""
    vacuum: Vacuum | None = None
    """of a slab: where one lattice direction has vacuum, or a free boundary"""
    multipoles: Multipoles | None = None
    """of molecules, ions, chains and layers: where lattice directions have vacuum, or free boundaries"""
    magnetisation: Magnetisation | None = None
    """with spin"""
    atomic_charges: AtomicCharges | None = None
    """of a run that was not ended early"""
    hubbard: list[ShellOccupations] | None = None
    """with DFT+U: the shells, atom by atom"""
    polarisation: Polarisation | None = None
    """where the input asks for it"""
    forces: Forces | None = None
    """where the input asks for them"""
    stress: Stress | None = None
    """where the input asks for it"""
    levels_at_weight_zero: LevelsAtWeightZero | None = None
    """where the list of k-points has points of weight zero"""
    bands: Bands | None = None
    """with `[task] kind = "bands"`"""
    dos: DensityOfStates | None = None
    """with `[task] kind = "dos"`"""
    num_bands: int
    """bands of each k-point and spin; the program raises a default that leaves the highest one occupied"""
    too_few_bands: bool
    """whether the highest band is still occupied to more than 0.1 %; then the run has not converged"""
    moment_limited: bool = False
    """whether, with fixed occupations and a free moment, full bands of a spin keep it from being larger"""
    enough_bands: int | None = None
    """where there are too few: an estimate of the number that is enough"""
    at_rounding: bool
    """whether the run has converged to the rounding of the energy, which is above the tolerance"""
    hpsi_deviation: float
    """difference of the nonlocal energy of the bands and what the eigenvalues leave for it, Ha: a check of H psi"""
    scf_changes: Sequence[ScfChange] = ()
    """changes of method where the self-consistency loop stagnated"""
    recovered_states: int
    """states that the eigensolver had missed and a later check found"""
    scf_steps: int
    """steps of the self-consistency loop, each with a new density and potential"""
    scf_history: Sequence[ScfStep] = ()
    """the steps; with several geometries those of the last one"""
    relaxation: Relaxation | None = None
    """with `[task] kind = "relax"`"""
    dynamics: Dynamics | None = None
    """with `[task] kind = "md"`"""
    equation_of_state: EquationOfState | None = None
    """with `[task] kind = "eos"`"""
    elastic: ElasticConstants | None = None
    """with `[task] kind = "elastic"`"""
    phonons: Phonons | None = None
    """with `[task] kind = "phonon"`"""
    vibrations: Vibrations | None = None
    """with `[task] kind = "vibrations"`"""
    reaction_path: ReactionPath | None = None
    """with `[task] kind = "neb"`"""
    anisotropy: Anisotropy | None = None
    """with `[task] kind = "anisotropy"`"""
    hubbard_starts: list[HubbardStart] | None = None
    """with several `initial_occupations`, in their order"""
    hubbard_response: HubbardResponse | None = None
    """with `[task] kind = "hubbard-u"`"""
    propagation: Propagation | None = None
    """with `[task] kind = "propagate"`"""
    casida: Excitations | None = None
    """with `[task] kind = "casida"`"""
    born: BornCharges | None = None
    """with `[task] kind = "born"`"""
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
    projectors: ProjectorsUsed | None = None
    """with plane waves"""
    exact_exchange: ExactExchangeUsed | None = None
    """with a hybrid functional"""
    augmentation: AugmentationUsed | None = None
    """with ultrasoft and PAW datasets"""
    preconditioner: PreconditionerName
    """preconditioner of the mixing, as used"""
    preconditioner_reason: str = ""
    """why this one"""
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
    density_grid: tuple[int, int, int] | None = None
    """with a cutoff of its own: FFT grid of the density; `grid` is that of the wave functions"""
    density_ecut: float | None = None
    """cutoff of the density, Ha: as given, or by default of ultrasoft and PAW datasets"""
    density_ecut_reason: str = ""
    """why this one, where it is not given"""
    mesh: MeshUsed | None = None
    """with `[basis] method = "realspace"`"""
    local_orbitals: LocalOrbitalsUsed | None = None
    """with `[basis] method = "local-orbitals"`"""
    parallel: ParallelLayout
    """distribution over the ranks"""
    wall_seconds: WallSeconds
    """wall time by phase"""
    derivative_seconds: float | None = None
    """of `wall_seconds.total`, s: forces and stress, whose parts are in the phases too"""
    traffic: Sequence[Sent] = ()
    """what the ranks have sent to each other; of the last geometry where there are several"""
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
    warnings: Sequence[WarningGiven]
    """what may make the result wrong; empty in a run with `--strict` that ended with exit code 0"""
    input_file: str
    """path of the input file"""
    input: InputTables
    """the input file as it was read"""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        """Have pydantic read files of earlier versions, too."""
        from pydantic_core.core_schema import no_info_before_validator_function

        return no_info_before_validator_function(present, handler(source))
