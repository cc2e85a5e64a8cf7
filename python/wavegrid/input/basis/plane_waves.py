"""Plane waves as the table [basis] of an input asks for them."""

import copy
import math
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wavegrid.discretisation.mesh import Mesh
from wavegrid.discretisation.plane_waves import PlaneWaves
from wavegrid.input.basis.base import DensityCutoff, InputBasis, Series, symmetric_grid
from wavegrid.input.models import Basis, Parallel
from wavegrid.model.problem import Grids, Problem

if TYPE_CHECKING:
    from wavegrid.input.document import Document
    from wavegrid.input.pseudopotentials import Choice
    from wavegrid.input.structure import Crystal

_FACTORS = [1.25**power for power in range(-3, 6)]  # of a series, times the cutoff of the input
_BELOW = 0.7  # share of the recommended cutoff below which a note says so


class PlaneWaveInput(InputBasis):
    """A cutoff, if need be the FFT grid, a cutoff and grid of the density, and the boundary."""

    discretisation = PlaneWaves()
    other_method = Mesh.method
    other_keys = ("spacing", "order", "region")
    function, finer_key = "plane wave", "larger ecut"
    useless_error = math.inf  # a low cutoff may be a study of convergence: a warning says what it costs
    coarse = ("cutoff_below_recommended", "below the recommended cutoff")

    def key_faults(self) -> Iterator[tuple[str, str]]:
        """Yield those of the density, too."""
        yield from super().key_faults()
        ecut, density_ecut = self.table.ecut, self.table.density_ecut
        if density_ecut is None:
            if self.table.density_grid is not None:
                yield "density_grid", "density_grid without density_ecut; valid: density_ecut besides"
        elif ecut is not None and density_ecut < ecut:
            yield (
                "density_ecut",
                f"density_ecut = {density_ecut:g} Ha is below ecut = {ecut:g} Ha; valid: at least ecut, usually 4 "
                "to 12 times as much",
            )

    def cutoff(self) -> float:
        """Return `ecut`."""
        assert self.table.ecut is not None
        return self.table.ecut

    def problem(self, parallel: Parallel, crystal: "Crystal") -> dict[str, Any]:
        """Return the cutoffs and the periodic directions; there is no mesh."""
        return {
            "ecut": self.cutoff(),
            "density_ecut": self.table.density_ecut,
            "periodic": self.table.periodic(),
            "realspace": None,
            "local_orbitals": None,
        }

    def grids(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        notes: list[str],
        cell: list[list[float]] | None = None,
    ) -> Grids:
        """Return the FFT grids; refuse one that cannot hold its sphere, note what is cut off."""
        cell = cell or crystal["cell"]
        grid = self._bands_grid(core, document, crystal, notes, cell)
        ecut, density_ecut = self.cutoff(), self.table.density_ecut
        if density_ecut is not None and density_ecut < 4 * ecut:
            notes.append(
                f"density_ecut = {density_ecut:g} Ha is below 4 ecut = {4 * ecut:g} Ha: products of wave functions are "
                "cut off"
            )
        return {"grid": grid, "density_grid": self._density_grid(core, document, crystal, cell, grid)}

    def _bands_grid(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        notes: list[str],
        cell: list[list[float]],
    ) -> list[int]:
        given, density_ecut = self.table.grid, self.table.density_ecut
        try:
            default = list(core.default_grid(cell, self.cutoff()))
            minimum = list(core.minimum_grid(cell, self.cutoff()))
            if density_ecut is not None:  # products of two wave functions are moved to the density's grid: all of them
                default = list(core.smooth_grid(cell, 4 * self.cutoff()))
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

    def _density_grid(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        cell: list[list[float]],
        grid: list[int],
    ) -> list[int] | None:
        ecut, given = self.table.density_ecut, self.table.density_grid
        if ecut is None:
            return None
        try:
            minimum = list(map(max, core.minimum_grid(cell, ecut), grid))
            if given is None:
                return symmetric_grid(core, crystal, list(map(max, core.smooth_grid(cell, ecut), grid)))
        except core.BadInput as fault:
            raise document.error(("basis", "density_ecut"), str(fault)) from None
        if any(count < least for count, least in zip(given, minimum, strict=True)):
            raise document.error(
                ("basis", "density_grid"),
                f"density_grid = {given} is too small for density_ecut, or coarser than the grid {grid} of the wave "
                f"functions; valid: at least {minimum}",
            )
        return list(given)

    def next_grids(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        cell: list[list[float]],
        problem: Problem,
    ) -> Grids:
        """Return the grids that hold the spheres in the new cell."""
        return self.grids(core, document, crystal, [], cell)

    def scaled(self, factor: float) -> "PlaneWaveInput":
        """Return plane waves, and a density of its own, up to a multiple of the cutoff."""
        density_ecut = self.table.density_ecut
        return PlaneWaveInput(
            self.table.model_copy(
                update={
                    "ecut": self.cutoff() * factor,
                    "grid": None,
                    "density_ecut": None if density_ecut is None else density_ecut * factor,
                    "density_grid": None,
                }
            )
        )

    def check_points(self, core: ModuleType, document: "Document", problem: Problem, begin: "Crystal | None") -> None:
        """The points of the FFT grid fit any atoms."""

    def described(self) -> str:
        """Return the cutoff."""
        return f"ecut = {self.cutoff():g} Ha"

    def recommended(self, potential: "Choice") -> str:
        """Return a cutoff."""
        return f"{potential.cutoff:.0f} Ha ({potential.cutoff_source})"

    def density_cutoff_for(self, potentials: "Mapping[str, Choice]") -> DensityCutoff | None:
        """Return the largest that a dataset needs, rounded up to 0.01 Ha."""
        ecut = self.cutoff()
        augmented = {element: choice for element, choice in potentials.items() if choice.augmented}
        if not augmented:
            return None
        element, choice = max(augmented.items(), key=lambda one: one[1].density_cutoff_at(ecut))
        needed = choice.density_cutoff_at(ecut)
        if needed <= 4 * ecut:
            return DensityCutoff(4 * ecut, f"4 ecut, enough for {', '.join(augmented)}")
        needed = math.ceil(100 * needed) / 100
        return DensityCutoff(needed, f"{needed / ecut:.3g} ecut, for {element} ({choice.density_source})")

    def is_coarse_for(self, potential: "Choice") -> bool:
        """Compare the cutoffs."""
        return self.cutoff() < _BELOW * potential.cutoff

    def values(self) -> list[float]:
        """Return the cutoff."""
        return [self.cutoff()]

    def series(self, tables: dict[str, Any]) -> Series:
        """Yield cutoffs, Ha, with the grid that each of them needs."""
        ecut, density_ecut = self.cutoff(), self.table.density_ecut
        for factor in _FACTORS:
            text = f"{ecut * factor:.4g} Ha" if factor != 1 else f"{ecut:.6g} Ha"
            other = copy.deepcopy(tables)
            other["basis"]["ecut"] = text
            if density_ecut is not None:
                other["basis"]["density_ecut"] = f"{density_ecut * factor:.6g} Ha"
            for grid in ("grid", "density_grid"):
                other["basis"].pop(grid, None)
            yield f'ecut = "{text}"', ecut * factor, other

    def as_mesh(self, radius: float | None, shown: str | None) -> Basis:
        """Return a new table."""
        table = Basis(method="realspace")
        if radius is None:
            return table
        spheres = table.region.model_copy(update={"radius": radius, "kind": "spheres"})
        return table.model_copy(update={"boundary": "free", "region": spheres})
