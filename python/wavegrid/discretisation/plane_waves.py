"""What plane waves know of a problem and its result. Ranks import this: no library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wavegrid.base.text import counted
from wavegrid.discretisation import plane_wave_work
from wavegrid.discretisation.base import Discretisation, Setting
from wavegrid.discretisation.work import Work
from wavegrid.model.figures import PotentialFigures
from wavegrid.model.part import Vector
from wavegrid.units import HARTREE_IN_EV, parse_energy

if TYPE_CHECKING:
    from wavegrid.model.figures import Figures, MeshFigures
    from wavegrid.model.problem import Problem
    from wavegrid.model.result import Result


class PlaneWaves(Discretisation):
    """Plane waves up to a cutoff, with an FFT grid for products of them."""

    method = "planewaves"
    setting = Setting("ecut", "a larger cutoff", "cutoff (eV)", HARTREE_IN_EV)
    finer_key = "higher ecut"
    forces_depend_on_setting = False
    repeats_cell = True
    egg_box = False

    def capability(self, periodic: list[bool]) -> str:
        """A crystal, a chain or layer, or a molecule."""
        return {3: "plane waves", 0: "waves, free"}.get(sum(periodic), "waves, partly free")

    def periodic(self, problem: Problem) -> list[bool]:
        """Return what the boundary of the input says."""
        return list(problem.get("periodic", [True] * 3))

    def finer(self, problem: Problem) -> str:
        """The points are those of the FFT grid."""
        return self.setting.finer

    def points_follow_atoms(self, problem: Problem) -> bool:
        """The points are those of the cell."""
        return False

    def checkpoint_has_cell(self, problem: Problem) -> bool:
        """The only box is the cell."""
        return True

    def basis(self, problem: Problem) -> dict[str, Any]:
        """Return the cutoff and the grids, and free directions where there are any."""
        found: dict[str, Any] = {name: problem[name] for name in ("ecut", "grid", "density_grid")}
        periodic = self.periodic(problem)
        return found if all(periodic) else found | {"periodic": periodic}

    def other_cutoff(self, ecut: float, problem: Problem, same: float) -> list[str]:
        """Name the cutoff where it differs."""
        return [f"cutoff {ecut:.6g} Ha"] if abs(ecut - problem["ecut"]) > same * ecut else []

    def work(self, problem: Problem, figures: Figures, rates: dict[str, float]) -> Work:
        """Count FFTs and products of bands."""
        return plane_wave_work.work(problem, figures, rates)

    def mesh_figures(self, estimate: dict[str, Any]) -> MeshFigures | None:
        """There is no mesh."""
        return None

    def size(self, figures: Figures) -> str:
        """Return plane waves and grids."""
        waves, grid, fine = counted(figures["plane_waves"], "plane wave"), figures["grid"], figures["density_grid"]
        shown = f"{waves}, grid {_shown(grid)}"
        return shown + (f", of the density {_shown(fine)} ({figures['density_ecut']:g} Ha)" if fine else "")

    def recommended(self, described: PotentialFigures) -> str:
        """Return the cutoff and its source."""
        return f"ecut {described['recommended_ecut']:.0f} Ha ({described['recommended_ecut_source']})"

    def further_checks(self, file: str) -> list[str]:
        """There are none that plane waves need more than a mesh."""
        return []

    def num_points(self, result: Result) -> int:
        """Return the points of the FFT grid."""
        return math.prod(result.grid)

    def size_rows(self, result: Result) -> list[tuple[str, Any]]:
        """Return plane waves and FFT grids."""
        rows = [("plane waves", result.plane_waves), ("FFT grid", _shown(result.grid))]
        if result.density_grid:
            rows.append(("density's FFT grid", _shown(result.density_grid)))
        if result.density_ecut is not None:
            reason = f": {result.density_ecut_reason}" if result.density_ecut_reason else ""
            rows.append(("density's cutoff", f"{result.density_ecut:g} Ha{reason}"))
        if (used := result.augmentation) is not None:
            rows.append(("augmentation charge", f"{used.kind}: {used.reason}"))
        return rows

    def field_box(self, problem: Problem, first: Vector | None, counts: Sequence[int]) -> tuple[Any, Any, list[bool]]:
        """Return the cell."""
        return [0.0, 0.0, 0.0], problem["cell"], [True] * 3

    def overlap_line(self, result: Result) -> str:
        """There are no halo exchanges."""
        return ""

    def shared_settings(self, tables: dict[str, Any]) -> dict[str, Any]:
        """Return the cutoff."""
        return {"cutoff (Ha)": parse_energy(tables["basis"]["ecut"])}


def _shown(grid: Sequence[int]) -> str:
    return " x ".join(map(str, grid))
