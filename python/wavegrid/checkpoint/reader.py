"""Opens checkpoint files and reads their parts; every error in a file becomes one message that names it."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import layout
from wavegrid.errors import InputError, WavegridError, did_you_mean

if TYPE_CHECKING:
    import h5py  # takes long to import: where it is needed

_VALID = "valid: a checkpoint file such as DIR/checkpoint.h5"
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


@dataclass(frozen=True)
class Header:
    """The content of a checkpoint except wave functions and fields; Hartree and bohr."""

    half_sphere: bool
    single_precision: bool
    program: str
    created: str
    converged: bool
    steps: int
    block: int  # elements of a checksum block
    cell: np.ndarray  # (3, 3), lattice vectors as rows
    species: list[str]
    atom_species: list[int]
    positions: np.ndarray  # (atoms, 3), fractional
    ecut: float
    grid: tuple[int, int, int]
    kpoints: np.ndarray  # (k, 3), in units of the reciprocal vectors
    weights: np.ndarray  # (k)
    mesh: list[int]  # zeros where k-points were listed
    shift: list[float]
    ngk: list[int]  # G-vectors of each k-point
    spins: int
    bands: int
    electrons: float
    fermi: list[float]
    energy: float
    input: str
    versions: str

    def symbols(self) -> list[str]:
        """Return the element of each atom."""
        return [self.species[index] for index in self.atom_species]

    def volume(self) -> float:
        """Return the volume of the cell, bohr^3."""
        return float(abs(np.linalg.det(self.cell)))

    def reciprocal(self) -> np.ndarray:
        """Return the reciprocal vectors as rows, 2 pi included, 1/bohr."""
        return 2 * np.pi * np.linalg.inv(self.cell).T


@contextlib.contextmanager
def opened(path: Path) -> Iterator["h5py.File"]:
    """Open a checkpoint for reading; whatever fails in the block because of the file becomes one InputError."""
    _look_at(path)
    import h5py

    try:
        with h5py.File(path, "r", locking=False) as file:
            _check_format(path, file)
            yield file
    except WavegridError:
        raise
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, MemoryError) as fault:
        raise damaged(path, reason(fault)) from fault


def damaged(path: Path | str, what: str) -> InputError:
    """Return the error for a file that is not as it was written."""
    return InputError(f"{path}: damaged: {what}; valid: an older checkpoint (checkpoint.1.h5), or a run without one")


def reason(fault: BaseException) -> str:
    """Return HDF5's message for an error without the text around it."""
    text = " ".join(str(fault).split()).strip("'\"")
    if "truncated file" in text:
        numbers = [word.strip("),=") for word in text.split() if word.strip("),=").isdigit()]
        return f"truncated, {numbers[0]} bytes are left of {numbers[-1]}" if len(numbers) > 1 else "truncated"
    inner = text.rpartition(" (")[2].rstrip(")'\"") if text.endswith((")", ")'", ')"')) else text
    return inner or type(fault).__name__


def _look_at(path: Path) -> None:
    """Refuse what cannot be a checkpoint before HDF5 sees it."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_SIGNATURE))
    except FileNotFoundError:
        siblings = [entry.name for entry in path.parent.glob("*.h5")] if path.parent.is_dir() else []
        raise InputError(f"{path}: no such file; {_VALID}{did_you_mean(path.name, siblings)}") from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read: {fault.strerror}; {_VALID}") from None
    if not start:
        raise InputError(f"{path}: is empty; {_VALID}")
    if start != _SIGNATURE:
        raise InputError(f"{path}: is not an HDF5 file; {_VALID}")


def _check_format(path: Path, file: "h5py.File") -> None:
    attributes = file["wavegrid"].attrs if "wavegrid" in file else {}
    if "format" not in attributes or text(attributes["format"]) != layout.FORMAT:
        raise InputError(f"{path}: is an HDF5 file, but not a checkpoint of wavegrid; {_VALID}")
    version = int(attributes["version"])
    if not 1 <= version <= layout.VERSION:
        raise InputError(
            f"{path}: is of version {version} of the format; valid: up to {layout.VERSION}, or a newer wavegrid"
        )


def text(value: object) -> str:
    """Return a text of HDF5 as Python's."""
    return value.decode() if isinstance(value, bytes) else str(value)


def find(file: "h5py.File", name: str) -> "h5py.Dataset":
    """Return a dataset; raises InputError that names it where it is missing or no dataset."""
    try:
        dataset = file[name]
    except (KeyError, OSError, RuntimeError) as fault:
        what = "is missing" if "doesn't exist" in str(fault) else reason(fault)
        raise damaged(file.filename, f"/{name}: {what}") from None
    if not hasattr(dataset, "dtype"):
        raise damaged(file.filename, f"/{name}: is a group")
    return dataset


def read(file: "h5py.File", name: str) -> np.ndarray:
    """Return a whole (small) dataset as an array; raises InputError that names it."""
    dataset = find(file, name)
    kind, shape = layout.DATASETS[name]
    if not _is(dataset.dtype, kind):
        raise damaged(file.filename, f"/{name}: is of type {dataset.dtype}, not {kind}")
    if len(dataset.shape) != len(shape):
        raise damaged(file.filename, f"/{name}: has {len(dataset.shape)} dimensions, not {len(shape)}")
    return read_part(file, name, ...)


def read_part(file: "h5py.File", name: str, part: object) -> np.ndarray:
    """Return a part of a dataset; raises InputError that names the dataset."""
    try:
        return np.asarray(find(file, name)[part])
    except (OSError, RuntimeError, ValueError, TypeError, MemoryError) as fault:
        raise damaged(file.filename, f"/{name}: {reason(fault)}") from None


def _is(dtype: np.dtype, kind: str) -> bool:
    return dtype.kind == kind[0] and dtype.byteorder != ">" and kind[1:] in ("", str(dtype.itemsize))


def check_shapes(file: "h5py.File", header: Header) -> None:
    """Compare type and shape of every dataset with the sizes in the header."""
    sizes: dict[str, int] = dict(zip("xyz", header.grid, strict=True)) | {
        "p": int(np.prod(header.grid)),
        "a": len(header.atom_species),
        "e": len(header.species),
        "k": len(header.kpoints),
        "s": header.spins,
        "b": header.bands,
        "g": sum(header.ngk),
        "c": len(layout.ranges(header.ngk, header.block)),
        "d": len(layout.ranges([int(np.prod(header.grid))], header.block)),
    }
    for name, (kind, letters) in layout.DATASETS.items():
        dataset = find(file, name)
        if not _is(dataset.dtype, kind):
            raise damaged(file.filename, f"/{name}: is of type {dataset.dtype}, not {kind}")
        if len(dataset.shape) == len(letters):
            for letter, size in zip(letters, dataset.shape, strict=True):
                sizes.setdefault(str(letter), size)  # n and f appear in no other shape
        wanted = tuple(letter if isinstance(letter, int) else sizes[letter] for letter in letters)
        if dataset.shape != wanted:
            raise damaged(file.filename, f"/{name}: has the shape {dataset.shape}, not {wanted}")


def read_header(file: "h5py.File") -> Header:
    """Return what the file holds; reads small datasets only. Raises InputError for the first that is wrong."""
    attributes = file["wavegrid"].attrs
    values = {
        name: read(file, f"wavegrid/{name}")
        for name in ("cell", "species", "atom_species", "positions", "ecut", "grid", "kpoints", "weights")
        + ("occupations", "fermi", "energy", "input", "versions")
    }
    ngk = [int(count) for count in read(file, layout.NGK)]
    header = Header(
        half_sphere=bool(attributes["half_sphere"]),
        single_precision=bool(attributes["single_precision"]),
        program=text(attributes["program"]),
        created=text(attributes["created"]),
        converged=bool(attributes["converged"]),
        steps=int(attributes["steps"]),
        block=int(attributes["block"]),
        cell=values["cell"],
        species=[text(symbol) for symbol in values["species"].tolist()],
        atom_species=values["atom_species"].tolist(),
        positions=values["positions"],
        ecut=float(values["ecut"]),
        grid=tuple(values["grid"].tolist()),
        kpoints=values["kpoints"],
        weights=values["weights"],
        mesh=read(file, "mf_header/kpoints/kgrid").tolist(),
        shift=read(file, "mf_header/kpoints/shift").tolist(),
        ngk=ngk,
        spins=values["occupations"].shape[1],
        bands=values["occupations"].shape[2],
        electrons=float(values["occupations"].sum()),
        fermi=values["fermi"].tolist(),
        energy=float(values["energy"]),
        input=text(values["input"].item()),
        versions=text(values["versions"].item()),
    )
    _check_header(file, header)
    return header


def _check_header(file: "h5py.File", header: Header) -> None:
    """Refuse sizes that contradict each other, on which everything that reads the fields relies."""
    if header.block < 1 or min(header.grid) < 1 or min(header.ngk, default=0) < 1:
        raise damaged(file.filename, "/wavegrid: block, grid or ngk is not above zero")
    if len(header.ngk) != len(header.kpoints) or (header.half_sphere and len(header.ngk) != 1):
        raise damaged(file.filename, f"/{layout.NGK}: {len(header.ngk)} k-points, /wavegrid has {len(header.kpoints)}")
    if not all(0 <= index < len(header.species) for index in header.atom_species):
        raise damaged(file.filename, "/wavegrid/atom_species: beyond the species")
    if find(file, layout.GVECS).shape[:1] != (sum(header.ngk),):
        raise damaged(file.filename, f"/{layout.GVECS}: not the {sum(header.ngk)} G-vectors of ngk")
