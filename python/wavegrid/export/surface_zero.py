"""Where the electrostatic potential around a molecule or a slab is zero."""

import numpy as np

from wavegrid.export.fields import Field
from wavegrid.model.surface import SurfaceZero

_VACUUM = 8.0  # bohr between nuclei


def find(potential: Field, places: np.ndarray, *, isolated: bool) -> tuple[float, SurfaceZero]:
    """Return the potential that counts as zero; `places`: of the atoms, fractional in the box of the field.

    That of an isolated molecule is zero far away. Else it is the mean of the planes in the middle of the vacuum, along
    each lattice direction that has any. Without vacuum it stays as it is.
    """
    if isolated:
        return 0.0, "infinity"
    means = []
    for axis, (periodic, height) in enumerate(zip(potential.periodic, _heights(potential), strict=True)):
        middle, gap = _widest(places[:, axis])
        if periodic and gap * height > _VACUUM:
            count = potential.values.shape[axis]
            plane = np.take(potential.values, round(middle * count) % count, axis=axis)
            means.append(float(plane.mean()))
    return (float(np.mean(means)), "vacuum") if means else (0.0, "cell")


def _widest(places: np.ndarray) -> tuple[float, float]:
    """Return the middle and the width of the widest gap between places, modulo 1."""
    inside = np.sort(places % 1.0)
    gaps = np.diff(inside, append=inside[0] + 1)
    widest = int(gaps.argmax())
    return float(inside[widest] + gaps[widest] / 2) % 1.0, float(gaps[widest])


def centred(field: Field, places: np.ndarray) -> Field:
    """Return a field with the middle of each vacuum at the ends of its box, so that a molecule is in one piece."""
    shifts = []
    for axis, (n, height) in enumerate(zip(field.values.shape, _heights(field), strict=True)):
        middle, gap = _widest(places[:, axis])
        shift = round(middle * n) if field.periodic[axis] and gap * height > _VACUUM else 0
        behind = places[:, axis] < shift / n
        shifts.append(shift - n if 2 * np.count_nonzero(behind) > len(places) else shift)
    steps = field.vectors / np.array(field.values.shape)[:, None]
    values = np.roll(field.values, [-shift for shift in shifts], axis=(0, 1, 2))
    return field._replace(values=values, origin=field.origin + np.array(shifts) @ steps)


def is_molecule(field: Field, places: np.ndarray) -> bool:
    """Return whether there is vacuum, or a free boundary, along all directions."""
    return all(
        not periodic or _widest(places[:, axis])[1] * height > _VACUUM
        for axis, (periodic, height) in enumerate(zip(field.periodic, _heights(field), strict=True))
    )


def _heights(field: Field) -> list[float]:
    found: list[float] = (1 / np.linalg.norm(np.linalg.inv(field.vectors), axis=0)).tolist()
    return found
