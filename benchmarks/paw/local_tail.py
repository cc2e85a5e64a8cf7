"""PAW XML files whose local potential is -Z/r outside the sphere to the last digit.

JTH's files have -(Z + 1e-7)/r, the rounding of sqrt(4 pi). wavegrid takes -Z/r beyond the radius where the two meet;
ABINIT integrates the rest, up to where it ends its mesh, into the G = 0 part.
"""

from __future__ import annotations

import math
import re

_ELEMENT = re.compile(r"(<blochl_local_ionic_potential[^>]*>)(.*?)(</blochl_local_ionic_potential>)", re.S)
_GRID = re.compile(r'<radial_grid eq="r=a\*\(exp\(d\*i\)-1\)"\s+a="\s*(\S+?)"\s+d="\s*(\S+?)".*?id="(\w+)"', re.S)


def with_exact_tail(text: str) -> str:
    """Return the file with its local potential scaled such that its last value is -Z/r."""
    found = _ELEMENT.search(text)
    if found is None:
        return text
    values = [float(value) for value in found.group(2).split()]
    grid = next(one for one in _GRID.finditer(text) if f'grid="{one.group(3)}"' in found.group(1))
    a, d = float(grid.group(1)), float(grid.group(2))
    r = a * (math.exp(d * (len(values) - 1)) - 1)
    charge = -values[-1] * r / math.sqrt(4 * math.pi)
    factor = round(charge) / charge
    rows = "\n".join(f"{value * factor:.16E}" for value in values)
    return text[: found.start(2)] + f"\n{rows}\n" + text[found.end(2) :]
