"""Local orbitals as the table [basis] of an input asks for them."""

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

    def problem(self, parallel: Parallel, crystal: "Crystal") -> dict[str, Any]:
        """Return the orbitals, too."""
        return {**super().problem(parallel, crystal), "local_orbitals": self.table.orbitals.model_dump()}
