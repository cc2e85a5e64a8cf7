"""Recognises which program wrote a file."""

from pathlib import Path

from wavegrid.comparison import abinit, espresso, extract, ours
from wavegrid.comparison.calculation import Calculation
from wavegrid.errors import InputError, did_you_mean
from wavegrid.files import readable

_VALID = "valid: a result.json of wavegrid or its directory, or the main output of pw.x or ABINIT"


def read(path: Path) -> Calculation:
    """Return the calculation of a file; raises InputError."""
    if path.is_dir():
        return ours.read(path)
    if reason := readable.refusal(path):
        near = did_you_mean(path.name, readable.neighbours(path)) if reason == readable.MISSING else ""
        raise InputError(f"{path}: {reason}; {_VALID}{near}")
    try:
        text = path.read_text(errors="replace")
    except OSError as fault:
        raise InputError(f"{path}: cannot be read: {fault.strerror}; {_VALID}") from None
    if text.lstrip()[:1] == "{":
        return ours.read(path)
    for program in (espresso, abinit):
        if program.is_output(text):
            found = program.parse(extract.whole(text, str(path)))
            if "free" not in found.energies:
                raise InputError(
                    f"{path}: {found.program} has printed no energy; valid: the output of a self-consistency loop, not "
                    "of bands alone"
                )
            return found
    raise InputError(f"{path}: not an output that is known; {_VALID}")
