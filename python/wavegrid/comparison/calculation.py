"""What `wavegrid compare` knows of a calculation, whichever program did it."""

from dataclasses import dataclass, field
from typing import Any

Matrix = list[list[float]]

# Terms that one program prints as a sum: name and parts.
_SUMS = {"one-electron": ("kinetic", "local", "local_g0", "nonlocal")}


@dataclass
class Calculation:
    """Ha and bohr. What a program does not say is None, or missing in `energies` and `settings`."""

    file: str
    program: str
    converged: bool | None = None
    energies: dict[str, float] = field(default_factory=dict)  # by the names of result.json, and "one-electron"
    kpoints: Matrix = field(default_factory=list)  # in units of the reciprocal vectors
    eigenvalues: list[Matrix] = field(default_factory=list)  # [spin][k-point][band]
    rotations: list[list[list[int]]] = field(default_factory=list)  # k' = W k of equivalent k-points, where known
    levels_with_g0: bool = False  # whether they contain the G = 0 part of the local pseudopotentials
    spinors: bool = False  # whether bands have two components
    fermi: list[float] = field(default_factory=list)  # Fermi level, two where spins have their own
    forces: Matrix | None = None  # (atoms, 3)
    stress: Matrix | None = None  # (3, 3), positive under tension
    atoms: int | None = None
    steps: int | None = None
    seconds: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)  # by names that all programs share
    input: dict[str, Any] | None = None  # of wavegrid
    notes: list[str] = field(default_factory=list)  # what a reader of the numbers has to know

    def fermi_of(self, spin: int) -> float:
        """Return the Fermi level of a spin, where there is one."""
        return self.fermi[min(spin, len(self.fermi) - 1)]

    def terms(self) -> dict[str, float]:
        """Return the energies with the sums of terms that other programs print."""
        found = dict(self.energies)
        for name, parts in _SUMS.items():
            if name not in found and all(part in found for part in parts):
                found[name] = sum(found[part] for part in parts)
        return found
