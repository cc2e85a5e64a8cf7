"""How many Wannier functions an input asks for, and whether its bands are enough."""

from wavegrid.input.document import Document
from wavegrid.input.models import Input
from wavegrid.input.structure import Crystal

_ORBITALS = {"s": 1, "p": 3, "d": 5, "sp": 2, "sp2": 3, "sp3": 4}  # all others are one


def bands(document: Document, spec: Input, crystal: Crystal, default: int) -> int:
    """Return the bands of a run that has at least as many as functions; refuse given ones that are too few."""
    given, wanted = spec.wannier, _functions(spec, crystal)
    found = default
    if spec.electrons.bands is None and given.last_band is None:
        found = max(default, given.first_band - 1 + wanted)
    last = found if given.last_band is None else given.last_band
    if last - given.first_band + 1 < wanted:
        key = ("electrons", "bands") if given.last_band is None else ("wannier", "last_band")
        raise document.error(
            key,
            f"{wanted} Wannier functions of the bands {given.first_band} to {last}; valid: {key[1]} = "
            f"{given.first_band - 1 + wanted} or more, or fewer functions",
        )
    return found


def _functions(spec: Input, crystal: Crystal) -> int:
    """Return the number of functions, of texts as Wannier90 writes them; what is wrong in them is found later."""
    if spec.wannier.scdm is not None:
        return spec.wannier.scdm
    total = 0
    for text in spec.wannier.projections:
        site, _, orbitals = text.partition(":")
        names = [name.strip() for name in orbitals.split(";") if name.strip()]
        sites = 1 if "=" in site else crystal.symbols.count(site.strip())
        total += sites * sum(_ORBITALS.get(name, 1) for name in names)
    return total
