"""Dipole and quadrupole about the centre of mass. Ranks import this: no library."""

from wavegrid.base import vectors
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.model.core_result import ChargeMoments, CoreResult
from wavegrid.model.crystal import Multipoles
from wavegrid.model.part import Tensor, Vector
from wavegrid.model.problem import Problem


def about_centre_of_mass(problem: Problem, result: CoreResult) -> Multipoles | None:
    """Return the moments of a molecule, or those across a chain or layer; None of a crystal."""
    found = result.charge_moments
    if found is None:
        return None
    masses = [ELEMENTS[problem["species"][int(atom[0])]].mass for atom in problem["atoms"]]
    origin = [vectors.dot(masses, along) / sum(masses) for along in zip(*found.ions, strict=True)]
    repeated = [row for row, is_open in zip(problem["cell"], found.open, strict=True) if not is_open]
    about = [p - found.charge * centre for p, centre in zip(found.dipole, origin, strict=True)]
    moments = Multipoles(dipole=_across(about, repeated), charge=found.charge, origin=_vector(origin))
    if not repeated:
        moments.quadrupole = _quadrupole(found, origin)
    return moments


def _vector(values: vectors.Vector) -> Vector:
    x, y, z = values
    return (x, y, z)


def _across(vector: vectors.Vector, repeated: vectors.Rows) -> Vector:
    """Return the part of a vector that is orthogonal to no, one or two others."""
    if not repeated:
        return _vector(vector)
    unit = vectors.directions([repeated[0] if len(repeated) == 1 else vectors.cross(*repeated)])[0]
    along = vectors.dot(vector, unit)
    if len(repeated) == 1:
        return _vector([v - along * u for v, u in zip(vector, unit, strict=True)])
    return _vector([along * u for u in unit])


def _quadrupole(found: ChargeMoments, origin: vectors.Vector) -> Tensor:
    """Return half the sum of q (3 r r - r^2) about the origin."""
    second = [
        [
            found.second[a][b]
            - origin[a] * found.dipole[b]
            - found.dipole[a] * origin[b]
            + found.charge * origin[a] * origin[b]
            for b in range(3)
        ]
        for a in range(3)
    ]
    trace = sum(second[a][a] for a in range(3))
    rows = [_vector([1.5 * second[a][b] - (0.5 * trace if a == b else 0.0) for b in range(3)]) for a in range(3)]
    return (rows[0], rows[1], rows[2])
