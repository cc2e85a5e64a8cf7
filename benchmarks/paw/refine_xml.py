"""PAW XML files on a finer radial mesh: the same functions, with which ABINIT integrates more accurately.

Projectors are those of the interval up to their first zero; pseudo partial waves are those of all electrons from there
on.
"""

from __future__ import annotations

import re

import numpy as np
from local_tail import with_exact_tail
from refine import finer, rows

_FUNCTIONS = (
    "ae_core_density|pseudo_core_density|pseudo_valence_density|zero_potential|blochl_local_ionic_potential|"
    "kresse_joubert_local_ionic_potential|ae_partial_wave|pseudo_partial_wave|projector_function"
)
_ELEMENT = re.compile(rf"(<({_FUNCTIONS})\b[^>]*>)(.*?)(</(?:{_FUNCTIONS})>)", re.S)
_ROUNDING = 1e-12


def refined_xml(text: str, factor: int) -> str:
    """Return the file of ABINIT with `factor` intervals for each of its intervals."""
    waves: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # of all electrons, as given and finer

    def function(found: re.Match) -> str:
        head, kind, values, end = found.groups()
        given, state = _numbers(values), "".join(re.findall(r'state=\s*"\s*(\S+?)\s*"', head))
        if kind == "projector_function":
            fine = _up_to_zero(given, factor, one_sided=True)
        elif kind == "pseudo_partial_wave":
            coarse, whole = waves[state]
            difference = np.where(np.abs(given - coarse) > _ROUNDING * np.abs(coarse), given - coarse, 0.0)
            fine = whole + _up_to_zero(difference, factor)
        else:
            fine = finer(given, factor)
        if kind == "ae_partial_wave":
            waves[state] = given, fine
        return head + rows(fine) + end

    text = re.sub(r"<values>.*?</derivatives>", "", with_exact_tail(text), flags=re.S)
    return re.sub(r"<radial_grid[^>]*>", lambda found: _mesh(found.group(), factor), _ELEMENT.sub(function, text))


def _numbers(text: str) -> np.ndarray:
    """Return numbers, of which Fortran writes those with three digits of exponent without an E."""
    return np.array([re.sub(r"(\d)([-+]\d{3})$", r"\1E\2", number) for number in text.split()], float)


def _up_to_zero(values: np.ndarray, factor: int, one_sided: bool = False) -> np.ndarray:
    """Return finer values, 0 from the first of the zeros at the end on."""
    nonzero = np.flatnonzero(values)
    if len(nonzero) == 0 or nonzero[-1] + 1 == len(values):
        return finer(values, factor)
    end = nonzero[-1] + 1
    result = np.zeros(factor * (len(values) - 1) + 1)
    inside = finer(values[: end + 1] if one_sided else values, factor)
    result[: factor * end] = inside[: factor * end]
    return result


def _mesh(mesh: str, factor: int) -> str:
    """Return the element of the mesh r = a (exp(d i) - 1) with smaller steps."""
    mesh = re.sub(r'\bd="\s*(\S+?)\s*"', lambda found: f'd="{float(found.group(1)) / factor:.16e}"', mesh)
    return re.sub(r'iend="\s*(\d+)\s*"', lambda found: f'iend="{factor * int(found.group(1))}"', mesh)
