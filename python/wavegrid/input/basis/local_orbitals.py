"""Local orbitals as the table [basis] of an input asks for them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wavegrid.discretisation.local_orbitals import LocalOrbitals
from wavegrid.input.basis.plane_waves import PlaneWaveInput
from wavegrid.input.models import Parallel

if TYPE_CHECKING:
    from wavegrid.input.structure import Crystal


class LocalOrbitalInput(PlaneWaveInput):
    """The functions of each atom, and the plane waves that they are sums of."""

    discretisation = LocalOrbitals()
    has_orbitals = True

    def key_faults(self) -> Iterator[tuple[str, str]]:
        """Yield a boundary that is free, too."""
        yield from super().key_faults()
        if not all(self.table.periodic()):
            yield "boundary", 'local orbitals: a free boundary; valid: boundary = "periodic"'

    def problem(self, parallel: Parallel, crystal: "Crystal") -> dict[str, Any]:
        """Return the orbitals, too."""
        return {**super().problem(parallel, crystal), "local_orbitals": self.table.orbitals.model_dump()}
