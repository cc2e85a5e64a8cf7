"""What plane waves know of a problem and its result. Ranks import this: no library."""

import math
from typing import Any

from wavegrid.discretisation import plane_wave_work
from wavegrid.discretisation.base import Discretisation, Setting
from wavegrid.discretisation.work import Work
from wavegrid.text import counted
from wavegrid.units import HARTREE_IN_EV, parse_energy


class PlaneWaves(Discretisation):
    """Plane waves up to a cutoff, with an FFT grid for products of them."""

    method = "planewaves"
    setting = Setting("ecut", "a larger cutoff", "cutoff (eV)", HARTREE_IN_EV)
    finer_key = "higher ecut"
    forces_depend_on_setting = False

    def capability(self, periodic: list[bool]) -> str:
        """All directions are periodic."""
        return "plane waves"

    def periodic(self, problem: dict[str, Any]) -> list[bool]:
        """All directions are periodic."""
        return [True] * 3

    def finer(self, problem: dict[str, Any]) -> str:
        """The points are those of the FFT grid."""
        return self.setting.finer

    def points_follow_atoms(self, problem: dict[str, Any]) -> bool:
        """The points are those of the cell."""
        return False

    def checkpoint_has_cell(self, problem: dict[str, Any]) -> bool:
        """The only box is the cell."""
        return True

    def other_cutoff(self, ecut: float, problem: dict[str, Any], same: float) -> list[str]:
        """Name the cutoff where it differs."""
        return [f"cutoff {ecut:.6g} Ha"] if abs(ecut - problem["ecut"]) > same * ecut else []

    def work(self, problem: dict[str, Any], figures: dict[str, Any], rates: dict[str, float]) -> Work:
        """Count FFTs and products of bands."""
        return plane_wave_work.work(problem, figures, rates)

    def mesh_figures(self, estimate: dict[str, Any]) -> dict[str, Any] | None:
        """There is no mesh."""
        return None

    def size(self, figures: dict[str, Any]) -> str:
        """Return plane waves and grid."""
        return f"{counted(figures['plane_waves'], 'plane wave')}, grid {' x '.join(map(str, figures['grid']))}"

    def recommended(self, described: dict[str, Any]) -> str:
        """Return the cutoff and its source."""
        return f"ecut {described['recommended_ecut']:.0f} Ha ({described['recommended_ecut_source']})"

    def further_checks(self, file: str) -> list[str]:
        """There are none that plane waves need more than a mesh."""
        return []

    def num_points(self, result: dict[str, Any]) -> int:
        """Return the points of the FFT grid."""
        return math.prod(result["grid"])

    def size_rows(self, result: dict[str, Any]) -> list[tuple[str, Any]]:
        """Return plane waves and FFT grid."""
        return [("plane waves", result["plane_waves"]), ("FFT grid", " x ".join(map(str, result["grid"])))]

    def field_box(self, problem: dict[str, Any], result: dict[str, Any]) -> tuple[Any, Any, list[bool]]:
        """Return the cell."""
        return [0.0, 0.0, 0.0], problem["cell"], [True] * 3

    def overlap_line(self, result: dict[str, Any]) -> str:
        """There are no halo exchanges."""
        return ""

    def shared_settings(self, tables: dict[str, Any]) -> dict[str, Any]:
        """Return the cutoff."""
        return {"cutoff (Ha)": parse_energy(tables["basis"]["ecut"])}
