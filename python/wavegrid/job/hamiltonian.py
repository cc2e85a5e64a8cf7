"""What makes the Hamiltonian of an input, compared where a run goes on with numbers of an earlier one."""

import hashlib
from pathlib import Path
from typing import Any

from wavegrid.discretisation import choose
from wavegrid.model.problem import Problem


def identity(problem: Problem, electrons: float) -> dict[str, Any]:
    """Return what has to stay the same, by the names of messages."""
    given: Any = problem
    return {
        "the cell": given["cell"],
        "the atoms": [[given["species"][kind], *place] for kind, *place in given["atoms"]],
        "the basis": choose.from_problem(problem).basis(problem),
        "the functional": given["xc"],
        "pseudopotentials": [[one["name"], one["valence"], _digest(one["file"])] for one in given["pseudopotentials"]],
        "DFT+U": given.get("hubbard"),
        "electrons": electrons,
        "spin": [given["spins"], given["total_magnetisation"]],
        "smearing": given["occupations"] or given["smearing"],
        "k-points": given["kpoints"],
        "the external field": given["external"],
    }


def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
