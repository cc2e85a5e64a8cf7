"""A mesh in real space as the table [basis] of an input asks for it."""

import copy
import math
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

from wavegrid.base import vectors
from wavegrid.base.text import counted
from wavegrid.discretisation.mesh import Mesh
from wavegrid.discretisation.plane_waves import PlaneWaves
from wavegrid.errors import InputError
from wavegrid.input.basis import mesh_keys
from wavegrid.input.basis.base import InputBasis, Series, symmetric_grid
from wavegrid.input.fields import toml
from wavegrid.input.models import Basis, MeshPartitionName, Parallel
from wavegrid.model.problem import Grids, Problem

if TYPE_CHECKING:
    from wavegrid.input.document import Document
    from wavegrid.input.pseudopotentials import Choice
    from wavegrid.input.structure import Crystal

_FACTORS = [1.25**power for power in range(1, -6, -1)]  # of a series, times the spacing of the input
_ABOVE = 1.05  # multiple of the recommended spacing above which a note says so


class MeshInput(InputBasis):
    """A spacing, the order of finite differences, a region and its boundary."""

    discretisation = Mesh()
    other_method = PlaneWaves.method
    other_keys = ("ecut", "grid", "density_grid")
    function, finer_key = "point", "smaller spacing"
    useless_error = 0.1  # several eV of each valence electron: nothing of a result is of use
    coarse = ("spacing_above_recommended", "above the recommended spacing")

    def key_faults(self) -> Iterator[tuple[str, str]]:
        """Yield those of the region, too."""
        yield from super().key_faults()
        yield from mesh_keys.region_faults(self.table)

    def cutoff(self) -> float:
        """Return that of the largest spacing h: (pi / h)^2 / 2."""
        return 0.5 * (math.pi / max(self.values())) ** 2

    def problem(self, parallel: Parallel, crystal: "Crystal") -> dict[str, Any]:
        """Return the mesh, a cylinder or box around the middle of the crystal."""
        table, region, partition = self.table, self.table.region, parallel.partition
        centre = [0.0, 0.0, 0.0]  # the others have none: a session would take another one for another problem
        if region.kind in ("cylinder", "box"):
            middle = [0.5 * (min(places) + max(places)) for places in zip(*crystal.fractional, strict=True)]
            centre = vectors.cartesian(middle, crystal.cell)
        mesh = {
            "order": table.order,
            "region": region.kind,
            "radius": region.radius or 0.0,
            "axis": region.axis or 3,
            "length": region.length or 0.0,
            "lengths": region.lengths or [0.0, 0.0, 0.0],
            "centre": centre,
            "periodic": table.periodic(),
            "partition": partition if partition in get_args(MeshPartitionName) else "metis",
            "two_level": parallel.two_level,
            "reorder": parallel.reorder,
            "overlap": parallel.overlap,
        }
        return {
            "ecut": self.cutoff(),
            "density_ecut": self.table.density_ecut,
            "realspace": mesh,
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
        """Return the fewest points whose distance is at most the spacing."""
        lengths = vectors.lengths(cell or crystal["cell"])
        least = [
            max(1, math.ceil(length / spacing - 1e-9)) for length, spacing in zip(lengths, self.values(), strict=True)
        ]
        return {"grid": symmetric_grid(core, crystal, least), "density_grid": None}

    def next_grids(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        cell: list[list[float]],
        problem: Problem,
    ) -> Grids:
        """Return the same grid: the points follow the cell, otherwise the energy would jump."""
        return {"grid": list(problem["grid"]), "density_grid": None}

    def scaled(self, factor: float) -> "MeshInput | None":
        """Return the same mesh at factor 1; its energy does not depend on the cutoff as that of plane waves does."""
        return self if factor == 1 else None

    def check_points(self, core: ModuleType, document: "Document", problem: Problem, begin: "Crystal | None") -> None:
        """Refuse a mesh that does not fit the atoms, and spheres that are not one piece."""
        if fault := core.mesh_fault(problem):
            key, message = fault
            raise document.error(("basis", *key.split(".")), message)
        region = self.table.region
        if region.kind != "spheres" or region.radius is None or begin is None:
            return
        least = core.connecting_radius(problem | begin.as_dict())
        if least > region.radius * (1 + 1e-9):
            raise document.error(
                ("basis", "region", "radius"),
                f"region.radius = {region.radius:g} bohr: the spheres around the atoms are several pieces that do not "
                f"touch; valid: at least {math.ceil(least * 100 - 1e-6) / 100:.2f} bohr, or one calculation for each "
                "piece",
            )

    def check_size(self, document: "Document", size: int, ranks: int | None, bands: int, *, bands_given: bool) -> None:
        """Refuse more ranks or bands than points."""
        if ranks is not None and ranks > size:
            raise document.error(
                ("basis", "spacing"),
                f"a mesh of {counted(size, 'point')} on {ranks} ranks; valid: at most {counted(size, 'rank')}, or a "
                "smaller spacing",
            )
        super().check_size(document, size, ranks, bands, bands_given=bands_given)

    def described(self) -> str:
        """Return the spacing, one number, or three where they differ, and the cutoff."""
        steps = [f"{spacing:g}" for spacing in self.values()]
        shown = steps[0] if len(set(steps)) == 1 else " x ".join(steps)
        return f"the mesh of spacing {shown} bohr (ecut {self.cutoff():.3g} Ha)"

    def recommended(self, potential: "Choice") -> str:
        """Return a spacing."""
        return f"{potential.spacing():.2f} bohr (estimated)"

    def is_coarse_for(self, potential: "Choice") -> bool:
        """Compare the largest spacing, which decides about accuracy."""
        return max(self.values()) > _ABOVE * potential.spacing()

    def values(self) -> list[float]:
        """Return the spacings along the lattice vectors, bohr."""
        assert self.table.spacing is not None
        return self.table.spacing

    def series(self, tables: dict[str, Any]) -> Series:
        """Yield spacings along all lattice vectors; the value is the largest, bohr."""
        for factor in _FACTORS:
            each = [f"{spacing * factor:.4g} bohr" for spacing in self.values()]
            given = each[0] if len(set(each)) == 1 else each
            other = copy.deepcopy(tables)
            other["basis"]["spacing"] = given
            yield f"spacing = {toml(given)}", max(self.values()) * factor, other

    def as_mesh(self, radius: float | None, shown: str | None) -> Basis:
        """Return this table, with another radius of its region."""
        region = self.table.region
        if radius is None:
            return self.table
        if region.radius is None:
            raise InputError(
                f'--radius {shown}: region.kind = "{region.kind}" of the input has none; valid: without it, or '
                'kind = "spheres" or "cylinder"'
            )
        return self.table.model_copy(update={"region": region.model_copy(update={"radius": radius})})
