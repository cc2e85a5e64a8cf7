"""The work of a run on a mesh in real space."""

import math

from wavegrid.discretisation.work import Work, scf_steps
from wavegrid.model.figures import Figures
from wavegrid.model.problem import Problem

_FILTER = 25.0  # applications of H to a band in a step
_ARM = 1.5e-9  # seconds for a point of a stencil and a real number
_OTHER_ARMS = 15  # as many as projectors and products with other bands cost


def work(problem: Problem, figures: Figures) -> Work:
    """Return the work of a run with these figures (job/figures.py)."""
    steps, kpoint_groups = min(scf_steps(problem), problem["max_steps"]), figures["kpoint_groups"]
    rounds = math.ceil(figures["kpoints"] * problem["spins"] / kpoint_groups) * _FILTER * steps
    ranks = figures["ranks"] // kpoint_groups  # of a group
    return Work(steps, rounds, 0.0, rounds * problem["bands"] * _application(problem, figures) / ranks)


def _application(problem: Problem, figures: Figures) -> float:
    """Return the seconds of one application of H to a band, of all ranks of a group together."""
    mesh = figures["mesh"]
    assert mesh is not None
    numbers = mesh["points"] * (1 if figures["mode"] == "gamma" else 2) * (2 if problem["spinors"] else 1)
    return numbers * (mesh["arms"] + _OTHER_ARMS) * _ARM / problem["threads"]
