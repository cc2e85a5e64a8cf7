"""What a mesh in real space knows of a problem and its result. Ranks import this: no library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from wavegrid.base.text import counted
from wavegrid.discretisation import mesh_work
from wavegrid.discretisation.base import Discretisation, Setting
from wavegrid.discretisation.work import Work
from wavegrid.model.figures import PotentialFigures
from wavegrid.model.part import Vector

if TYPE_CHECKING:
    from wavegrid.model.figures import Figures, MeshFigures
    from wavegrid.model.problem import Problem, RealSpace
    from wavegrid.model.result import Result


_LAYOUT = ("partition", "two_level", "reorder", "overlap")  # where points are


class Mesh(Discretisation):
    """Finite differences on the points of a mesh, in the cell or in a region of it."""

    method = "realspace"
    not_available = 'is not available with [basis] method = "realspace"'
    setting = Setting("spacing", "a smaller spacing", "spacing (bohr)")
    finer_key = "smaller spacing"
    forces_depend_on_setting = True
    repeats_cell = False
    egg_box = True

    def capability(self, periodic: list[bool]) -> str:
        """A crystal, a chain or layer, or a molecule."""
        return {3: "mesh", 0: "mesh, free"}.get(sum(periodic), "mesh, partly free")

    def periodic(self, problem: Problem) -> list[bool]:
        """Return what the boundary of the input says."""
        return list(_region(problem)["periodic"])

    def finer(self, problem: Problem) -> str:
        """Spheres end where functions are not quite zero: their radius counts too."""
        more = ", or a larger radius of the region" if self.points_follow_atoms(problem) else ""
        return self.setting.finer + more

    def points_follow_atoms(self, problem: Problem) -> bool:
        """Spheres are around the atoms; a cylinder or a box stays."""
        return bool(_region(problem)["region"] == "spheres")

    def checkpoint_has_cell(self, problem: Problem) -> bool:
        """Of a region smaller than the cell a checkpoint has the box around it."""
        return bool(_region(problem)["region"] == "cell")

    def basis(self, problem: Problem) -> dict[str, Any]:
        """Return points, order and region."""
        region = {name: value for name, value in _region(problem).items() if name not in _LAYOUT}
        return {"grid": problem["grid"], **region}

    def other_cutoff(self, ecut: float, problem: Problem, same: float) -> list[str]:
        """The cutoff follows from the grid, which is compared."""
        return []

    def work(self, problem: Problem, figures: Figures, rates: dict[str, float]) -> Work:
        """Count points of stencils, whose rate is that of memory."""
        return mesh_work.work(problem, figures)

    def mesh_figures(self, estimate: dict[str, Any]) -> MeshFigures | None:
        """Return points, points of a stencil, spacing and the grid of the electrostatics."""
        from wavegrid.model.figures import MeshFigures

        return cast(MeshFigures, {name: estimate[name] for name in MeshFigures.__annotations__})

    def size(self, figures: Figures) -> str:
        """Return points and spacing."""
        mesh = figures["mesh"]
        assert mesh is not None
        spacing = " x ".join(f"{step:.3f}" for step in mesh["spacing"])
        return f"mesh of {counted(mesh['points'], 'point')}, spacing {spacing} bohr"

    def recommended(self, described: PotentialFigures) -> str:
        """Return the spacing."""
        return f"spacing {described['recommended_spacing']:.2f} bohr (estimated)"

    def further_checks(self, file: str) -> list[str]:
        """Return the command for the egg-box effect."""
        return [f"error by the position of the atoms between points: wavegrid check {file} --egg-box"]

    def num_points(self, result: Result) -> int:
        """Return the points in the region."""
        assert result.mesh is not None
        return result.mesh.points

    def size_rows(self, result: Result) -> list[tuple[str, Any]]:
        """Return points in all and along the cell."""
        return [("points", self.num_points(result)), ("points along the cell", " x ".join(map(str, result.grid)))]

    def field_box(self, problem: Problem, first: Vector | None, counts: Sequence[int]) -> tuple[Any, Any, list[bool]]:
        """Return the box of all points."""
        import numpy as np  # no other method needs it

        steps = np.array(problem["cell"]) / np.array(problem["grid"])[:, None]
        assert first is not None
        return np.array(first) @ steps, np.array(counts)[:, None] * steps, self.periodic(problem)

    def overlap_line(self, result: Result) -> str:
        """Return whether halo exchanges overlap computing, unless there is one rank."""
        if result.parallel.ranks == 1:
            return ""
        mesh = result.mesh
        assert mesh is not None
        reason = mesh.overlap_reason or "given in the input, or too few applications to measure"
        hidden = "" if mesh.overlap == "off" else f"; {100 * mesh.hidden_share:.0f}% of the exchanges hidden"
        return f"overlap {mesh.overlap}: {reason}{hidden}"

    def shared_settings(self, tables: dict[str, Any]) -> dict[str, Any]:
        """There is none: other programs have cutoffs."""
        return {}


def _region(problem: Problem) -> RealSpace:
    assert problem["realspace"] is not None
    return problem["realspace"]
