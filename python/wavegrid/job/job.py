"""The job that the launcher passes to the ranks. Imports little, so that ranks start fast."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wavegrid.base.text import printable
from wavegrid.model.tasks import MOTION, REPEATED, OrbitalTask, Task

if TYPE_CHECKING:
    from wavegrid.model.figures import Figures, PotentialFigures
    from wavegrid.model.problem import Problem


@dataclass
class Job:
    """All data of a run; plain, so that the launcher can pass them to the ranks as JSON."""

    file: str
    title: str
    directory: str
    problem: "Problem"  # the argument of the core's solve
    input: dict[str, Any]  # the input file as it was read
    electrons: float
    notes: list[str] = field(default_factory=list)
    warnings: list[dict[str, str]] = field(default_factory=list)  # name and message: what may be wrong science
    pseudopotentials: "list[PotentialFigures]" = field(default_factory=list)  # described, one for each species
    task: Task = field(default_factory=lambda: Task(kind="scf"))
    density: str | None = None  # the format in which the density is written, if at all
    potential: str | None = None  # the same of the potential, which `problem` names
    orbitals: OrbitalTask | None = None  # what is made of the bands
    polarisation: bool = False  # whether it is wanted
    fixed: dict[str, list[list[bool]]] = field(default_factory=dict)  # `FixedCoordinates`; empty where all atoms move
    density_ecut_reason: str = ""  # why the cutoff of the density is this one, where the input has none
    surface: float | None = None  # the density on whose surface the potential is wanted, electrons/bohr^3
    average_width: float | None = None  # of the macroscopic average of the potential, bohr
    across_slab: bool = False  # whether the averages of the potential are those across a slab
    figures: "Figures | None" = None  # once they are computed

    @property
    def moves(self) -> bool:
        """Whether the task has many geometries."""
        return self.task["kind"] in MOTION

    @property
    def repeats(self) -> bool:
        """Whether the task solves many problems, one after the other."""
        return self.moves or self.task["kind"] in REPEATED or bool(self.task.get("starts"))

    def density_cutoff(self) -> dict[str, Any]:
        """Return the cutoff of the density and its reason, as result.json has them; empty where it has none."""
        ecut, reason = self.problem["density_ecut"], self.density_ecut_reason
        if ecut is None:
            return {}
        return {"density_ecut": ecut} | ({"density_ecut_reason": reason} if reason else {})

    def title_line(self) -> str:
        """Return the first line of a run's display."""
        return printable(f"{self.title}  ({self.file})")
