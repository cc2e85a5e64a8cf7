"""The files that a run writes, checked before it starts: none may replace an input or a file of another kind."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wavegrid.errors import InputError
from wavegrid.files import kinds, names
from wavegrid.job.job import Job
from wavegrid.model.tasks import SERIES, WITHOUT_PLOT, OrbitalTask

_ELSEWHERE = "another directory by [output] directory or --output"
_TABLES = {
    "bands": [names.BANDS_TABLE],
    "dos": [names.DOS_TABLE],
    "propagate": [names.PROPAGATION],
    "born": [names.BORN_FIELDS],
    "hubbard-u": [names.HUBBARD_RESPONSE],
    "anisotropy": [names.ANISOTROPY],
    "casida": [names.CASIDA],
} | {kind: [f"{kind}.csv"] for kind in SERIES}  # of a task
_REPLACED = ("the checkpoint of --restart", "the state of --restart")  # once a new one is complete
_AXES = ("x", "y", "z")


def density_names(components: int) -> tuple[str, ...]:
    """Return the names of the components of a density, in the core's order."""
    vectors = tuple(f"magnetisation_{axis}" for axis in _AXES)
    return ("density", *vectors) if components == len(vectors) + 1 else ("density", "magnetisation")[:components]


def _num_components(job: Job) -> int:
    return 1 + len(_AXES) if job.problem["initial_moment_vectors"] else job.problem["spins"]


def has_core_charge(job: Job) -> bool:
    """Return whether the density comes with a file of the charge of core electrons."""
    return job.density == "chgcar" and any(one.get("core_density") for one in job.problem["pseudopotentials"])


def orbital_names(task: OrbitalTask, spins: int) -> list[str]:
    """Return the names of the fields that are made of bands, in their order."""
    channels = ("",) if spins == 1 else ("_up", "_down")
    found = [f"orbital_{one}{channel}" for one in task["bands"] for channel in channels]
    found += ["states"] if task["energies"] is not None else []
    return found + ([f"elf{channel}" for channel in channels] if task["elf"] else [])


def wannier_seeds(spins: int) -> list[str]:
    """Return the seed names of Wannier90 for each spin."""
    return ["wannier90"] if spins == 1 else ["wannier90_up", "wannier90_dn"]


def potential_names(job: Job) -> tuple[str, ...]:
    """Return the names of the potential that the job writes, in the core's order."""
    if job.problem["keep_potential"] == "total" and job.problem["spins"] == 2:
        return ("potential_up", "potential_down")
    if job.problem["keep_potential"] == "total" and job.problem["initial_moment_vectors"]:
        return ("potential", *(f"magnetic_field_{axis}" for axis in _AXES))
    return ("potential",)


def check(job: Job, trace: str | None) -> None:
    """Refuse a run whose outputs would replace an input, each other, or what is not a file of the same kind.

    Raises InputError for the first one.
    """
    if trace == "":
        raise InputError("--trace is empty; valid: the name of a file")
    written: dict[str, str] = {}
    for path, kind, option, valid in _outputs(job, trace):
        for name, source in _inputs(job):
            if _same(path, source) and not (name in _REPLACED and kind == ".h5"):
                raise InputError(f"{option}: is {name}; valid: {valid}")
        if (other := written.get(_real(path))) is not None:
            raise InputError(f"{option}: is also {other}; valid: {valid}")
        _check_kind(path, kind, option, valid)
        written[_real(path)] = f"written by this run as {path.name}"


def step_file(name: str, step: int, kind: str) -> str:
    """Return the name of a field's file of a step in time."""
    return f"{name}_{step:06d}.{kind}"


def step_format(job: Job) -> str:
    """Return the format of densities in time: that of the density, or cubes where a file of it has all components."""
    return "cube" if job.density is None or job.density in names.VASP else job.density


def file_names(job: Job) -> list[str]:
    """Return the names of the files that a run of the job leaves."""
    found = [names.RESULT, names.EXTXYZ]
    if job.moves:
        found.append(names.TRAJECTORY)
    if (time := job.problem["propagation"]) is not None and time["density_every"]:
        steps = range(0, time["steps"] + 1, time["density_every"])
        found += [step_file(n, k, step_format(job)) for n in density_names(_num_components(job)) for k in steps]
    if job.density is not None:
        found += _field_files(density_names(_num_components(job)), job.density)
        found += [names.CORE_CHARGE] if has_core_charge(job) else []
    found += names.SURFACE if job.surface is not None else ()
    if job.potential is not None:
        found += _field_files(potential_names(job), job.potential)
        averaged = job.problem["average_axis"] is not None
        found += [names.POTENTIAL_PLOT, names.POTENTIAL_TABLE] if averaged else []
    if job.orbitals is not None:
        found += [f"{name}.{job.orbitals['format']}" for name in orbital_names(job.orbitals, job.problem["spins"])]
        found += [names.STM_PLOT] if job.orbitals["stm_height"] is not None else []
    if job.task["kind"] == "wannier":
        seeds = wannier_seeds(job.problem["spins"])
        found += [f"{seed}.{kind}" for seed in seeds for kind in ("win", "eig", "mmn", "amn")]
    found += _TABLES.get(job.task["kind"], [])
    found += [names.PHONOPY] if job.task["kind"] == "phonon" else []
    return found + ([f"{job.task['kind']}.png"] if job.task["kind"] not in WITHOUT_PLOT else [])


def _field_files(components: Sequence[str], kind: str) -> list[str]:
    """Return the names of the files of a field in a format; VASP's have a name of their own."""
    return [kind.upper()] if kind in names.VASP else [f"{name}.{kind}" for name in components]


def _outputs(job: Job, trace: str | None) -> Iterator[tuple[Path, str, str, str]]:
    """Return path, kind, name in messages and remedy of each file."""
    directory = Path(job.directory)
    files = [directory / name for name in file_names(job)]
    if (checkpoint := job.problem["checkpoint"]) is not None:
        newest = Path(checkpoint["file"])
        # Older ones get the next number when a new one is written.
        files += [newest.with_name(names.STATE)] if job.task["kind"] == "propagate" else []
        files += [newest, *(newest.with_suffix(f".{n}{newest.suffix}") for n in range(1, checkpoint["keep"]))]
    for path in files:
        kind = "result" if path.name == names.RESULT else path.suffix or "vasp"
        yield path, kind, f"'{path}'", _ELSEWHERE
    if trace is not None:
        yield Path(trace), "trace", f"--trace {trace}", "another name"


def _inputs(job: Job) -> Iterator[tuple[str, Path]]:
    """Return name and path of each file that the run reads."""
    yield "the input file", Path(job.file)
    structure = job.input.get("structure", {}).get("file")
    if isinstance(structure, str):
        yield "the structure file", Path(job.file).parent / structure
    for choice in job.problem["pseudopotentials"]:
        yield "a pseudopotential file", Path(choice["file"])
    if job.problem["restart"] is not None:
        yield "the checkpoint of --restart", Path(job.problem["restart"])
    if (time := job.problem["propagation"]) is not None and time["restart"] is not None:
        yield "the state of --restart", Path(time["restart"])
    if job.problem["transports_file"]:
        yield "the transports_file of [parallel]", Path(job.problem["transports_file"])


def _check_kind(path: Path, kind: str, option: str, valid: str) -> None:
    try:
        if not path.exists():
            return
        if not path.is_file():
            what = "a directory" if path.is_dir() else "not a plain file"
            raise InputError(f"{option}: is {what}; valid: {valid}")
        if not kinds.is_of_kind(path, kind):
            raise InputError(
                f"{option}: exists and is not a file of this kind by wavegrid; valid: {valid}, or remove it"
            )
    except OSError as fault:
        raise InputError(f"{option}: cannot be read: {fault.strerror}; valid: {valid}") from None


def _same(path: Path, other: Path) -> bool:
    """Whether two names belong to one file, or would."""
    try:
        return path.samefile(other)
    except OSError:
        return _real(path) == _real(other)


def _real(path: Path) -> str:
    """Return the path without symbolic links; `resolve` raises for one that leads to itself."""
    return os.path.realpath(path)
