"""Where a run of many geometries continues: the last geometry of a trajectory, with its checkpoint."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wavegrid.base.text import counted
from wavegrid.errors import InputError
from wavegrid.files.names import CHECKPOINT
from wavegrid.input import tasks
from wavegrid.input.models import Input
from wavegrid.input.structure import Crystal, from_atoms
from wavegrid.model.tasks import FOLLOWING

if TYPE_CHECKING:
    from ase import Atoms


_NAMES = {
    "relax": "a relaxation",
    "md": "dynamics",
    "eos": "an equation of state",
    "elastic": "elastic constants",
    "phonon": "phonons",
    "vibrations": "vibrations",
    "neb": "a reaction path",
}


@dataclass(frozen=True)
class Start:
    """Geometry and files that a run begins with."""

    crystal: Crystal
    checkpoint: str | None = None
    trajectory: str | None = None


def start(restart: str | None, crystal: Crystal, spec: Input, notes: list[str]) -> Start:
    """Return how a run of many geometries begins; raises InputError for a trajectory that is not one of it.

    `restart`: a trajectory with its checkpoint, or a checkpoint alone, with which the input's geometry begins.
    """
    if restart is None or Path(restart).suffix != ".extxyz":
        return Start(crystal, restart)
    from wavegrid.files import trajectory  # slow to import

    frames = trajectory.read(Path(restart), last_only=True)
    last = frames.atoms[-1]
    if last.get_chemical_symbols() != crystal.symbols:
        raise InputError(
            f"--restart {restart}: it holds {last.get_chemical_formula()}, other atoms than the input or in another "
            "order; valid: a trajectory of the same atoms"
        )
    kind, step = tasks.kind_of(spec), int(last.info["step"])
    if (found := _kind_of_frame(last)) != kind:
        raise InputError(
            f"--restart {restart}: it is of {_NAMES[found]}, the input of {_NAMES[kind]}; valid: a trajectory of the "
            "same task, or this file as [structure] file, with its last frame"
        )
    if kind == "md" and step >= spec.md.steps:
        raise InputError(
            f"--restart {restart}: all {counted(spec.md.steps, 'step')} are done, the last one is step {step}; valid: "
            "more steps in [md], or no --restart"
        )
    notes.append(f"continues {restart} after step {step}")
    if frames.unfinished:
        notes.append(
            f"{restart}: an unfinished frame at the end is left out; a run that continues in this file keeps a copy as "
            f"{trajectory.name_for_older(Path(restart)).name}"
        )
    saved = Path(restart).with_name(CHECKPOINT)
    if kind in FOLLOWING:  # a series begins with its first geometry, and finds those that are done in the trajectory
        crystal = replace(from_atoms(last), initial=crystal.initial)
    return Start(crystal, str(saved) if saved.exists() else None, restart)


def _kind_of_frame(frame: "Atoms") -> str:
    """Return the task that has written a frame of a trajectory."""
    if (kind := frame.info.get("task")) in _NAMES:
        return str(kind)
    return "md" if frame.has("momenta") else "eos" if "volume_ratio" in frame.info else "relax"
