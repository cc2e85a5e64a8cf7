"""What is known of the atoms at the start besides their places: moments, fixed coordinates, velocities and masses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wavegrid.crystal.fixed_coordinates import FixedCoordinates


@dataclass(frozen=True)
class InitialState:
    """What is known of the atoms at the start; None where nothing is."""

    source: str = "the structure"  # for messages
    moments: Sequence[float | list[float]] | None = None  # (atoms), mu_B; noncollinear ones are vectors
    polarisation: list[float] | None = None  # (atoms), a moment per valence electron, besides `moments`
    fixed: FixedCoordinates | None = None
    momenta: list[list[float]] | None = None  # (atoms, 3), in ASE's unit, the root of amu and eV
    masses: list[float] | None = None  # (atoms), amu; None: the standard ones

    def repeated(self, copies: int) -> "InitialState":
        """Return that of a supercell, cell by cell."""
        return replace(
            self,
            moments=self.moments and list(self.moments) * copies,
            polarisation=self.polarisation and self.polarisation * copies,
            fixed=self.fixed and self.fixed.repeated(copies),
            momenta=self.momenta and self.momenta * copies,
            masses=self.masses and self.masses * copies,
        )

    def magnetic(self) -> bool:
        """Return whether any atom has a moment."""
        return self.moments is not None

    def noncollinear(self) -> bool:
        """Return whether any moment is a vector."""
        return self.moments is not None and any(isinstance(moment, list) for moment in self.moments)

    def moments_with(self, valence: dict[str, int], symbols: list[str]) -> Sequence[float | list[float]] | None:
        """Return the moment of each atom (mu_B) with these valence electrons by element; None where none has one."""
        if self.moments is None or self.polarisation is None:
            return self.moments
        triples = zip(self.moments, self.polarisation, symbols, strict=True)
        return [
            moment if isinstance(moment, list) else moment + share * valence[symbol]
            for moment, share, symbol in triples
        ]
