"""What of a magnetic anisotropy is done."""

from dataclasses import asdict, dataclass
from pathlib import Path

from wavegrid.files.done import DoneFile, Part
from wavegrid.files.names import ANISOTROPY


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


def _energy(given: Part) -> Energy:
    moment, steps = given["magnetisation"], given["scf_steps"]
    return Energy(
        tuple(map(float, given["direction"])),
        str(given["method"]),
        str(given["kpoints"]),
        float(given["free_energy"]),
        None if moment is None else tuple(map(float, moment)),
        None if steps is None else int(steps),
    )


FILE = DoneFile(ANISOTROPY, "magnetic anisotropy", "energies", lambda part: asdict(_energy(part)))


class EnergyTable:
    """Writes the file whenever there is an energy more."""

    def __init__(self, directory: Path, identity: str, known: list[Part], token: str) -> None:
        """Of an input with this identity (JSON); `known`: energies of an earlier run."""
        self._directory, self._identity, self._token = directory, identity, token
        self._energies = [_energy(one) for one in known]

    def add(self, energy: Energy) -> None:
        """Add an energy; raises EnvironmentFault where it cannot be written."""
        self._energies.append(energy)
        FILE.write(self._directory, self._identity, [asdict(one) for one in self._energies], self._token)

    def find(self, direction: tuple[float, ...], method: str, kpoints: str) -> Energy | None:
        """Return an energy that is done."""
        return next((one for one in self._energies if one.is_same(direction, method, kpoints)), None)
