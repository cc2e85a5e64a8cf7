"""Texts and numbers as the output writes them: one printable line, counted nouns, sizes in bytes."""

import unicodedata

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # control and format characters, lone surrogates, line ends


def printable(text: str) -> str:
    """Return a text without characters that a terminal would obey: each becomes its escape code, as in `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _UNPRINTABLE else c for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def counted(number: int, noun: str) -> str:
    """Return `1 rank`, `2 ranks`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def megabytes(count: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"
