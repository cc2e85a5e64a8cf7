"""The file of a pseudopotential in a format that another program reads."""

import gzip

from wavegrid.comparison.inputs import gth, psp8, upf
from wavegrid.comparison.inputs.case import Potential
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import InputError

PAW_XML = "PAW XML"  # the core's name of the format


def for_espresso(potential: Potential, functional: str) -> tuple[str, str]:
    """Return name and text of the file for pw.x; `functional` as pw.x names it. Raises InputError."""
    if potential.format.startswith("UPF"):
        return f"{potential.element}.UPF", _text(potential)
    if potential.format == "psp8":
        return f"{potential.element}.UPF", psp8.as_upf(psp8.read(potential.file), potential.element, functional)
    if potential.format == PAW_XML:
        raise InputError(f"{potential.file}: pw.x reads no PAW XML; valid: the UPF file of this dataset")
    if potential.format == "HGH (ABINIT)":
        raise InputError(f"{potential.file}: pw.x reads no HGH of ABINIT's pspcod 3; valid: GTH, UPF or psp8")
    return f"{potential.element}.gth", _gth(potential)


def for_abinit(potential: Potential) -> tuple[str, str]:
    """Return name and text of the file for ABINIT 9.6; raises InputError."""
    if potential.format == "UPF 2":
        return f"{potential.element}.UPF", upf.as_version1(_text(potential), str(potential.file))
    if potential.format == "UPF 1":
        return f"{potential.element}.UPF", _text(potential)
    if potential.format == PAW_XML:
        return f"{potential.element}.xml", _text(potential)
    if potential.format in ("psp8", "HGH (ABINIT)"):
        return f"{potential.element}.{potential.format[:4].strip().lower()}", _text(potential)
    return f"{potential.element}.psp10", _gth(potential)


def _text(potential: Potential) -> str:
    content = potential.file.read_bytes()
    return (gzip.decompress(content) if potential.file.suffix == ".gz" else content).decode(errors="replace")


def _gth(potential: Potential) -> str:
    if potential.format == "GTH (ABINIT)":
        return _text(potential)
    of = (potential.file, potential.element)
    if potential.format == "GTH (CP2K)":
        found = gth.from_cp2k(*of, potential.name, potential.valence)
    else:
        found = gth.from_table(*of, potential.valence)
    title = f"{potential.element} q{potential.valence} of {potential.file.name}, spin-orbit k_ij = 0"
    return gth.as_pspcod10(title, ELEMENTS[potential.element].number, potential.valence, found)
