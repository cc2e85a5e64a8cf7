"""What a CIF file says of its contents: volume, formula, multiplicities of sites, magnetic moments."""

import re
from collections import Counter
from fractions import Fraction

from wavegrid.base.text import counted
from wavegrid.errors import InputError
from wavegrid.input.cif.orbits import Structure
from wavegrid.input.cif.syntax import Block

_VOLUME = 0.01  # relative
_MAGNETIC = ("_atom_site_moment", "_space_group_magn", "_space_group_symop_magn")  # how names of magnetic items begin


def check_magnetic(block: Block) -> None:
    """Refuse magnetic moments and magnetic operations, which are not read."""
    for name, values in block.items.items():
        known = next((value for value in values if not value.unknown), None)
        if known is not None and name.startswith(_MAGNETIC):
            raise InputError(
                f"line {known.line} has magnetic moments or magnetic operations ({name}), which are not read; valid: a "
                "CIF without them, and [electrons] initial_magnetic_moments"
            )


def check_volume(block: Block, volume: float) -> None:
    """Refuse a volume (angstrom^3) that is not that of the cell."""
    value = block.one("_cell_volume")
    if value is None or (given := value.number()) is None:
        return
    if abs(given / volume - 1) > _VOLUME:
        raise InputError(
            f"line {value.line}: _cell_volume is {given:g}, that of the cell's lengths and angles {volume:.6g} "
            "Angstrom^3; valid: both equal"
        )


def check(block: Block, structure: Structure) -> None:
    """Refuse atoms that do not have the formula or the multiplicities that the file states."""
    for site, count in zip(structure.sites, structure.counts, strict=True):
        if site.multiplicity and count and site.multiplicity not in (count, 1):
            raise InputError(
                f"site {site.name} has {counted(count, 'atom')} in the cell and the multiplicity {site.multiplicity}; "
                "valid: a space group, or operations, that give its multiplicity"
            )
    formula = block.one("_chemical_formula_sum")
    wanted = None if formula is None else _formula(formula.text)
    if formula is None or not wanted:
        return
    found = Counter(structure.symbols())
    ratios = {Fraction(found[symbol]) / wanted[symbol] for symbol in wanted}
    units = block.one("_cell_formula_units_z")
    whole = None if units is None else units.number()
    # Some programs write the contents of the cell as the formula, and their number of units too.
    if set(found) == set(wanted) and len(ratios) == 1 and (whole is None or ratios <= {Fraction(whole), Fraction(1)}):
        return
    shown = " ".join(f"{symbol}{count}" for symbol, count in sorted(found.items()))
    times = "" if whole is None else f", {whole:g} of them in the cell"
    raise InputError(
        f"the cell holds {shown}, and line {formula.line} says '{formula.shown()}'{times}; valid: sites and operations "
        "that give the formula"
    )


def _formula(text: str) -> dict[str, Fraction]:
    """Return the counts of a formula such as "C2 H6 O" or "Al4"; nothing where it is none."""
    parts = re.findall(r"([A-Z][a-z]?)(\d{1,9}\.?\d{0,9}|\.\d{1,9})?", text)
    if "".join(symbol + count for symbol, count in parts) != "".join(text.split()):
        return {}
    found: dict[str, Fraction] = {}
    for symbol, count in parts:
        name = "H" if symbol == "D" else symbol
        found[name] = found.get(name, Fraction(0)) + Fraction(count or "1")
    return {symbol: count for symbol, count in found.items() if count}
