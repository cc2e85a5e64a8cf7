"""Where a relaxation or molecular dynamics continues: the last geometry of a trajectory, with its checkpoint."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wavegrid.errors import InputError
from wavegrid.input.structure import Crystal
from wavegrid.motion import trajectory
from wavegrid.results.store import CHECKPOINT
from wavegrid.units import BOHR_IN_ANGSTROM


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
    last = trajectory.read(Path(restart), last_only=True)[0][-1]
    if last.get_chemical_symbols() != crystal.symbols:
        raise InputError(
            f"--restart {restart}: it holds {last.get_chemical_formula()}, other atoms than the input or in another "
            "order; valid: a trajectory of the same atoms"
        )
    notes.append(f"continues {restart} after step {int(last.info['step'])}")
    cell = np.array(last.cell.array) / BOHR_IN_ANGSTROM
    saved = Path(restart).with_name(CHECKPOINT)
    moved = Crystal(cell, crystal.symbols, last.get_scaled_positions(wrap=False))
    return Start(moved, str(saved) if saved.exists() else None, restart)
