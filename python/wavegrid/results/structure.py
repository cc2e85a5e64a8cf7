"""The crystal of a problem, for result.json and other files. Plain lists: a run does not import numpy here."""

from typing import Any

from wavegrid.model.problem import Problem


def structure(problem: Problem, fixed: dict[str, list[list[bool]]]) -> dict[str, Any]:
    """Return the cell (bohr, vectors as rows), and element and position of each atom, Cartesian (bohr) and fractional.

    Atoms are in the order of the (super)cell, as in `forces`. Where there are any: initial magnetic moments, and the
    coordinates that are fixed, which are those of a job.
    """
    cell = [[float(x) for x in vector] for vector in problem["cell"]]
    fractional = [[float(x) for x in atom[1:]] for atom in problem["atoms"]]
    return {
        "cell": cell,
        "species": symbols(problem),
        "positions": [[sum(place[i] * cell[i][axis] for i in range(3)) for axis in range(3)] for place in fractional],
        "fractional": fractional,
        **({"initial_magnetic_moments": moments} if (moments := problem["initial_magnetic_moments"]) else {}),
        **{f"fixed_{kind}": masks for kind, masks in fixed.items() if any(map(any, masks))},
    }


def symbols(problem: Problem) -> list[str]:
    """Return the element of each atom."""
    return [problem["species"][atom[0]] for atom in problem["atoms"]]
