"""What plane waves and a mesh in real space know of a problem and its result. Ranks import this: no library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wavegrid.discretisation.work import Work
from wavegrid.model.figures import PotentialFigures
from wavegrid.model.part import Vector

if TYPE_CHECKING:
    from wavegrid.model.figures import Figures, MeshFigures
    from wavegrid.model.problem import Problem
    from wavegrid.model.result import Result


@dataclass(frozen=True)
class Setting:
    """A setting that decides how accurate a calculation is, and its words."""

    name: str  # the key, as --converge has it
    finer: str  # what makes a calculation more accurate
    axis: str  # label of a plot over it
    scale: float = 1.0  # of the axis, for a value as the core has it


class Discretisation(ABC):
    """What depends on the discretisation.

    `problem`: the argument of the core's solve. `figures`: sizes of a run. `result`: of the core, or complete.
    """

    method: str
    """name in the input: [basis] method"""
    setting: Setting
    """of its accuracy"""
    finer_key: str
    """change of the setting, by its key, that makes a calculation more accurate"""
    forces_depend_on_setting: bool
    """whether a coarse setting makes forces differ from the derivatives of the energy"""
    repeats_cell: bool
    """whether functions are repeated along free directions, too"""
    egg_box: bool
    """whether energies depend on where the atoms are between the points"""

    @abstractmethod
    def capability(self, periodic: list[bool]) -> str:
        """Return its name among the capabilities (input/features); `periodic`: whether each direction is."""

    # The problem.

    @abstractmethod
    def periodic(self, problem: Problem) -> list[bool]:
        """Return whether each lattice direction is periodic."""

    def repeats(self, problem: Problem) -> list[bool]:
        """Return whether functions are repeated along each lattice direction."""
        return [True] * 3 if self.repeats_cell else self.periodic(problem)

    @abstractmethod
    def finer(self, problem: Problem) -> str:
        """Return in words what makes the error by the position of the atoms between the points smaller."""

    @abstractmethod
    def points_follow_atoms(self, problem: Problem) -> bool:
        """Return whether the region of the points moves with the atoms."""

    @abstractmethod
    def checkpoint_has_cell(self, problem: Problem) -> bool:
        """Return whether cell and grid of a checkpoint are those of the problem, not those of a box."""

    @abstractmethod
    def basis(self, problem: Problem) -> dict[str, Any]:
        """Return what bands and fields are functions of, besides cell and k-points, without how it is distributed."""

    @abstractmethod
    def other_cutoff(self, ecut: float, problem: Problem, same: float) -> list[str]:
        """Name the cutoff of a checkpoint, Ha, where it differs from the problem's by more than a share `same`."""

    @abstractmethod
    def work(self, problem: Problem, figures: Figures, rates: dict[str, float]) -> Work:
        """Return the work of a run at the `rates` of a core (operations per second of `fft` and `gemm`)."""

    # Figures and words for the user.

    @abstractmethod
    def mesh_figures(self, estimate: dict[str, Any]) -> MeshFigures | None:
        """Return the sizes of a mesh, of the core's estimate; None with plane waves."""

    @abstractmethod
    def size(self, figures: Figures) -> str:
        """Return the size of the basis in words."""

    @abstractmethod
    def recommended(self, described: PotentialFigures) -> str:
        """Return the setting that a pseudopotential needs, in words; `described`: as result.json has it."""

    @abstractmethod
    def further_checks(self, file: str) -> list[str]:
        """Return lines on commands that check an input further."""

    # The result.

    @abstractmethod
    def num_points(self, result: Result) -> int:
        """Return the number of points."""

    @abstractmethod
    def size_rows(self, result: Result) -> list[tuple[str, Any]]:
        """Return names and numbers of plane waves or points, and of the grid."""

    @abstractmethod
    def field_box(self, problem: Problem, first: Vector | None, counts: Sequence[int]) -> tuple[Any, Any, list[bool]]:
        """Return the box of a field: origin and vectors (rows), bohr; whether the field repeats along each.

        `first`: the index of its first point, `counts`: its points along the lattice vectors.
        """

    @abstractmethod
    def overlap_line(self, result: Result) -> str:
        """Return what is computed during halo exchanges, and why; empty where there are none."""

    @abstractmethod
    def shared_settings(self, tables: dict[str, Any]) -> dict[str, Any]:
        """Return the settings of an input's tables that other programs have too, by their common names."""
