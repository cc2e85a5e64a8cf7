"""Born charges and dielectric tensor of fields along the three axes."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from wavegrid.crystal import symmetry
from wavegrid.model.born import BornCharges
from wavegrid.model.part import Tensor
from wavegrid.model.problem import Problem


def part(problem: Problem, fields: Sequence[dict[str, Any]]) -> BornCharges:
    """Return the part of result.json of the fields that are done, in any order."""
    ordered = sorted(fields, key=lambda one: int(one["axis"]))
    found = BornCharges(fields=len(ordered), iterations=[int(one["iterations"]) for one in ordered])
    if len(ordered) < 3:
        return found
    charges = np.array([one["charges"] for one in ordered]).transpose(1, 2, 0)  # atom, force, field
    dielectric = np.array([one["dielectric"] for one in ordered]).T
    found.charge_sum = _tensor(charges.sum(axis=0))
    symmetric, dielectric = _averages(problem, charges, dielectric)
    found.asymmetry = float(np.abs(symmetric - charges).max())
    found.charges = [_tensor(one) for one in symmetric - symmetric.mean(axis=0)]
    found.dielectric = _tensor(dielectric)
    return found


def _averages(problem: Problem, charges: np.ndarray, dielectric: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return charges (atom, 3, 3) and dielectric tensor averaged over the operations of the crystal."""
    kinds = [problem["species"][atom[0]] for atom in problem["atoms"]]
    places = [list(atom[1:]) for atom in problem["atoms"]]
    operations = symmetry.operations(problem["cell"], kinds, places, problem["initial_magnetic_moments"] or None)
    if not operations:  # of crystals with very many atoms none is known
        return charges, dielectric
    tensor, all_charges = np.zeros_like(dielectric), np.zeros_like(charges)
    for rotation, images in operations:
        matrix = symmetry.cartesian(rotation, np.array(problem["cell"]))
        tensor += matrix @ dielectric @ matrix.T
        all_charges[images] += matrix @ charges @ matrix.T
    return all_charges / len(operations), tensor / len(operations)


def _tensor(values: np.ndarray) -> Tensor:
    return cast(Tensor, tuple(map(tuple, values.tolist())))
