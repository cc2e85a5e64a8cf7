"""Numbers as the output writes them: counted nouns and sizes in bytes."""


def counted(number: int, noun: str) -> str:
    """Return `1 rank`, `2 ranks`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def megabytes(count: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(1, round(count / 1e6))} MB"
