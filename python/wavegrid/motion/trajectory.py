"""The trajectory of a run: geometries in one extended XYZ file, each with what was computed for it.

Frames are added at its end and are on the disk when `add` returns. What a kill leaves of an unfinished frame is
dropped by `read`.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wavegrid import files
from wavegrid.errors import EnvironmentFault, InputError, did_you_mean
from wavegrid.results import store

if TYPE_CHECKING:
    from ase import Atoms

TRAJECTORY = "trajectory.extxyz"
_VALID = f"valid: the {TRAJECTORY} of an earlier run"


class Trajectory:
    """The file that a run adds its geometries to."""

    def __init__(self, path: Path, begin: bytes) -> None:
        """Begin with the frames that a continued run has already, or with none; an older file gets another name."""
        self.path = path
        try:
            if not begin and path.exists() and path.stat().st_size > 0:
                path.replace(older(path))
            store.replace(path, begin, store.process_token(), synced=False)
        except OSError as fault:
            raise self._fault(fault) from None

    def add(self, frame: bytes) -> None:
        """Add a frame; raises EnvironmentFault where the file system refuses."""
        try:
            with self.path.open("ab") as file:
                file.write(frame)
                file.flush()
                os.fsync(file.fileno())
        except OSError as fault:
            raise self._fault(fault) from None

    def _fault(self, fault: OSError) -> EnvironmentFault:
        return EnvironmentFault(f"'{self.path}' cannot be written: {fault.strerror}; the frames before are in it")


def older(path: Path) -> Path:
    """Return the name that the trajectory of an earlier run gets when a new one begins."""
    return path.with_name(f"{path.stem}.1{path.suffix}")


def read(path: Path, *, last_only: bool = False) -> "tuple[list[Atoms], bytes]":
    """Return the complete frames of a trajectory, or the last one, and the text of all.

    Raises InputError without file and line.
    """
    if why := files.refusal(path, None):
        near = did_you_mean(path.name, files.neighbours(path, path.suffix)) if why == files.MISSING else ""
        raise InputError(f"--restart {path}: {why}; {_VALID} or a checkpoint{near}")
    content = path.read_bytes()
    ends = _ends(content)
    if not ends:
        raise InputError(f"--restart {path}: it holds no complete frame; {_VALID}")
    begin = ends[-2] if last_only and len(ends) > 1 else 0
    import io

    import ase.io

    try:
        frames: Any = ase.io.read(io.StringIO(content[begin : ends[-1]].decode()), index=":", format="extxyz")
    except Exception:  # ASE's readers raise whatever they meet
        raise InputError(f"--restart {path}: a frame is damaged: it cannot be read as extended XYZ; {_VALID}") from None
    for frame in frames:
        if frame.calc is None or "forces" not in frame.calc.results or "step" not in frame.info:
            raise InputError(f"--restart {path}: a frame has no forces or no step; {_VALID}")
    return frames, content[: ends[-1]]


def _ends(content: bytes) -> list[int]:
    """Return where each complete frame ends."""
    ends: list[int] = []
    lines = content.split(b"\n")
    at = position = 0
    while at < len(lines) and lines[at].strip().isdigit():
        frame = lines[at : at + int(lines[at].strip()[:9]) + 2]
        at += len(frame)
        position += sum(len(line) + 1 for line in frame)
        if len(frame) < int(frame[0]) + 2 or position > len(content) or b"Properties=" not in frame[1]:
            break
        ends.append(position)
    return ends
