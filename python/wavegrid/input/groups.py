"""The numbers of groups, rows and columns in an input file: whether they fit the ranks, and which would."""

import itertools
import math

from wavegrid.input.document import Document
from wavegrid.input.models import Parallel

NAMES = ("kpoint_groups", "band_groups", "rows", "columns")


def check(document: Document, spec: Parallel, ranks: int | None) -> None:
    """Refuse groups that do not fit on the ranks, where these are known; the message names a split that would."""
    wanted = [getattr(spec, name) for name in NAMES]
    given = [name for name, count in zip(NAMES, wanted, strict=True) if count is not None]
    for name, other in (("rows", "columns"), ("columns", "rows")):
        if name in given and other not in given:
            raise document.error(("parallel", name), f"'{name}' without '{other}'; valid: both or none")
    if not given or ranks is None or fits(wanted, ranks):
        return
    shown = " x ".join(given)
    product = math.prod(count for count in wanted if count is not None)
    found = f"{product}" if len(given) == 1 else f"{' x '.join(str(c) for c in wanted if c is not None)} = {product}"
    nearest = {name: count for name, count in zip(NAMES, _nearest(wanted, ranks), strict=True) if name in given}
    valid = ", ".join(f"{name} = {count}" for name, count in nearest.items())
    raise document.error(
        ("parallel", given[0]),
        f"{shown} = {found} {'does' if len(given) == 1 else 'do'} not fit on "
        f"{ranks} {'rank' if ranks == 1 else 'ranks'}; "
        f"valid: {valid}, or as many ranks as the product" + ("" if "rows" in given else " or more"),
    )


def fits(wanted: list[int | None], ranks: int) -> bool:
    """Return whether a split fits; None is left to the program.

    With rows and columns the product has to be the ranks; k-point groups and band groups alone may be uneven.
    """
    if wanted[2] is None:
        return math.prod(count or 1 for count in wanted) <= ranks
    known = math.prod(count for count in wanted if count is not None)
    return ranks == known if None not in wanted[:2] and known else known > 0 and ranks % known == 0


def _nearest(wanted: list[int | None], ranks: int) -> tuple[int, ...]:
    """Return the split of all ranks that changes fewest of the wanted numbers, and these least."""
    divisors = [n for n in range(1, ranks + 1) if ranks % n == 0]
    splits = (split for split in itertools.product(divisors, repeat=3) if ranks % math.prod(split) == 0)
    whole = ((*split, ranks // math.prod(split)) for split in splits)

    def distance(split: tuple[int, ...]) -> tuple[int, float]:
        pairs = [(got, want) for got, want in zip(split, wanted, strict=True) if want is not None]
        return sum(got != want for got, want in pairs), sum(abs(math.log(got / want)) for got, want in pairs)

    return min(whole, key=distance)
