"""Numbers in the outputs of Fortran programs."""

import re

_NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:[EeDd][-+]?\d+)?")


def numbers(text: str) -> list[float]:
    """Return all numbers of a text, also those without a space between them."""
    return [real(word) for word in _NUMBER.findall(text)]


def real(word: str) -> float:
    """Return a number that may be written with Fortran's D for the exponent."""
    return float(word.replace("D", "E").replace("d", "e"))


def first(pattern: str, text: str, *, last: bool = False) -> str | None:
    """Return what the group of a pattern matches first, or last; None where there is no match."""
    found = re.findall(pattern, text, re.M)
    return (found[-1] if last else found[0]) if found else None
