"""Remarks on spin, occupations and charge."""

from collections import Counter
from collections.abc import Iterator

from wavegrid.base import vectors
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.input_warnings.geometry import NOBLE_GASES
from wavegrid.input_warnings.remark import Remark
from wavegrid.input_warnings.setup import Setup
from wavegrid.units import HARTREE_IN_EV

# Elements whose solids and compounds usually have magnetic moments; those of the f shell where f electrons are valence.
MAGNETIC = frozenset({"Cr", "Mn", "Fe", "Co", "Ni"})
MAGNETIC_F = frozenset({"Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm"})
# Compounds of MAGNETIC elements with these are antiferromagnetic more often than not (MnO, NiO, Cr2O3, MnF2).
ANTIFERROMAGNETIC_WITH = frozenset({"O", "F", "Cl", "S"})
TRIPLET_DIMERS = frozenset({"O", "S", "Se", "B"})  # their dimers have a triplet ground state
NON_METALS = NOBLE_GASES | frozenset("H B C N O F Si P S Cl Ge As Se Br Sb Te I Bi Po At".split())
WIDEST_SMEARING = 0.5 / HARTREE_IN_EV  # Ha; energies extrapolated to zero width are then off by mHa per atom
MADELUNG_CUBIC = 2.837297  # of point charges in a cube: G. Makov, M. C. Payne, Phys. Rev. B 51, 4014 (1995)


def remarks(setup: Setup) -> Iterator[Remark]:
    """Yield the remarks on electrons."""
    if setup.spec.electrons.spin == "none":
        yield from _spin_left_out(setup)
    else:
        yield from _parallel_moments(setup)
    yield from _metal_with_fixed_occupations(setup)
    yield from _wide_smearing(setup)
    yield from _charged(setup)


def _spin_left_out(setup: Setup) -> Iterator[Remark]:
    """Open shells in a calculation without spin; information where the input says spin = "none" itself."""
    reason = _open_shell(setup)
    if reason:
        chosen = "spin" in setup.spec.electrons.model_fields_set
        yield Remark(
            "spin_left_out", f'{reason}, and this calculation has no spin: spin = "collinear"', warning=not chosen
        )


def _open_shell(setup: Setup) -> str:
    """Return why the electrons are probably not all paired; nothing where they may be."""
    symbols = setup.crystal.symbols
    counts = Counter(symbols)
    if setup.isolated and len(symbols) == 1 and setup.spec.electrons.charge == 0:
        if moment := ELEMENTS[symbols[0]].moment:
            return f"the free {symbols[0]} atom has {moment:g} unpaired electrons"
    if setup.isolated and round(setup.electrons) % 2 == 1:
        return f"a molecule of {setup.electrons:g} electrons has an unpaired one"
    if setup.isolated and len(counts) == 1 and len(symbols) == 2 and symbols[0] in TRIPLET_DIMERS:
        return f"the ground state of {symbols[0]}2 is a triplet"
    if magnetic := [symbol for symbol in counts if _is_magnetic(setup, symbol)]:
        return f"{' and '.join(magnetic)} {'is' if len(magnetic) == 1 else 'are'} magnetic in most crystals"
    return ""


def _is_magnetic(setup: Setup, symbol: str) -> bool:
    occupation = setup.potentials[symbol].occupation
    return symbol in MAGNETIC or (symbol in MAGNETIC_F and len(occupation) > 3 and occupation[3] > 0)


def _parallel_moments(setup: Setup) -> Iterator[Remark]:
    symbols = setup.crystal.symbols
    magnetic = [moment for symbol, moment in zip(symbols, setup.moments, strict=False) if symbol in MAGNETIC]
    parallel = len(magnetic) > 1 and (min(magnetic) > 0 or max(magnetic) < 0)
    if parallel and not ANTIFERROMAGNETIC_WITH.isdisjoint(symbols) and not setup.isolated:
        names = " and ".join(dict.fromkeys(symbol for symbol in symbols if symbol in MAGNETIC))
        yield Remark(
            "moments_all_parallel",
            f"all moments of {names} start parallel; many such compounds are antiferromagnetic: try "
            "initial_magnetic_moments with both signs too",
            warning=False,
        )


def _metal_with_fixed_occupations(setup: Setup) -> Iterator[Remark]:
    electrons = setup.spec.electrons
    fixed = electrons.smearing is None and electrons.occupations is None
    if fixed and not setup.isolated and NON_METALS.isdisjoint(setup.crystal.symbols):
        names = ", ".join(setup.crystal.species())
        yield Remark(
            "metal_with_fixed_occupations",
            f"all elements ({names}) are metals, and occupations are fixed: a metal needs "
            'smearing = { kind = "cold", width = "0.2 eV" }',
        )


def _wide_smearing(setup: Setup) -> Iterator[Remark]:
    smearing = setup.spec.electrons.smearing
    if smearing is not None and smearing.width is not None and smearing.width > WIDEST_SMEARING * (1 + 1e-9):
        shown = f"{smearing.width * HARTREE_IN_EV:.2g} eV"
        if smearing.kind == "fermi-dirac":
            shown += f", electrons at {smearing.width * HARTREE_IN_EV * 11604.5:.2g} K"
        yield Remark("smearing_wide", f"the smearing is {shown} wide; usual are 0.05 to 0.3 eV")


def _charged(setup: Setup) -> Iterator[Remark]:
    charge = setup.spec.electrons.charge
    if charge == 0 or not any(setup.spec.basis.periodic()):  # an isolated ion has no background
        return
    if len(setup.periodic_axes()) in (1, 2):
        yield Remark(
            "charged_slab",
            f"a charge of {charge:g} in a slab or wire: its energy depends on the width of the vacuum without limit",
        )
        return
    advice = "compare only charges in equal cells, converge with the size of the cell, or correct for it"
    if setup.isolated:
        length = abs(vectors.determinant(setup.crystal.cell)) ** (1 / 3)
        error = MADELUNG_CUBIC * charge**2 / (2 * length)
        advice = f"in a cubic cell of this volume it is about {error:.2g} Ha too low, falling as 1/length; " + advice
    yield Remark(
        "charged_cell",
        f"a charge of {charge:g} in a uniform background: its energy depends on the size of the cell; {advice}",
        warning=False,
    )
