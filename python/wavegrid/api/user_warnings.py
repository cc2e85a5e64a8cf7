"""Warnings at the line of the program that called the package, be it through ASE."""

import sys
import warnings

_PASSED = ("wavegrid", "ase")  # packages whose lines say nothing to a user


def warn(message: str) -> None:
    """Warn; the line that Python quotes is that of the calling program."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _PASSED:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
