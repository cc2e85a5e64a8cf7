"""What local orbitals know of a problem and its result. Ranks import this: no library."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from wavegrid.base.text import counted
from wavegrid.discretisation.plane_waves import PlaneWaves
from wavegrid.discretisation.work import Work, scf_steps

if TYPE_CHECKING:
    from wavegrid.model.figures import Figures
    from wavegrid.model.problem import Problem
    from wavegrid.model.result import Result

_EQUATIONS = 10.0  # operations over the cube of the functions, of H c = e S c
# Of functions in spheres: steps of the optimiser in one of the loop; in each products of pairs, and 4.5 operators on
# each function by two transforms of two functions in a wide box, of 5 N log2 N operations, which with copies and sums
# take 4 times as long as these at the rate of transforms.
OPTIMISER_STEPS, _PRODUCTS, _OPERATORS = 5, 10, 4 * 4.5


class LocalOrbitals(PlaneWaves):
    """Numerical orbitals of the atoms, which are sums of plane waves up to a cutoff."""

    method = "local-orbitals"

    def capability(self, periodic: list[bool]) -> str:
        """All directions are periodic."""
        return "local orbitals"

    def basis(self, problem: Problem) -> dict[str, Any]:
        """Return the orbitals, too."""
        return super().basis(problem) | {"local_orbitals": problem["local_orbitals"]}

    def work(self, problem: Problem, figures: Figures, rates: dict[str, float]) -> Work:
        """Count products in boxes, which the ranks of a k-point group share, and the solution of the equations."""
        used = figures["local_orbitals"]
        assert used is not None
        functions, factor = used["functions"], 1 if figures["mode"] == "gamma" else 4  # of complex products
        steps = min(scf_steps(problem), problem["max_steps"])
        sets = math.ceil(figures["kpoints"] * problem["spins"] / figures["kpoint_groups"])
        ranks = max(1, figures["ranks"] // figures["kpoint_groups"])
        products = 2 * used["pair_values"] * factor / ranks  # of V, of the density, once of S
        rotation = 2 * functions * problem["bands"] * figures["max_plane_waves"] * (2 if factor == 1 else 4)
        equations = _EQUATIONS * factor * functions**3
        options = problem["local_orbitals"]
        assert options is not None
        if not (options["optimise"] and options["box_radius"]):
            operations = sets * ((2 * steps + 1) * products + steps * (equations + rotation))
            return Work(steps=steps, rounds=0.0, transforms=0.0, seconds=operations / rates["gemm"])
        points, kernel = used["wide_points"], 0.0 if options["kernel"] == "purify" else 2 * equations
        optimiser = sets * steps * OPTIMISER_STEPS
        filters = _OPERATORS * functions * (factor // 4 + 1) * 5 * points * math.log2(points) / ranks
        seconds = optimiser * (filters / rates["fft"] + (_PRODUCTS * products + kernel) / rates["gemm"])
        return Work(steps=steps, rounds=0.0, transforms=0.0, seconds=seconds)

    def size(self, figures: Figures) -> str:
        """Return their number, too."""
        assert (used := figures["local_orbitals"]) is not None
        return f"{counted(used['functions'], 'local orbital')} of {super().size(figures)}"

    def size_rows(self, result: Result) -> list[tuple[str, Any]]:
        """Return the orbitals, too."""
        used = result.local_orbitals
        assert used is not None
        reach = "the whole cell" if used.whole_cell else f"{used.box_radius:g} bohr around an atom"
        return [("local orbitals", used.functions), ("boxes of orbitals", reach), *super().size_rows(result)]
