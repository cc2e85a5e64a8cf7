"""Opens checkpoint files and reads their parts; every error in a file becomes one message that names it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wavegrid.checkpoint import layout
from wavegrid.errors import InputError, WavegridError, did_you_mean
from wavegrid.files import readable

if TYPE_CHECKING:
    import h5py  # takes long to import: where it is needed

_VALID = "valid: a checkpoint file such as DIR/checkpoint.h5"
CREATOR = "creator"  # attribute of the HDF5 files that exports make
_MOST_ATTRIBUTE = 4096  # bytes
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


@contextlib.contextmanager
def opened(path: Path) -> Iterator["h5py.File"]:
    """Open a checkpoint for reading; whatever fails in the block because of the file becomes one InputError."""
    _look_at(path)
    import h5py

    try:
        with h5py.File(path, "r", locking=False) as file:
            _check_storage(file)
            _check_format(path, file)
            yield file
    except WavegridError:
        raise
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, MemoryError) as fault:
        raise damaged(path, reason(fault)) from fault


class CheckpointFault(InputError):
    """What is wrong with a file; `what`: without its name."""

    def __init__(self, path: Path | str, what: str) -> None:
        super().__init__(f"{path}: {what}")
        self.what = what


def damaged(path: Path | str, what: str) -> CheckpointFault:
    """Return the error for a file that is not as it was written."""
    return CheckpointFault(path, f"damaged: {what}; valid: an older checkpoint (checkpoint.1.h5), or a run without one")


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
    if why := readable.refusal(path, None):
        near = did_you_mean(path.name, readable.neighbours(path, ".h5")) if why == readable.MISSING else ""
        raise CheckpointFault(path, f"{why}; {_VALID}{near}")
    try:
        with path.open("rb") as file:
            start = file.read(len(_SIGNATURE))
    except OSError as fault:
        raise CheckpointFault(path, f"cannot be read: {fault.strerror}; {_VALID}") from None
    if not start:
        raise CheckpointFault(path, f"is empty; {_VALID}")
    if start != _SIGNATURE:
        raise CheckpointFault(path, f"is not an HDF5 file; {_VALID}")


def _check_storage(file: "h5py.File") -> None:
    """Refuse data that are not plainly in this file: links, external or virtual storage, chunks, space without data."""
    for name in layout.ALL:
        place = file
        for part in name.split("/"):
            link = place.get(part, getlink=True)
            if link is None:  # `find` reports what is missing
                break
            where = f"{place.name.rstrip('/')}/{part}"
            if type(link).__name__ != "HardLink":
                raise damaged(file.filename, f"{where}: is a link; the data have to be in this file")
            place = place[part]
            if hasattr(place, "dtype"):
                _check_contiguous(file, place)
                break


def _check_contiguous(file: "h5py.File", dataset: "h5py.Dataset") -> None:
    from h5py import h5d

    creation = dataset.id.get_create_plist()
    if creation.get_layout() != h5d.CONTIGUOUS or creation.get_external_count() > 0:
        raise damaged(file.filename, f"{dataset.name}: is not one piece of this file")
    if dataset.id.get_storage_size() != dataset.nbytes:
        raise damaged(file.filename, f"{dataset.name}: has no data for its shape {dataset.shape}")


def _check_format(path: Path, file: "h5py.File") -> None:
    group = file["wavegrid"] if "wavegrid" in file else file
    if "format" not in group.attrs or attribute(group, "format", "S") != layout.FORMAT:
        raise CheckpointFault(path, f"is an HDF5 file, but not a checkpoint of wavegrid; {_VALID}")
    version = int(attribute(group, "version", "i4"))
    if not 1 <= version <= layout.VERSION:
        raise CheckpointFault(
            path, f"is of version {version} of the format; valid: up to {layout.VERSION}, or a newer wavegrid"
        )


def version(file: "h5py.File") -> int:
    """Return the version of the format."""
    return int(attribute(file["wavegrid"], "version", "i4"))


def attribute(owner: "h5py.HLObject", name: str, kind: str) -> int | str:
    """Return an attribute, one number or text; raises InputError where it is missing or something else."""
    where = f"{owner.name}: the attribute {name}"
    if name not in owner.attrs:
        raise damaged(owner.file.filename, f"{where} is missing")
    found = owner.attrs.get_id(name)
    if found.shape != () or not is_kind(found.dtype, kind) or found.dtype.itemsize > _MOST_ATTRIBUTE:
        raise damaged(owner.file.filename, f"{where} is no {'text' if kind == 'S' else 'number'} of a checkpoint")
    value = owner.attrs[name]
    return text(value) if kind == "S" else int(value)


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
    kind, shape = layout.ALL[name]
    if not is_kind(dataset.dtype, kind):
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


def is_kind(dtype: np.dtype, kind: str) -> bool:
    """Return whether a type is that of the layout."""
    return dtype.kind == kind[0] and dtype.byteorder != ">" and kind[1:] in ("", str(dtype.itemsize))
