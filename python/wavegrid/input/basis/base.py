"""What plane waves and a mesh make of the table [basis] of an input."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wavegrid.base.text import counted
from wavegrid.discretisation.base import Discretisation
from wavegrid.input import fields
from wavegrid.input.models import Basis, Parallel
from wavegrid.model.problem import Grids, Problem

if TYPE_CHECKING:
    from wavegrid.input.document import Document
    from wavegrid.input.pseudopotentials import Choice
    from wavegrid.input.structure import Crystal

Series = Iterator[tuple[str, float, dict[str, Any]]]


@dataclass(frozen=True)
class DensityCutoff:
    """A cutoff of the density, Ha, and why it is this one, in words."""

    ecut: float
    reason: str


class InputBasis(ABC):
    """The table [basis]. Energies in Ha, lengths in bohr; whatever refuses raises InputError with file and line."""

    discretisation: Discretisation
    other_method: str
    """name of the other discretisation in the input"""
    other_keys: tuple[str, ...]
    """keys of the table that belong to the other"""
    function: str
    """of which wave functions are sums"""
    has_orbitals = False
    """whether wave functions are sums of local orbitals, of which a loop finds all, not only occupied ones"""
    finer_key: str
    """change of the setting, by its key, that gives more of them"""
    useless_error: float
    """error of the energy of a free atom, Ha per valence electron, above which an input is refused"""
    coarse: tuple[str, str]
    """fixed name and words of the remark on a setting that is coarser than a pseudopotential recommends"""

    def __init__(self, table: Basis) -> None:
        self.table = table

    # Keys.

    def key_faults(self) -> Iterator[tuple[str, str]]:
        """Yield key and message of what the table lacks, and of what belongs to the other discretisation."""
        needed, method = self.discretisation.setting.name, self.discretisation.method
        if getattr(self.table, needed) is None:
            yield needed, f"[basis] lacks '{needed}'; valid: {fields.valid_values(Basis.model_fields[needed])}"
        if "orbitals" in self.table.model_fields_set and not self.has_orbitals:
            yield "orbitals", f'orbitals with method = "{method}"; valid: without it, or method = "local-orbitals"'
        for name in self.other_keys:
            if name in self.table.model_fields_set:
                yield name, f'{name} with method = "{method}"; valid: without it, or method = "{self.other_method}"'

    # The problem of the core.

    @abstractmethod
    def cutoff(self) -> float:
        """Return the cutoff, Ha; of a mesh that of the shortest wave that it can represent in all directions."""

    @abstractmethod
    def problem(self, parallel: Parallel, crystal: "Crystal") -> dict[str, Any]:
        """Return cutoff and mesh as the core takes them; a region of a mesh is around the middle of the crystal."""

    @abstractmethod
    def grids(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        notes: list[str],
        cell: list[list[float]] | None = None,
    ) -> Grids:
        """Return the points along the lattice vectors, of the bands and, where it has its own, of the density.

        `crystal`: cell, species, atoms, initial_magnetic_moments, and `symmetry`: whether the default has to be
        invariant under every symmetry operation of the crystal. `cell`: that of the grid, where the crystal is only
        like it; in a run of many geometries the grid follows the cell, but not the symmetry, which would make the
        energy jump.
        """

    @abstractmethod
    def next_grids(
        self,
        core: ModuleType,
        document: "Document",
        crystal: Mapping[str, Any],
        cell: list[list[float]],
        problem: Problem,
    ) -> Grids:
        """Return the grids of a further geometry of the run of a problem; `crystal` and `cell` as above."""

    @abstractmethod
    def scaled(self, factor: float) -> "InputBasis | None":
        """Return the basis at a multiple of its cutoff, with the default grid; None where there is no such basis."""

    @abstractmethod
    def check_points(self, core: ModuleType, document: "Document", problem: Problem, begin: "Crystal | None") -> None:
        """Refuse points that do not fit the atoms of a problem.

        `begin`: the atoms whose spheres have to be one piece, those of the input; None where they may have come apart.
        """

    def check_size(self, document: "Document", size: int, ranks: int | None, bands: int, *, bands_given: bool) -> None:
        """Refuse too many bands for the independent functions of the smallest basis, or ranks, where they are known.

        `size`: the number of points, or of plane waves (2 n - 1 real ones at Gamma). `bands_given`: whether the input
        has the number of bands.
        """
        if bands > size:
            raise document.error(
                ("electrons", "bands") if bands_given else ("basis", self.discretisation.setting.name),
                f"{counted(bands, 'band')} for {counted(size, self.function)}; "
                f"valid: fewer bands than {self.function}s, or a {self.finer_key}",
            )

    # Accuracy.

    @abstractmethod
    def described(self) -> str:
        """Return the setting in words."""

    @abstractmethod
    def recommended(self, potential: "Choice") -> str:
        """Return the setting that a pseudopotential recommends, and where it is from."""

    def density_cutoff_for(self, potentials: "Mapping[str, Choice]") -> "DensityCutoff | None":
        """Return the cutoff of the density that ultrasoft and PAW datasets need; None where none of them is one."""
        return None

    @abstractmethod
    def is_coarse_for(self, potential: "Choice") -> bool:
        """Return whether the setting is coarser than recommended."""

    # Other settings.

    @abstractmethod
    def values(self) -> list[float]:
        """Return the numbers of the setting."""

    @abstractmethod
    def series(self, tables: dict[str, Any]) -> Series:
        """Yield coarser and finer settings: the line of an input, the value, and the tables of the input with it."""

    @abstractmethod
    def as_mesh(self, radius: float | None, shown: str | None) -> Basis:
        """Return the table of a mesh: this one, or a new one without a spacing.

        `radius`: of the region, where it has one, or of spheres in a new table, which then have a free boundary;
        `shown`: as it was typed, for messages.
        """


def symmetric_grid(core: ModuleType, crystal: Mapping[str, Any], least: list[int]) -> list[int]:
    """Return at least so many points, and if the crystal's symmetry is used, as many as it needs.

    The group is that of the sizes of the moments, which maps the sublattices of an antiferromagnet too. On points that
    are not invariant under these operations the sublattices differ, and the antiferromagnet may be lost.
    """
    if not crystal["symmetry"]:
        return least
    sizes = [abs(moment) for moment in crystal["initial_magnetic_moments"]]
    return list(core.symmetric_grid({**crystal, "initial_magnetic_moments": sizes}, least))
