"""Texts and numbers as the output writes them: one printable line, counted nouns, times and sizes in bytes."""

import unicodedata

_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # control and format characters, lone surrogates, line ends


def printable(text: str) -> str:
    """Return a text without characters that a terminal would obey: each becomes its escape code, as in `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _UNPRINTABLE else c for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def counted(number: float, noun: str, plural: str = "") -> str:
    """Return `1 rank`, `2 ranks`, `1.5 electrons`; `plural` where that is not the noun with an s."""
    return f"{number:.12g} {noun if number == 1 else plural or noun + 's'}"


def duration(seconds: float) -> str:
    """Return a time as one says it: `0.4 s`, `12 s`, `3.5 min`, `2.1 h`, `4.2 days`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    for limit, unit, name in ((99.5, 1, "s"), (5970, 60, "min"), (48 * 3600, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.0f} s" if unit == 1 else f"{seconds / unit:.1f} {name}"
    return f"{seconds / 86400:.1f} days"


def megabytes(count: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"
