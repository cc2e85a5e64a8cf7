"""Density and potential as VASP writes them: CHGCAR and LOCPOT, for VESTA and programs of Bader's analysis.

After the structure each component has a line with the points and its values, x fastest: the density times the volume of
the cell, or the potential in eV.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np

from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

_PER_LINE = 5


def render(
    title: str,
    cell: np.ndarray,
    symbols: Sequence[str],
    fractional: np.ndarray,
    fields: Iterable[np.ndarray],
    kind: str,
) -> bytes:
    """Return the file, `kind` "chgcar" or "locpot"; cell in bohr, fields in electrons/bohr^3 or Ha."""
    factor = abs(float(np.linalg.det(cell))) if kind == "chgcar" else HARTREE_IN_EV
    species = [(symbol, len(list(group))) for symbol, group in groupby(symbols)]
    lines = [f"{' '.join(title.split())}, by wavegrid", "   1.00000000000000"]
    lines += [_row(vector * BOHR_IN_ANGSTROM) for vector in cell]
    lines += ["".join(f"{symbol:>5}" for symbol, _ in species), "".join(f"{count:6d}" for _, count in species)]
    lines += ["Direct", *map(_row, fractional), ""]
    for field in fields:
        lines.append("".join(f"{count:5d}" for count in field.shape))
        cells = [f"{value: .11E}" for value in (field * factor).ravel(order="F").tolist()]
        lines += [" ".join(cells[i : i + _PER_LINE]) for i in range(0, len(cells), _PER_LINE)]
    return "\n".join(lines).encode() + b"\n"


def _row(numbers: Iterable[float]) -> str:
    return "".join(f"{number:14.8f}" for number in numbers)
