"""Remarks on a cell that changes in a relaxation, and on one with free directions."""

from collections.abc import Iterator

from wavegrid.base import vectors
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.fields import toml
from wavegrid.input.tasks import kind_of
from wavegrid.input.vacuum import VACUUM, empty_widths
from wavegrid.input_warnings.remark import Remark
from wavegrid.input_warnings.setup import Setup

_COMPONENTS = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))  # xx, yy, zz, yz, xz, xy
_ALONG = 1e-6  # of a unit vector: smaller components are zero


_TAILS = 3.0  # bohr that electrons extend beyond covalent radii, with some 1e-3 of them outside


def remarks(setup: Setup) -> Iterator[Remark]:
    """Yield the remarks on the cell."""
    yield from _closing(setup)
    yield from _narrow(setup)


def _narrow(setup: Setup) -> Iterator[Remark]:
    """Warn of plane waves whose electrons are not within half of the cell along a free direction."""
    if not from_basis(setup.spec.basis).discretisation.repeats_cell:
        return
    heights = vectors.heights(setup.crystal.cell)
    for axis, empty in enumerate(empty_widths(setup.crystal)):
        needed = 2 * (heights[axis] - empty + 2 * _TAILS)
        if not setup.spec.basis.periodic()[axis] and needed > heights[axis]:
            yield Remark(
                "cell_narrow_for_free_boundary",
                f"the cell has {heights[axis]:.1f} bohr along lattice vector {axis + 1}, whose boundary is free: "
                f"electrons extend over more than half of it and meet their images; better are {needed:.0f} bohr",
            )


def _closing(setup: Setup) -> Iterator[Remark]:
    """Warn of a cell that is free along vacuum, which it would close as far as surfaces attract each other."""
    relax = setup.spec.relax
    vacuum = [axis for axis, empty in enumerate(setup.empty) if empty > VACUUM]
    if kind_of(setup.spec) != "relax" or relax.cell == "fixed" or not vacuum:
        return
    keeping = _strains_that_keep(setup.crystal.cell, vacuum)
    given = relax.strain or [True] * 6
    if relax.cell == "free" and not any(free and not keeps for free, keeps in zip(given, keeping, strict=True)):
        return
    along = " and ".join(f"vector {axis + 1}" for axis in vacuum)
    advice = 'cell = "fixed"'
    if any(keeping):
        advice = f'cell = "free" with strain = {toml([a and b for a, b in zip(given, keeping, strict=True)])}'
    elif len(vacuum) < 3:
        advice += ", or turn the axes so that the vacuum lies along x, y or z"
    yield Remark(
        "cell_free_along_vacuum",
        f"the cell changes along lattice {along}, across which is vacuum: its stress there is that of images that "
        f"attract each other, and the relaxation may close the vacuum; write {advice}",
    )


def _strains_that_keep(cell: vectors.Rows, vacuum: list[int]) -> list[bool]:
    """Return for each component of the strain whether it leaves every width of the vacuum as it is."""
    normals = [vectors.reciprocal(cell)[axis] for axis in vacuum]
    units = vectors.directions(normals)
    return [all(abs(unit[i]) < _ALONG and abs(unit[j]) < _ALONG for unit in units) for i, j in _COMPONENTS]
