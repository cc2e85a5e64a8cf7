"""What of a magnetic anisotropy is done: the file grows by one energy after the other."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wavegrid.errors import InputError
from wavegrid.files import store
from wavegrid.files.names import ANISOTROPY

_WRITER = "magnetic anisotropy, by wavegrid"


@dataclass(frozen=True)
class Energy:
    """The energy of one direction by one method."""

    direction: tuple[float, ...]
    """as the input has it"""
    method: str
    """by the force theorem, or of a full run"""
    kpoints: str
    """as the table shows them"""
    free_energy: float
    """Ha"""
    magnetisation: tuple[float, ...] | None = None
    """of a self-consistent density, mu_B"""
    scf_steps: int | None = None
    """its steps"""

    def is_same(self, direction: tuple[float, ...], method: str, kpoints: str) -> bool:
        """Return whether it is this one."""
        return (self.direction, self.method, self.kpoints) == (direction, method, kpoints)


class EnergyTable:
    """Writes the file whenever there is an energy more."""

    def __init__(self, directory: Path, identity: str, known: list[dict[str, Any]], token: str) -> None:
        """Of an input with this identity (JSON); `known`: energies of an earlier run."""
        self._path, self._identity, self._token = directory / ANISOTROPY, identity, token
        self._energies = [_energy(one) for one in known]

    def add(self, energy: Energy) -> None:
        """Add an energy; raises EnvironmentFault where it cannot be written."""
        self._energies.append(energy)
        content = {"written": _WRITER, "identity": self._identity, "energies": [asdict(one) for one in self._energies]}
        store.write(self._path, json.dumps(content, indent=1).encode(), self._token, in_run=True)

    def find(self, direction: tuple[float, ...], method: str, kpoints: str) -> Energy | None:
        """Return an energy that is done."""
        return next((one for one in self._energies if one.is_same(direction, method, kpoints)), None)


def known(restart: str, identity: str) -> list[dict[str, Any]]:
    """Return the energies that were done in the directory of a checkpoint, by a run with the same input."""
    path = Path(restart).with_name(ANISOTROPY)
    try:
        content = json.loads(path.read_text())
        energies: list[dict[str, Any]] = content["energies"] if content["identity"] == identity else []
        return [asdict(_energy(one)) for one in energies]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(f"{path}: is damaged; valid: remove it, and its directions are computed again") from None


def _energy(given: dict[str, Any]) -> Energy:
    moment, steps = given["magnetisation"], given["scf_steps"]
    return Energy(
        tuple(map(float, given["direction"])),
        str(given["method"]),
        str(given["kpoints"]),
        float(given["free_energy"]),
        None if moment is None else tuple(map(float, moment)),
        None if steps is None else int(steps),
    )
