"""Numbers in the files of Fortran programs."""

import math
import re

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[EeDd][-+]?\d+)?(?=[\s,+-]|$)")
_GAP = re.compile(r"[\s,]*")
_WORD = re.compile(r"[^\s,]+")


class NotANumber(ValueError):
    """A word where a number belongs; `position` is its place in the text."""

    def __init__(self, word: str, position: int):
        """Keep the place of the word."""
        super().__init__(f"'{word[:40]}' where a finite number belongs")
        self.position = position


def real(word: str) -> float:
    """Return a number that may be written with Fortran's D for the exponent."""
    return float(word.replace("D", "E").replace("d", "e"))


def numbers(text: str) -> list[float]:
    """Return the numbers of a text that holds nothing else; a sign may touch the digits before it.

    Raises NotANumber, also for NaN and for what is too large.
    """
    found: list[float] = []
    position = _skip_gap(text, 0)
    while position < len(text):
        match = _NUMBER.match(text, position)
        value = real(match[0]) if match else math.nan
        if match is None or not math.isfinite(value):
            word = _WORD.match(text, position)
            raise NotANumber(word[0] if word else "", position)
        found.append(value)
        position = _skip_gap(text, match.end())
    return found


def _skip_gap(text: str, position: int) -> int:
    gap = _GAP.match(text, position)
    return gap.end() if gap else position
