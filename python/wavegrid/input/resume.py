"""Where a relaxation or molecular dynamics continues: the last geometry of a trajectory, with its checkpoint."""

from dataclasses import dataclass, replace
from pathlib import Path

from wavegrid.errors import InputError
from wavegrid.input.structure import Crystal, from_atoms
from wavegrid.results.store import CHECKPOINT


@dataclass(frozen=True)
class Start:
    """Geometry and files that a run begins with."""

    crystal: Crystal
    checkpoint: str | None = None
    trajectory: str | None = None


def start(restart: str | None, crystal: Crystal, notes: list[str]) -> Start:
    """Return how a run of many geometries begins; raises InputError for a trajectory that is not one of its atoms.

    `restart`: a trajectory with its checkpoint, or a checkpoint alone, with which the input's geometry begins.
    """
    if restart is None or Path(restart).suffix != ".extxyz":
        return Start(crystal, restart)
    from wavegrid.motion import trajectory  # slow to import

    last = trajectory.read(Path(restart), last_only=True)[0][-1]
    if last.get_chemical_symbols() != crystal.symbols:
        raise InputError(
            f"--restart {restart}: it holds {last.get_chemical_formula()}, other atoms than the input or in another "
            "order; valid: a trajectory of the same atoms"
        )
    notes.append(f"continues {restart} after step {int(last.info['step'])}")
    saved = Path(restart).with_name(CHECKPOINT)
    return Start(replace(from_atoms(last), initial=crystal.initial), str(saved) if saved.exists() else None, restart)
