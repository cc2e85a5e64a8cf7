"""From a valid input file to the problem of the core: species, electrons, bands, k-points, grid, notes."""

import json
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import wavegrid
from wavegrid.base.text import counted as counted_noun
from wavegrid.errors import InputError
from wavegrid.files import anisotropy, field_response, hubbard_response, readable
from wavegrid.files.names import CHECKPOINT, STATE
from wavegrid.input import electrons as counted
from wavegrid.input import (
    groups,
    hubbard,
    kpoints,
    output,
    propagation,
    pseudopotentials,
    series,
    structure,
    tasks,
    wannier,
)
from wavegrid.input.basis.base import InputBasis
from wavegrid.input.basis.choose import from_basis, with_density_cutoff
from wavegrid.input.document import Document, read
from wavegrid.input.features import check as features
from wavegrid.input.features.capability import Asked
from wavegrid.input.models import Input
from wavegrid.input.models.external import External
from wavegrid.input.vacuum import dispersing, ends, slab_axis, without_work_function
from wavegrid.input_warnings import inputs, remark
from wavegrid.input_warnings import potentials as potential_warnings
from wavegrid.input_warnings.setup import Setup
from wavegrid.job import hamiltonian, resume, time_state
from wavegrid.job.job import Job
from wavegrid.model.names import TETRAHEDRA
from wavegrid.model.problem import Checkpoints, ExternalField, FieldResponseSettings, Problem, PropagationSettings
from wavegrid.model.tasks import ANISOTROPY, HUBBARD_U, MOTION, OrbitalTask, Task
from wavegrid.process import machine

if TYPE_CHECKING:
    from ase import Atoms

_FLOPS = 1e10  # operations per second of an FFT, where a file has none: those of costmodel/machine.hpp
_LEVEL_TOLERANCE = 1e-6  # Ha, of the bands of Casida's equation
RESPONSE_TOLERANCE = 1e-6  # of the change of the potential, relative
_EMPTY_BANDS = {"bands": 4, "dos": 4, "casida": 20, "born": 2}  # at least, above fixed occupations


def prepare(core: ModuleType, path: Path, **options: Any) -> Job:
    """Read an input file and return its job; raises InputError for the first fault. Writes nothing.

    The options are those of `prepare_document`.
    """
    return prepare_document(core, *read(path), **options)


def prepare_document(
    core: ModuleType,
    document: Document,
    spec: Input,
    *,
    threads: int = 1,
    directory: str | None = None,
    ranks: int | None = None,
    restart: str | None = None,
    strict: bool = False,
    moved: bool = False,
    atoms: "Atoms | None" = None,
) -> Job:
    """Return the job of an input that has been read; raises InputError for the first fault.

    `ranks`: on how many it will run, where that is known; a split that does not fit them is then refused. `restart`: a
    checkpoint that the run begins with; one that does not fit is refused. `strict`: warnings are refused. `moved`: the
    atoms come from an earlier geometry of a session; spheres around them may be several pieces. `atoms`: ASE's,
    where the structure of the input has only their cell and places.
    """
    groups.check(document, spec.parallel, _ranks_of_geometry(spec, ranks))
    features.check(document, Asked(spec, tasks.kind_of(spec)))
    _check_transports_file(document, spec)
    _check_external(document, spec)
    if spec.electrons.has_spinors() and spec.task.projections == "lm":
        raise document.error(("task", "projections"), 'projections = "lm" with spinors; valid: "l", "j" or "jm"')
    if not spec.electrons.has_spinors() and spec.task.projections in ("j", "jm"):
        raise document.error(
            ("task", "projections"),
            f'projections = "{spec.task.projections}" without spinors; valid: "l" or "lm", or spin_orbit = true',
        )
    output.check(document, spec)
    basis = from_basis(spec.basis)
    notes: list[str] = []
    given = structure.build(core, document, spec.structure, notes, spec.basis.periodic())
    if atoms is not None:
        given = structure.with_initial_state(given, atoms, notes)
    spec = counted.with_spin(spec, given, notes)
    start = _start(restart, given, spec, notes)
    crystal = start.crystal
    species = crystal.species()
    xc = counted.check_xc(core, document, spec.electrons.xc)
    choices = pseudopotentials.choose(core, document, spec.electrons.pseudopotentials, species, basis.cutoff(), xc)
    potentials = dict(zip(species, choices, strict=True))
    features.check(document, Asked(spec, tasks.kind_of(spec), xc, tuple(potentials.items())))
    spec, density_reason = with_density_cutoff(spec, potentials)
    basis = from_basis(spec.basis)
    if not spec.electrons.spin_orbit:
        pseudopotentials.require_spin_orbit(document, potentials)
    notes += pseudopotentials.spin_orbit_notes(potentials, spin_orbit=spec.electrons.spin_orbit)
    valence = {element: choice.valence for element, choice in potentials.items()}
    correction = counted.check_dispersion(document, spec.electrons.dispersion, xc, species)
    electrons = counted.count(document, spec.electrons, valence, crystal.symbols)
    spec = counted.with_moment_of_atom(spec, crystal, valence, notes)
    moments = counted.moments(document, spec, crystal, valence, notes)
    vectors = counted.moment_vectors(document, spec, crystal, valence, notes)
    kpoint_choice = kpoints.choose(core, document, spec, given, notes)  # a mesh stays as it is while the cell changes
    if spec.electrons.has_spinors() and kpoint_choice.gamma_alone():
        notes.append("Gamma alone: wave functions of two components are complex")
    task = tasks.describe(document, spec, kpoint_choice.path, crystal, notes, continued=start.trajectory is not None)
    task |= {"trajectory": start.trajectory, "zero_weight": kpoint_choice.zero_weight}
    task |= {"starts": hubbard.starts(document, spec, task["kind"], restart)}
    if task["kind"] == "bands" and vectors:
        notes += kpoints.path_with_moments(core, crystal, vectors)
    fixed = tasks.fixed(document, spec, crystal, notes)
    axis = spec.output.average_axis
    settings = {
        **_settings(spec, len(crystal.symbols)),
        **series.first_geometry(spec, tasks.kind_of(spec), crystal).as_dict(),
        "pseudopotentials": [choice.as_dict() for choice in choices],
        "hubbard": hubbard.settings(document, spec, species),
        "initial_magnetic_moments": moments,
        "initial_moment_vectors": vectors,
        "threads": threads,
        "machine": _machine(document, spec.parallel.machine, ranks),
        "dispersion": correction,
        "restart": start.checkpoint,
        **kpoint_choice.problem,
        "external": _external(document, spec),
        "average_axis": slab_axis(crystal, spec.basis.periodic()) if axis is None else axis - 1,
        "dos_tetrahedra": task["broadening"] if task.get("broadening") in TETRAHEDRA else None,
        "extremum_axes": dispersing(crystal, spec.basis.periodic()) if spec.task.extrema else [],
        "moment_axes": ends(crystal, spec.basis.periodic()),
        "propagation": propagation.settings(spec, crystal, xc) if task["kind"] == "propagate" else None,
        "casida": {**spec.casida.model_dump(), "tolerance": _LEVEL_TOLERANCE} if task["kind"] == "casida" else None,
        "field_response": None,
        **basis.problem(spec.parallel, given),  # a region stays as it is while the atoms move
    }
    problem = cast(Problem, settings)
    like = problem | given.as_dict()
    grids = basis.grids(core, document, like, notes, series.largest_cell(spec, task["kind"], crystal))
    problem["grid"], problem["density_grid"] = grids["grid"], grids["density_grid"]
    empty = max(_EMPTY_BANDS.get(task["kind"], 0), output.empty_bands(spec.output.orbitals))
    empty *= 2 if spec.electrons.has_spinors() else 1
    across = slab_axis(crystal, spec.basis.periodic())
    output.check_slab(document, spec, crystal, across)
    output.check_average(document, spec, problem["average_axis"])
    if spec.output.potential == "electrostatic":
        notes += without_work_function(crystal, spec.basis.periodic())
    potential_warnings.check(document, basis, potentials)
    basis.check_points(core, document, problem, None if moved else given)
    problem["bands"] = counted.choose_bands(document, spec.electrons, electrons, moments, empty=empty)
    problem["bands"] = output.bands(document, spec, problem["bands"])
    if task["kind"] == "wannier":
        problem["bands"] = wannier.bands(document, spec, crystal, problem["bands"])
    path = document.path
    directory = directory or spec.output.directory or path.stem
    problem["checkpoint"] = _checkpoint(core, document, spec, directory)
    problem["may_add_bands"] = spec.electrons.bands is None and counted.may_need_bands(spec.electrons)
    if problem["propagation"] is not None:
        _complete_propagation(problem["propagation"], problem, electrons, directory, restart)
        if time_state.is_state(restart):
            notes.append(f"continues {restart} after step {problem['propagation']['first_step']}")
    if task["kind"] == "born":
        problem["field_response"] = _field_response(problem, electrons, restart, notes)
    if task["kind"] == HUBBARD_U:
        task |= _hubbard_response(problem, electrons, task["shift"], restart, notes)
    if task["kind"] == ANISOTROPY:
        task |= _anisotropy(document, problem, electrons, potentials, task["method"], restart, notes)
    problem["memory_limit"] = None  # until the run knows what its machine has left
    _check_with_core(core, document, spec, basis, problem, task, ranks)
    if start.checkpoint is not None:
        notes += _check_restart(start, problem, electrons, document.data)
    remarks = inputs.remarks(Setup(core, spec, crystal, electrons, moments, kpoint_choice, xc, potentials))
    warnings = remark.warnings(remarks)
    if strict:
        remark.refuse(str(path), warnings)
    return Job(
        str(path),
        spec.title or path.stem,
        directory,
        problem,
        document.data,
        electrons,
        notes + remark.notes(remarks),
        warnings,
        [choice.described(element) for element, choice in potentials.items()],
        cast(Task, task),
        spec.output.density,
        spec.output.potential_format if spec.output.potential else None,
        None if spec.output.orbitals is None else cast(OrbitalTask, spec.output.orbitals.model_dump()),
        spec.output.polarisation,
        {} if fixed is None else fixed.as_dict(),
        density_reason,
        surface=spec.output.surface,
        average_width=spec.output.average_width,
        across_slab=across is not None and across == problem["average_axis"],
    )


def _ranks_of_geometry(spec: Input, ranks: int | None) -> int | None:
    """Return on how many ranks each geometry is solved."""
    if ranks is None or tasks.kind_of(spec) != "neb":
        return ranks
    return ranks // min(ranks, spec.neb.parallel_images, spec.neb.images)


def _start(restart: str | None, crystal: structure.Crystal, spec: Input, notes: list[str]) -> resume.Start:
    """Return what the first loop begins with."""
    kind = tasks.kind_of(spec)
    if kind in MOTION:
        return resume.start(restart, crystal, spec, notes)
    if kind == "propagate" and restart is not None and time_state.is_state(restart):
        return resume.Start(crystal, time_state.ground_state(restart))
    return resume.Start(crystal, restart)


def _complete_propagation(
    time: PropagationSettings, problem: Problem, electrons: float, directory: str, restart: str | None
) -> None:
    """Add to a propagation where its state is saved, and from which one it goes on."""
    identity = time_state.identity(problem, electrons)
    time["identity"] = json.dumps(identity)
    if problem["checkpoint"] is not None:
        time["checkpoint"] = str(Path(directory) / STATE)
    if restart is not None and time_state.is_state(restart):
        time["restart"], time["first_step"] = restart, time_state.check(restart, time, identity)


def _field_response(problem: Problem, electrons: float, restart: str | None, notes: list[str]) -> FieldResponseSettings:
    """Return the fields that are to be computed; those that are done in the directory of a checkpoint are not."""
    identity = json.dumps(hamiltonian.identity(problem, electrons))
    known = [] if restart is None else field_response.FILE.known(restart, identity)
    axes = [axis not in {one["axis"] for one in known} for axis in range(3)]
    if known:
        notes.append(f"continues after {counted_noun(len(known), 'field')}")
    return {"axes": axes, "tolerance": RESPONSE_TOLERANCE, "identity": identity, "known": known}


def _hubbard_response(
    problem: Problem, electrons: float, shift: float, restart: str | None, notes: list[str]
) -> dict[str, Any]:
    """Return what of a response of shells is done in the directory of a checkpoint, by a run with the same input."""
    identity = json.dumps([hamiltonian.identity(problem, electrons), shift])
    known = [] if restart is None else hubbard_response.FILE.known(restart, identity)
    if known:
        notes.append(f"continues after {counted_noun(len(known), 'shifted potential')}")
    return {"identity": identity, "known": known}


def _anisotropy(
    document: Document,
    problem: Problem,
    electrons: float,
    potentials: dict[str, pseudopotentials.Choice],
    method: str,
    restart: str | None,
    notes: list[str],
) -> dict[str, Any]:
    """Return what of an anisotropy is done in the directory of a checkpoint, by a run with the same input."""
    coupled = [element for element, choice in potentials.items() if choice.spin_orbit and choice.augmented]
    if coupled and method != "full":
        raise document.error(
            ("anisotropy", "method"),
            f"method '{method}' needs a density without spin-orbit coupling, and the dataset of {', '.join(coupled)} "
            'has no part without it; valid: "full"',
        )
    identity = json.dumps([hamiltonian.identity(problem, electrons), problem["initial_moment_vectors"]])
    known = [] if restart is None else anisotropy.FILE.known(restart, identity)
    if known:
        notes.append(f"continues after {counted_noun(len(known), 'energy', 'energies')}")
    return {"identity": identity, "known": known, "scalar_density": not coupled}


def _settings(spec: Input, atoms: int) -> dict[str, Any]:
    """Return the settings that the core takes as given in the input file, in Ha: three tables, and what differs."""
    return {
        **spec.electrons.model_dump(),
        **spec.scf.model_dump(),
        **spec.parallel.model_dump(),
        "projectors": spec.basis.projectors,
        "augmentation": spec.basis.augmentation,
        "projector_accuracy": spec.basis.projector_accuracy,
        "spins": 2 if spec.electrons.spin == "collinear" else 1,
        "spinors": spec.electrons.has_spinors(),
        "energy_tolerance": tasks.energy_tolerance(spec, atoms),
        "transports_file": spec.parallel.transports_file or "",
        "keep_density": spec.output.density is not None or spec.output.surface is not None,
        "keep_potential": spec.output.potential,
        "projections": tasks.kind_of(spec) == "dos" or spec.task.projections is not None,
        "projections_by_m": spec.task.projections in ("lm", "jm"),
        "projections_by_j": spec.task.projections in ("j", "jm"),
        "forces": spec.output.forces or tasks.kind_of(spec) in MOTION,
        "stress": spec.output.stress
        or (tasks.kind_of(spec) == "relax" and spec.relax.cell != "fixed")
        or (tasks.kind_of(spec) == "md" and spec.md.ensemble == "npt")
        or tasks.kind_of(spec) == "elastic",
    }


def _external(document: Document, spec: Input) -> ExternalField | None:
    """Return the table [external], with the path of its file seen from here."""
    if spec.external is None:
        return None
    table = cast(ExternalField, spec.external.model_dump())
    if table["potential"] is not None:
        table["potential"] = str(document.path.parent / table["potential"])
    return table


def _check_external(document: Document, spec: Input) -> None:
    """Refuse a field without its axis, and a file that cannot be read."""
    external = spec.external
    if external is None:
        return
    if external.axis is None and (external.field != 0 or external.dipole_correction):
        name = "field" if external.field != 0 else "dipole_correction"
        raise document.error(("external", name), f"{name} without axis; valid: axis = 1, 2 or 3 besides")
    if external.potential is not None and (reason := readable.refusal(document.path.parent / external.potential)):
        raise document.error(
            ("external", "potential"), f'potential = "{external.potential}": {reason}; valid: the name of a cube file'
        )


def _check_transports_file(document: Document, spec: Input) -> None:
    given = spec.parallel.transports_file
    reason = readable.refusal(Path(given)) if given is not None else readable.MISSING
    if reason not in ("", readable.MISSING):
        raise document.error(
            ("parallel", "transports_file"), f'transports_file = "{given}": {reason}; valid: the name of a file'
        )


def _machine(document: Document, path: str | None, ranks: int | None) -> dict[str, Any] | None:
    """Return what the core has to know of the machine: messages are between nodes if one node has too few cores."""
    if path is None:
        return None
    from wavegrid.input.network import from_file

    try:
        network = from_file(Path(path), f'machine = "{path}"')
    except InputError as fault:
        raise document.error(("parallel", "machine"), f'{fault}; valid: a file of "wavegrid bench machine"') from None
    cores = machine.usable_cores()
    flops = {"flops": network.rates({"fft": _FLOPS, "gemm": 0.0})["fft"]}
    if ranks is None or ranks <= cores:
        inside = {"latency": network.inside_latency, "bandwidth": network.inside_bandwidth}
        return flops | inside | {"pieces": network.inside_pieces}
    pieces = [(size, latency, bandwidth / cores) for size, latency, bandwidth in network.pieces]
    return flops | {"latency": network.latency, "bandwidth": network.bandwidth / cores, "pieces": pieces}


def _checkpoint(core: ModuleType, document: Document, spec: Input, directory: str) -> Checkpoints | None:
    """Return where and when the core writes checkpoints, and which texts they contain; None for none."""
    given = spec.output.checkpoint
    if given is None:
        return None
    versions = {"wavegrid": wavegrid.__version__, **core.versions()}
    return {
        "file": str(Path(directory) / CHECKPOINT),
        "every_seconds": given.every.seconds,
        "every_steps": given.every.steps,
        "keep": given.keep,
        "at_end": tasks.kind_of(spec) not in MOTION,
        "input": json.dumps(document.data, default=str),
        "versions": json.dumps(versions),
        "program": f"wavegrid {wavegrid.__version__}",
    }


def _check_restart(start: resume.Start, problem: Problem, electrons: float, data: dict[str, Any]) -> list[str]:
    """Refuse a checkpoint that the run cannot continue from; return notes on what is different there."""
    if not (path := start.checkpoint):
        raise InputError("--restart is empty; valid: a checkpoint file such as DIR/checkpoint.h5")
    from wavegrid.checkpoint import restart as restarts  # h5py takes long to import

    typed = f"{start.trajectory}: its checkpoint {Path(path).name}" if start.trajectory else path
    names = {"external": _by_name(problem["external"]), "pseudopotentials": _potential_names(data)}
    same_folder = cast(Problem, problem | names)
    return restarts.notes(path, same_folder, electrons, f"--restart {typed}", _energy_settings)


def _by_name(external: ExternalField | None) -> ExternalField | None:
    """Return the table with its file's name alone: the folder is seen from where a run is started."""
    if external is None or external["potential"] is None:
        return external
    return {**external, "potential": Path(external["potential"]).name}


def _potential_names(data: dict[str, Any]) -> Any:
    """Return the pseudopotentials of an input, files and folders without those around them."""
    given = data["electrons"]["pseudopotentials"]
    return (
        {element: Path(name).name for element, name in given.items()} if isinstance(given, dict) else Path(given).name
    )


def _energy_settings(written: str) -> dict[str, Any]:
    """Return functional, external field and pseudopotentials of an earlier input (JSON) with names alone, or {}."""
    try:
        data = json.loads(written)
        external = data.get("external")
        table = None if external is None else External.model_validate(external).model_dump()
        return {
            "external": _by_name(cast(ExternalField | None, table)),
            "xc": data["electrons"]["xc"],
            "pseudopotentials": _potential_names(data),
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        return {}


def _check_with_core(
    core: ModuleType,
    document: Document,
    spec: Input,
    basis: InputBasis,
    problem: Problem,
    task: dict[str, Any],
    ranks: int | None,
) -> None:
    """Let the core make k-points and basis: refuse what does not fit, and have a dos's bands converged at each."""
    try:
        described = core.describe(problem)
    except core.BadInput as fault:
        key: tuple[str, ...] = ("electrons", "kpoints") if spec.electrons.kpoints else ("structure",)
        key = ("external",) if str(fault).startswith("external: ") else key
        key = ("electrons", "exchange") if "exact exchange" in str(fault) and spec.electrons.exchange else key
        key = ("propagate",) if str(fault).startswith("propagation in time: ") else key
        key = ("propagate", "magnetic_moment") if "magnetic_moment = true" in str(fault) else key
        key = ("electrons", "hubbard") if str(fault).startswith("DFT+U: ") else key
        key = ("casida",) if str(fault).startswith("Casida's equation: ") else key
        key = ("task", "kind") if str(fault).startswith("response to electric fields: ") else key
        key = ("basis", "method") if str(fault).startswith("local orbitals: ") else key
        raise document.error(key, str(fault)) from None
    output.check_kpoint(document, spec, len(described["kpoints"]))
    given = bool(spec.electrons.bands)
    basis.check_size(document, described["basis_sizes"][0], ranks, problem["bands"], bands_given=given)
    if task["kind"] == "dos" and described["mode"] == "complex" and not basis.has_orbitals:
        # The loop converges what is occupied; along a path all bands are converged in the final potential.
        problem["band_path"] = [list(point[:3]) for point in described["kpoints"]] + problem["band_path"]
