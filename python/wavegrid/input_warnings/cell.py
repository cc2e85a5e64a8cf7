"""Remarks on a cell that changes in a relaxation."""

from collections.abc import Iterator

from wavegrid.base import vectors
from wavegrid.input.fields import toml
from wavegrid.input.tasks import kind_of
from wavegrid.input.vacuum import VACUUM
from wavegrid.input_warnings.remark import Remark
from wavegrid.input_warnings.setup import Setup

_COMPONENTS = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))  # xx, yy, zz, yz, xz, xy
_ALONG = 1e-6  # of a unit vector: smaller components are zero


def remarks(setup: Setup) -> Iterator[Remark]:
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
