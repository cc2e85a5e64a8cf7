"""Plane waves as the table [basis] of an input asks for them."""

import copy
import math
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wavegrid.discretisation.mesh import Mesh
from wavegrid.discretisation.plane_waves import PlaneWaves
from wavegrid.input.basis.base import InputBasis, Series, symmetric_grid
from wavegrid.input.models import Basis, Parallel
from wavegrid.model.problem import Problem

if TYPE_CHECKING:
    from wavegrid.input.document import Document
    from wavegrid.input.pseudopotentials import Choice
    from wavegrid.input.structure import Crystal

_FACTORS = [1.25**power for power in range(-3, 6)]  # of a series, times the cutoff of the input
_BELOW = 0.7  # share of the recommended cutoff below which a note says so


class PlaneWaveInput(InputBasis):
    """A cutoff, and if need be the FFT grid."""

    discretisation = PlaneWaves()
    other_method = Mesh.method
    other_keys = ("spacing", "order", "region", "boundary")
    function, finer_key = "plane wave", "larger ecut"
    useless_error = math.inf  # a low cutoff may be a study of convergence: a warning says what it costs
    coarse = ("cutoff_below_recommended", "below the recommended cutoff")

    def cutoff(self) -> float:
        """Return `ecut`."""
        assert self.table.ecut is not None
        return self.table.ecut

    def problem(self, parallel: Parallel, crystal: "Crystal") -> dict[str, Any]:
        """Return the cutoff; there is no mesh."""
        return {"ecut": self.cutoff(), "realspace": None}

    def grid(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        notes: list[str],
        cell: list[list[float]] | None = None,
    ) -> list[int]:
        """Return the FFT grid; refuse one that cannot hold the sphere, note one smaller than the default."""
        cell, given = cell or crystal["cell"], self.table.grid
        try:
            default = list(core.default_grid(cell, self.cutoff()))
            minimum = list(core.minimum_grid(cell, self.cutoff()))
            if given is None:
                return symmetric_grid(core, crystal, default)
        except core.BadInput as fault:
            raise document.error(("structure",), str(fault)) from None
        if any(count < least for count, least in zip(given, minimum, strict=True)):
            raise document.error(
                ("basis", "grid"),
                f"grid = {given} is too small for the cutoff; valid: at least {minimum} (default {default})",
            )
        if any(count < usual for count, usual in zip(given, default, strict=True)):
            notes.append(f"grid {given} is smaller than the default {default}: products of wave functions are aliased")
        return list(given)

    def next_grid(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        cell: list[list[float]],
        grid: list[int],
    ) -> list[int]:
        """Return the grid that holds the sphere in the new cell."""
        return self.grid(core, document, crystal, [], cell)

    def scaled(self, factor: float) -> "PlaneWaveInput":
        """Return plane waves up to a multiple of the cutoff."""
        return PlaneWaveInput(self.table.model_copy(update={"ecut": self.cutoff() * factor, "grid": None}))

    def check_points(self, core: ModuleType, document: "Document", problem: Problem, begin: "Crystal | None") -> None:
        """The points of the FFT grid fit any atoms."""

    def described(self) -> str:
        """Return the cutoff."""
        return f"ecut = {self.cutoff():g} Ha"

    def recommended(self, potential: "Choice") -> str:
        """Return a cutoff."""
        return f"{potential.cutoff:.0f} Ha ({potential.cutoff_source})"

    def is_coarse_for(self, potential: "Choice") -> bool:
        """Compare the cutoffs."""
        return self.cutoff() < _BELOW * potential.cutoff

    def values(self) -> list[float]:
        """Return the cutoff."""
        return [self.cutoff()]

    def series(self, tables: dict[str, Any]) -> Series:
        """Yield cutoffs, Ha, with the grid that each of them needs."""
        ecut = self.cutoff()
        for factor in _FACTORS:
            text = f"{ecut * factor:.4g} Ha" if factor != 1 else f"{ecut:.6g} Ha"
            other = copy.deepcopy(tables)
            other["basis"]["ecut"] = text
            other["basis"].pop("grid", None)
            yield f'ecut = "{text}"', ecut * factor, other

    def as_mesh(self, radius: float | None, shown: str | None) -> Basis:
        """Return a new table."""
        table = Basis(method="realspace")
        if radius is None:
            return table
        spheres = table.region.model_copy(update={"radius": radius, "kind": "spheres"})
        return table.model_copy(update={"boundary": "free", "region": spheres})
