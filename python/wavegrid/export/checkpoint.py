"""Writes a checkpoint in the formats of other programs; each file is complete before it gets its name."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from wavegrid.base.text import printable
from wavegrid.checkpoint import blocks, layout
from wavegrid.checkpoint.header import Header, read_header
from wavegrid.checkpoint.reader import CREATOR, opened
from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.files import kinds, store
from wavegrid.files.names import CORE_CHARGE, RESULT, STM_PLOT
from wavegrid.job.job import Job
from wavegrid.model.core_result import CoreResult
from wavegrid.model.problem import Problem
from wavegrid.model.tasks import OrbitalTask

if TYPE_CHECKING:
    import h5py
    import numpy as np

    from wavegrid.export.core_charge import Table
    from wavegrid.export.wannier import Scdm

    Draw = Callable[[str, np.ndarray, np.ndarray, str], bytes]

_OUR_TEXT = b"by wavegrid"  # in the first lines of a cube or XSF file of ours
_OVERHEAD = 1 << 17  # bytes that names, types and checksums of an HDF5 file take, and more


def density(path: Path, kind: str, directory: Path, cores: "Mapping[str, Table | None] | None" = None) -> list[Path]:
    """Write density.cube or .xsf, with spin the magnetisation too, or CHGCAR into a directory; returns their paths.

    `cores`: densities of core electrons by element, for AECCAR0 next to CHGCAR.
    """
    from wavegrid.export import fields

    with opened(path) as file:
        header = read_header(file)
        values = blocks.grid(file, header, layout.DENSITY)
    job = _job(path, header, kind)
    contents = fields.files(job, CoreResult.read({"density": values}))
    if cores is not None:
        if missing := [one for one in header.species if one not in cores]:
            raise InputError(f"the input has no {missing[0]}, which {path} has; valid: the input of its run")
        contents[CORE_CHARGE] = partial(fields.core_charge, job, cores, values.shape[1:])
    return _write(path, contents, directory)


def surface(path: Path, value: float, directory: Path) -> list[Path]:
    """Write the potential on the surface where the density has a value, electrons/bohr^3; returns the paths.

    The potential is that of the density and of the ions, whose valence is that of result.json next to the checkpoint.
    """
    import numpy as np

    from wavegrid.export import surface_files
    from wavegrid.export.fields import Field

    with opened(path) as file:
        header = read_header(file)
        values = blocks.grid(file, header, layout.DENSITY)
    density = Field("density", "electrons/bohr^3", values[0], np.zeros(3), header.cell, [True] * 3)
    found = surface_files.of_density(_job(path, header, "cube"), density, _valence(path, header), value)
    return _write(path, found.files, directory)


def _valence(path: Path, header: Header) -> dict[str, float]:
    """Return the valence charge of each element, as the run of a checkpoint has written it."""
    import json

    result = path.with_name(RESULT)
    try:
        used = json.loads(result.read_text())["pseudopotentials"]
        found = {str(one["element"]): float(one["valence"]) for one in used}
    except (OSError, ValueError, LookupError, TypeError):
        found = {}
    if missing := [one for one in header.species if one not in found]:
        raise InputError(
            f"{result}: has no valence of {missing[0]}, which the potential needs; valid: the checkpoint in the "
            "directory of its run"
        )
    return found


def orbitals(path: Path, task: OrbitalTask, directory: Path, draw: "Draw") -> list[Path]:
    """Write the fields that are made of the bands into a directory; returns their paths. `draw`: of orbital_files."""
    return _write(path, orbital_files(path, task, draw=draw), directory)


def orbital_files(
    path: Path,
    task: OrbitalTask,
    title: str | None = None,
    draw: "Draw | None" = None,
) -> dict[str, Callable[[], bytes]]:
    """Return name and content of the files that are made of the bands of a checkpoint.

    `title`: of the files, without one that of the checkpoint; `draw`: makes the plot of a plane over a surface of its
    title, values, vectors and what the values are. Raises InputError for what the checkpoint does not have; a file is
    read again when its content is rendered.
    """
    from wavegrid.export import orbitals, stm
    from wavegrid.export.bands import Bands

    with opened(path) as file:
        header = read_header(file)
        wanted = [name for name, _ in orbitals.fields(Bands(file, header), task)]
    if (height := task["stm_height"]) is not None:
        stm.check(header, height)
    job = _job(path, header, task["format"])
    job.title = title or job.title

    @cache
    def values(name: str) -> orbitals.Values:
        with opened(path) as file:
            return dict(orbitals.fields(Bands(file, read_header(file)), task))[name]()

    def field(name: str) -> bytes:
        from wavegrid.export import fields

        found = values(name)
        (box,) = fields.boxes(job, [found.values], None, [name], found.unit)
        return fields.render(job, box, task["format"])

    files: dict[str, Callable[[], bytes]] = {f"{name}.{task['format']}": partial(field, name) for name in wanted}
    if draw is not None and height is not None:
        image = stm.heights if task["stm_current"] else stm.plane
        files[STM_PLOT] = lambda: draw(job.title, *image(values("states").values, header, height))
    return files


def _write(path: Path, contents: dict[str, Callable[[], bytes]], directory: Path) -> list[Path]:
    """Write files made of a checkpoint into a directory; return their paths."""
    targets = [directory / name for name in contents]
    for target in targets:
        check_target(target, path)
    _make(directory)
    for target, content in zip(targets, contents.values(), strict=True):
        store.write(target, content(), store.process_token())
    return targets


def _job(path: Path, header: Header, kind: str) -> Job:
    """Return as much of a job as the files of a density need."""
    import json

    atoms = [(index, *place) for index, place in zip(header.atom_species, header.positions.tolist(), strict=True)]
    known = {"cell": header.cell.tolist(), "species": header.species, "atoms": atoms, "spins": header.spins}
    problem = cast(Problem, known)
    try:
        title = printable(str(json.loads(header.input)["title"]))
    except (ValueError, LookupError, TypeError, RecursionError):
        title = path.stem
    return Job(str(path), title, "", problem, {}, header.electrons, density=kind)


def check_target(target: Path, source: Path) -> None:
    """Refuse to replace the checkpoint itself, a directory, or a file that no export made."""
    try:
        if not target.exists():
            return
        if target.samefile(source):
            raise InputError(f"{target} is the checkpoint itself; valid: another name")
        if target.is_dir():
            raise InputError(f"{target} is a directory; valid: the name of a file")
        if not _is_ours(target):
            raise InputError(
                f"{target} exists and is not a file that an export made; valid: another name, or remove it"
            )
    except OSError as fault:
        raise InputError(f"{target} cannot be read: {fault.strerror}; valid: another name") from None


def _is_ours(target: Path) -> bool:
    if target.suffix == ".eig" or target.name.startswith("UNK"):  # has no line for a remark: that of its neighbour
        others = [one for one in target.parent.glob("wannier90*.mmn") if one.is_file()]
        return bool(others) and _is_ours(others[0])
    if target.suffix == ".png":
        return kinds.is_of_kind(target, target.suffix)
    if target.suffix not in (".h5", ".hdf5"):
        with target.open("rb") as file:
            return _OUR_TEXT in file.read(4096)
    import h5py

    try:
        with h5py.File(target, "r", locking=False) as file:
            return CREATOR in file.attrs  # the checkpoint of a run has it not
    except (OSError, RuntimeError, LookupError):
        return False


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError(f"{directory}: no such directory can be made: {fault.strerror}") from None


@contextlib.contextmanager
def new_file(target: Path, size: int) -> Iterator["h5py.File"]:
    """Open a new HDF5 file that becomes `target` when the block ends well, and vanishes where it does not.

    `size`: bytes of its datasets. Raises EnvironmentFault where the file system refuses; where it has too little space,
    before HDF5 sees the file, which does not survive a failing write. Inside the block only writing may fail with an
    OSError: `reader` raises its own errors for what is read.
    """
    import h5py

    _make(target.parent)
    token = store.process_token()
    unfinished = store.partial(target, token)
    try:
        _reserve(target, token, size + _OVERHEAD)
        with h5py.File(unfinished, "w", libver=("v110", "v110")) as file:
            yield file
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        store.put_in_place(target, token)
    except (OSError, RuntimeError) as fault:
        text = getattr(fault, "strerror", None) or " ".join(str(fault).split())
        raise EnvironmentFault(f"{target} cannot be written: {text}; valid: a directory with free space") from None
    finally:
        store.remove_partial(target, token)


def _reserve(target: Path, token: str, size: int) -> None:
    """Make the unfinished file with its size and see whether there is space for it; raises OSError."""
    with open(store.open_partial(target, token), "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)


def quantum_espresso(path: Path, directory: Path) -> list[Path]:
    """Write Quantum ESPRESSO's wfcN.hdf5 (with spin wfcupN and wfcdwN) into a directory; returns their paths."""
    from wavegrid.export import espresso
    from wavegrid.export.bands import require_one_component

    with opened(path) as file:
        header = read_header(file)
        require_one_component(str(path), header)
        header.require_bands(path)
        places = [(k, spin) for k in range(len(header.ngk)) for spin in range(header.spins)]
        targets = [directory / espresso.name(header, k, spin) for k, spin in places]
        for target in targets:
            check_target(target, path)
        for target, (k, spin) in zip(targets, places, strict=True):
            with new_file(target, espresso.size(header, k)) as made:
                espresso.write(file, header, k, spin, made)
    return targets


def wannier(
    path: Path, directory: Path, guesses: "list[str] | Scdm", bands: tuple[int, int | None], *, unk: bool
) -> list[Path]:
    """Write the input files of Wannier90 into a directory; returns their paths. A .win that is there stays."""
    from wavegrid.export import wannier as export

    contents = export.files(path, guesses, first=bands[0], last=bands[1], unk=unk)
    kept = {name: made for name, made in contents.items() if name[-4:] != ".win" or not (directory / name).exists()}
    return _write(path, kept, directory)


def full(path: Path, target: Path) -> list[Path]:
    """Write a checkpoint that holds the whole sphere; returns its path."""
    from wavegrid.export import unfold

    if target.suffix != ".h5":
        raise InputError(f"--full {target}: valid: a name that ends in .h5")
    check_target(target, path)
    with opened(path) as file:
        header = read_header(file)
        with new_file(target, unfold.size(file, header)) as made:
            unfold.copy(file, header, made)
    return [target]
