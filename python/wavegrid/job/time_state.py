"""The state from which a propagation in time goes on, compared with the input."""

import json
from pathlib import Path
from typing import Any

from wavegrid.errors import InputError
from wavegrid.files import propagation as tables
from wavegrid.files.names import CHECKPOINT, PROPAGATION, STATE
from wavegrid.job import hamiltonian
from wavegrid.model.problem import Problem, PropagationSettings
from wavegrid.units import ATOMIC_TIME_IN_FS

_FORMAT = "wavegrid propagation"


def is_state(restart: str | None) -> bool:
    """Return whether the file of --restart has the name of a state."""
    return restart is not None and Path(restart).name == STATE


def ground_state(restart: str) -> str | None:
    """Return the checkpoint of the same directory, from which the ground state is found fast, or None."""
    found = Path(restart).with_name(CHECKPOINT)
    return str(found) if found.exists() else None


def identity(problem: Problem, electrons: float) -> dict[str, Any]:
    """Return what has to stay the same while a propagation goes on, by the names of messages."""
    given: Any = problem
    time: PropagationSettings = given["propagation"]
    return {
        "the time step": f"{time['timestep'] * ATOMIC_TIME_IN_FS:.12g} fs",
        "the propagator": time["propagator"],
        "the absorber": time["absorber"],
        "the kick": time["kick"],
        "the lasers": time["lasers"],
        "the motion of the atoms": time["moving"],
        **hamiltonian.identity(problem, electrons),
    }


def check(restart: str, time: PropagationSettings, mine: dict[str, Any]) -> int:
    """Return the step of a state; raises InputError for a file that is none, or of another input."""
    stored, step = _read(restart)
    for name, value in json.loads(json.dumps(mine)).items():
        if stored.get(name) != value:
            raise InputError(
                f"--restart {restart}: {name} of the state: {_short(stored.get(name))}, of the input: {_short(value)}; "
                f"valid: the same, or {CHECKPOINT} to begin anew"
            )
    if step > time["steps"]:
        raise InputError(
            f"--restart {restart}: {step} steps are done, the input has {time['steps']}; valid: a longer [propagate] "
            "time"
        )
    tables.kept_lines(Path(restart).with_name(PROPAGATION), step, time["every"])
    return step


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _read(restart: str) -> tuple[dict[str, Any], int]:
    """Return identity and step."""
    import h5py  # slow to import

    valid = f"valid: {STATE} of a run with [propagate]"
    try:
        with h5py.File(restart, "r", locking=False) as file:
            group = file["propagation"]
            if group.attrs["format"].decode() != _FORMAT:
                raise ValueError
            stored: dict[str, Any] = json.loads(group["identity"][()].decode())
            return stored, int(group.attrs["step"])
    except FileNotFoundError:
        raise InputError(f"--restart {restart}: does not exist; {valid}") from None
    except (OSError, KeyError, ValueError, AttributeError):
        raise InputError(f"--restart {restart}: is not the state of a propagation; {valid}") from None
