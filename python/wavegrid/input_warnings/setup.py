"""What the remarks on an input are about: the crystal, its k-points and its pseudopotentials."""

import math
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

from wavegrid.input import kpoints
from wavegrid.input.models import Input
from wavegrid.input.pseudopotentials import Choice
from wavegrid.input.structure import Crystal
from wavegrid.input.vacuum import POSSIBLE_VACUUM, empty_widths
from wavegrid.input_warnings.geometry import Separation, separation


@dataclass(frozen=True)
class Setup:
    """An input as the core will get it."""

    core: ModuleType
    spec: Input
    crystal: Crystal
    electrons: float
    moments: list[float]  # initial ones, by atom; empty without spin
    kpoints: kpoints.Choice
    xc: str  # libxc's names
    potentials: dict[str, Choice]  # by element

    @property
    def mesh(self) -> list[int] | None:
        """The mesh of k-points; None for a list of them other than Gamma."""
        return self.kpoints.mesh()

    @cached_property
    def empty(self) -> list[float]:
        """(3,), bohr: the widest layer without atoms across each lattice direction; infinite in those that are free."""
        widths = zip(empty_widths(self.crystal), self.spec.basis.periodic(), strict=True)
        return [width if periodic else math.inf for width, periodic in widths]

    @cached_property
    def closest(self) -> Separation | None:
        """The pair of atoms that is closest in relation to its covalent radii."""
        return separation(self.core, self.crystal)

    @property
    def isolated(self) -> bool:
        """Whether there is vacuum along all directions: a molecule or an atom."""
        return min(self.empty) > POSSIBLE_VACUUM

    @property
    def crystal_like(self) -> bool:
        """Whether the input is meant as a crystal: atoms without vacuum between them, or several k-points."""
        return not self.isolated or self.mesh is None or max(self.mesh) > 1

    def symmetric_crystal(self) -> dict[str, Any]:
        """Return the crystal with its initial moments, as the core's functions of its symmetry take it."""
        return self.crystal.as_dict() | {"initial_magnetic_moments": self.moments}

    def periodic_axes(self) -> list[int]:
        """Return the lattice directions without vacuum."""
        return [axis for axis in range(3) if self.empty[axis] <= POSSIBLE_VACUUM]
