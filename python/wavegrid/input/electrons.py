"""Electrons, bands and initial magnetic moments of an input file, and mistakes in them."""

import math
from collections.abc import Sequence
from types import ModuleType
from typing import cast

from wavegrid.base.text import counted
from wavegrid.crystal.elements import ELEMENTS
from wavegrid.errors import EnvironmentFault, did_you_mean
from wavegrid.input.document import Document
from wavegrid.input.locate import KeyPath
from wavegrid.input.models import BANDS_FACTOR, BANDS_MORE, LARGE_FACTOR, Electrons, Input, KPoints, Smearing
from wavegrid.input.structure import Crystal
from wavegrid.input.vacuum import POSSIBLE_VACUUM, empty_widths
from wavegrid.model.names import TETRAHEDRA

Moment = float | list[float]  # electrons up minus down, or a vector
_SHARE_OF_HUND = 0.5  # of the free atom's moment: solids and molecules keep less
_SAME = 1e-9
_SAME_SUM = 1e-4  # of occupations, which are written with some digits; the library scales them
_MOST_SHOWN = 8  # moments in a note
# Free atoms whose loop does not converge with whole electrons in the degenerate levels of a partly filled shell (in a
# box of 12 bohr; B, C, O, Al, Si, S, Sc, Ti do). Electrons that are spread evenly over it take 4 to 38 steps.
_SPREAD = frozenset({"F", "Cl", "Br", "I", "V", "Fe", "Co", "Ni"})
_SPREAD_WIDTH = "0.1 eV"


def count(document: Document, spec: Electrons, valence: dict[str, int], symbols: list[str]) -> float:
    """Return the valence electrons of the cell; refuse a charge that leaves none or more than doubles them."""
    neutral = sum(valence[symbol] for symbol in symbols)
    if spec.charge >= neutral:
        raise document.error(
            ("electrons", "charge"),
            f"charge = {spec.charge:g} leaves none of the {neutral} electrons; valid: less than {neutral}",
        )
    if spec.charge < -neutral:
        raise document.error(
            ("electrons", "charge"),
            f"charge = {spec.charge:g} more than doubles the {neutral} electrons; valid: at least -{neutral}",
        )
    electrons = neutral - spec.charge
    return int(electrons) if electrons == int(electrons) else electrons


def is_whole(number: float) -> bool:
    """Return whether a number of electrons is whole to rounding."""
    return abs(number - round(number)) < _SAME


def with_spin(spec: Input, crystal: Crystal, notes: list[str]) -> Input:
    """Return the input with the spin of the structure's magnetic moments where the input does not say."""
    initial, electrons = crystal.initial, spec.electrons
    given = [name for name in ("spin", "initial_magnetic_moments") if name in electrons.model_fields_set]
    if not initial.magnetic() or given:
        if initial.magnetic() and electrons.spin == "none":
            notes.append(f'{initial.source}: not used: magnetic moments, with spin = "none"')
        return spec
    spin = "noncollinear" if initial.noncollinear() or electrons.spin_orbit else "collinear"
    notes.append(f'{initial.source}: spin = "{spin}", since it has magnetic moments')
    changed = electrons.model_copy(update={"spin": spin})
    return spec.model_copy(update={"electrons": changed})


def with_moment_of_atom(spec: Input, crystal: Crystal, valence: dict[str, int], notes: list[str]) -> Input:
    """Return the input of a free atom with the moment of Hund's rules held fixed; any other as it is.

    With fixed occupations the loop would have to find the moment by moving whole electrons from one spin to the other.
    """
    electrons = spec.electrons
    given = electrons.initial_magnetic_moments is not None or electrons.total_magnetisation is not None
    if given or crystal.initial.magnetic():
        return spec
    if electrons.spin != "collinear" or electrons.smearing is not None or electrons.charge != 0:
        return spec
    if electrons.occupations is not None:
        return spec
    if not _is_free_atom(spec, crystal):
        return spec
    symbol = crystal.symbols[0]
    moment = ELEMENTS[symbol].moment
    if moment == 0 or moment > valence[symbol] or not is_whole((valence[symbol] + moment) / 2):
        return spec  # closed shells, or a pseudopotential with open ones in its core
    chosen: dict[str, object] = {"total_magnetisation": moment}
    note = f"a free {symbol} atom: total_magnetisation = {moment:g} by Hund's rules"
    if symbol in _SPREAD and spec.scf.method != "direct":
        chosen["smearing"] = Smearing.model_validate({"kind": "fermi-dirac", "width": _SPREAD_WIDTH})
        note += (
            f' and smearing = {{ kind = "fermi-dirac", width = "{_SPREAD_WIDTH}" }}, which spreads the electrons of '
            "its partly filled shell evenly: the loop does not converge with whole ones"
        )
    notes.append(f"{note}; with a total_magnetisation or initial_magnetic_moments in the input both are as it says")
    return spec.model_copy(update={"electrons": electrons.model_copy(update=chosen)})


def _is_free_atom(spec: Input, crystal: Crystal) -> bool:
    """Whether there is one atom, with vacuum or a free boundary in all directions, and no mesh of k-points."""
    points = spec.electrons.kpoints or KPoints()
    if len(crystal.symbols) > 1 or points.list is not None or math.prod(points.mesh or [1]) > 1:
        return False
    widths = zip(empty_widths(crystal), spec.basis.periodic(), strict=True)
    return all(width > POSSIBLE_VACUUM or not periodic for width, periodic in widths)


def moments(
    document: Document, spec: Input, crystal: Crystal, valence: dict[str, int], notes: list[str]
) -> list[float]:
    """Return the initial magnetic moment of every atom (electrons up minus down); nothing where no atom has one.

    Those of the input, else those of the structure, else a default.
    """
    electrons = spec.electrons
    if electrons.spin == "noncollinear":
        return []
    _refuse_vectors(document, spec, crystal)
    if electrons.spin == "none":
        for name in ("initial_magnetic_moments", "total_magnetisation"):
            if getattr(electrons, name) is not None:
                raise document.error(
                    ("electrons", name), f'{name} without spin; valid: with spin = "collinear", or no {name}'
                )
        return []
    given = electrons.initial_magnetic_moments
    structure_moments = crystal.initial.moments_with(valence, crystal.symbols)
    if given is None and structure_moments is None:
        return _default_moments(electrons, crystal, valence, notes)
    if given is None:
        assert structure_moments is not None
        found = cast("list[float]", structure_moments)
        notes.append(f"{crystal.initial.source}: initial magnetic moments {_summary(crystal.symbols, found)}")
    elif isinstance(given, dict):
        found = cast("list[float]", _by_element(document, given, crystal))
    else:
        found = cast("list[float]", _by_atom(document, given, crystal, spec.structure.supercell))
    if given is not None and structure_moments not in (None, found):
        notes.append(f"{crystal.initial.source}: not used: magnetic moments, replaced by initial_magnetic_moments")
    for index, (symbol, moment) in enumerate(zip(crystal.symbols, found, strict=True)):
        if abs(moment) > valence[symbol]:
            key: KeyPath = ("electrons", "initial_magnetic_moments")
            if given is None:
                key = ("structure", "atoms" if spec.structure.file is None else "file")
            else:
                key += (symbol,) if isinstance(given, dict) else (index % len(given),)
            raise document.error(
                key,
                f"a moment of {moment:g} for {symbol}, which has {valence[symbol]} valence electrons; "
                f"valid: from -{valence[symbol]} to {valence[symbol]}",
            )
    if not any(found):
        notes.append("all initial_magnetic_moments are zero: the calculation starts unpolarised and stays so")
    return found


def _refuse_vectors(document: Document, spec: Input, crystal: Crystal) -> None:
    """Refuse moments that are vectors without noncollinear spin."""
    given = spec.electrons.initial_magnetic_moments or []
    valid = 'valid: numbers, or spin = "noncollinear"'
    if any(isinstance(one, list) for one in (given.values() if isinstance(given, dict) else given)):
        raise document.error(("electrons", "initial_magnetic_moments"), f"a moment that is a vector; {valid}")
    if not given and spec.electrons.spin != "none" and crystal.initial.noncollinear():
        raise document.error(("structure",), f"{crystal.initial.source}: noncollinear magnetic moments; {valid}")


def moment_vectors(
    document: Document, spec: Input, crystal: Crystal, valence: dict[str, int], notes: list[str]
) -> list[list[float]]:
    """Return the initial magnetic moment of every atom as a vector with noncollinear spin.

    Nothing without moments, but for DFT+U, where they are zero.
    """
    electrons = spec.electrons
    # The matrices of shells of spinors have parts of spin without a magnetisation too.
    none = [] if electrons.hubbard is None else [[0.0, 0.0, 0.0] for _ in crystal.symbols]
    if electrons.spin != "noncollinear":
        if electrons.constrain is not None:
            raise document.error(
                ("electrons", "constrain"), f'constrain with spin = "{electrons.spin}"; valid: spin = "noncollinear"'
            )
        return none if electrons.spin_orbit else []
    place: KeyPath = ("electrons", "initial_magnetic_moments")
    if electrons.total_magnetisation is not None:
        raise document.error(
            ("electrons", "total_magnetisation"), 'total_magnetisation with spin = "noncollinear"; valid: without it'
        )
    given = electrons.initial_magnetic_moments
    structure_moments = crystal.initial.moments_with(valence, crystal.symbols)
    found: Sequence[Moment]
    if isinstance(given, dict):
        found = _by_element(document, given, crystal)
    elif given is not None:
        found = _by_atom(document, given, crystal, spec.structure.supercell)
    elif structure_moments is not None:
        found = structure_moments
    else:
        found = _default_moments(electrons, crystal, valence, notes)
    vectors = [one if isinstance(one, list) else [0.0, 0.0, one] for one in found]
    for symbol, vector in zip(crystal.symbols, vectors, strict=True):
        if (length := math.hypot(*vector)) > valence[symbol]:
            raise document.error(
                place,
                f"a moment of {length:g} for {symbol}, which has {valence[symbol]} valence electrons; valid: up to "
                f"{valence[symbol]}",
            )
    if any(map(any, vectors)):
        return vectors
    if electrons.constrain is not None:
        raise document.error(
            ("electrons", "constrain"), "constrain, and all moments are zero; valid: initial_magnetic_moments"
        )
    notes.append("all initial_magnetic_moments are zero: the calculation has no magnetisation")
    return none


def _summary(symbols: list[str], moments: list[float]) -> str:
    """Return elements with their moments, each combination once, such as "Fe 2.5, Fe -2.5"."""
    shown = list(dict.fromkeys(f"{symbol} {moment:g}" for symbol, moment in zip(symbols, moments, strict=True)))
    return ", ".join(shown[:_MOST_SHOWN]) + (", ..." if len(shown) > _MOST_SHOWN else "")


def _by_element(document: Document, given: dict[str, Moment], crystal: Crystal) -> list[Moment]:
    species = crystal.species()
    for symbol in given:
        if symbol not in species:
            raise document.error(
                ("electrons", "initial_magnetic_moments", symbol),
                f"initial_magnetic_moments for '{symbol}', which is not in the structure; valid: {', '.join(species)}"
                f"{did_you_mean(symbol, species)}",
            )
    return [given.get(symbol, 0.0) for symbol in crystal.symbols]


def _by_atom(document: Document, given: list[Moment], crystal: Crystal, supercell: list[int]) -> list[Moment]:
    """One for each atom of the supercell, or of the cell that it repeats."""
    copies, atoms = math.prod(supercell), len(crystal.symbols)
    if len(given) == atoms:
        return given
    if len(given) * copies == atoms:
        return given * copies
    valid = f"{atoms}" if copies == 1 else f"{atoms // copies}, or {atoms} for the whole supercell"
    raise document.error(
        ("electrons", "initial_magnetic_moments"),
        f"{len(given)} initial_magnetic_moments for {counted(atoms, 'atom')}; valid: {valid}, or a table by element",
    )


def _default_moments(spec: Electrons, crystal: Crystal, valence: dict[str, int], notes: list[str]) -> list[float]:
    """Half of what Hund's rules give the free atoms, all parallel; with a total moment, that is spread evenly."""
    if spec.total_magnetisation is not None:
        if spec.total_magnetisation == 0:
            notes.append(
                "total_magnetisation = 0 without initial_magnetic_moments: "
                "the calculation starts unpolarised and stays so"
            )
        return []
    of_element = {
        symbol: min(_SHARE_OF_HUND * ELEMENTS[symbol].moment, valence[symbol]) for symbol in crystal.species()
    }
    shown = ", ".join(f"{symbol} {moment:g}" for symbol, moment in of_element.items())
    notes.append(f"no initial_magnetic_moments given: half of those of the free atoms, all parallel ({shown})")
    return [of_element[symbol] for symbol in crystal.symbols]


def choose_bands(document: Document, spec: Electrons, electrons: float, moments: list[float], *, empty: int = 0) -> int:
    """Return the bands of a k-point (and spin): as given where they hold the electrons, else a default.

    With smearing the default has bands for its tail, without it one for a free moment that grows. `empty`: how many
    empty bands the default has at least.
    """
    check_occupations(document, spec, electrons)
    filled = _filled(spec, electrons, moments)
    if spec.occupations is not None:
        filled = max(map(len, spec.occupations))
    if spec.bands is None and spec.occupations is not None:
        return filled + empty
    if spec.bands is None:
        if spec.smearing is not None:
            return max(_smeared(spec, electrons, filled), filled + empty)
        return max(filled + empty, min(filled + 1, math.ceil(electrons)) if _has_free_moment(spec) else filled)
    least = _least(spec, electrons, filled)
    if spec.occupations is not None and spec.bands < filled:
        raise document.error(
            ("electrons", "bands"),
            f"bands = {spec.bands} with occupations of {filled} bands; valid: at least {filled}",
        )
    if empty and spec.smearing is None and spec.bands == filled and spec.spin == "none":
        raise document.error(
            ("electrons", "bands"),
            f"bands = {spec.bands} leaves no empty band with {counted(electrons, 'electron')}; "
            f"valid: at least {filled + 1}",
        )
    if spec.bands < least:
        raise document.error(
            ("electrons", "bands"),
            f"bands = {spec.bands} cannot hold {counted(electrons, 'electron')}; valid: at least {least}",
        )
    return spec.bands


def may_need_bands(spec: Electrons) -> bool:
    """Return whether the loop may fill all bands of a default: by the tail of a smearing, or by a free moment."""
    return spec.occupations is None and (spec.smearing is not None or _has_free_moment(spec))


def _has_free_moment(spec: Electrons) -> bool:
    return spec.spin == "collinear" and spec.total_magnetisation is None


def _most_of_a_spin(spec: Electrons, electrons: float) -> float:
    """The electrons of the fuller spin channel, as far as the input fixes them; of spinors all."""
    if spec.has_spinors():
        return electrons
    return (electrons + abs(spec.total_magnetisation or 0.0)) / 2


def _filled(spec: Electrons, electrons: float, moments: list[float]) -> int:
    """Bands that hold the electrons; with a free moment, as large a one as the atoms start with."""
    most = _most_of_a_spin(spec, electrons)
    if _has_free_moment(spec):
        most += sum(map(abs, moments)) / 2
    return math.ceil(most - _SAME)


def _smeared(spec: Electrons, electrons: float, filled: int) -> int:
    """The default with smearing, with bands for its tail."""
    occupied = electrons / 2 if spec.spin == "none" and not spec.has_spinors() else filled
    return max(math.ceil(BANDS_FACTOR * occupied) + BANDS_MORE, math.ceil(LARGE_FACTOR * occupied))


def _least(spec: Electrons, electrons: float, filled: int) -> int:
    most = _most_of_a_spin(spec, electrons)
    return math.ceil(most - _SAME) if spec.smearing is None else math.floor(most + _SAME) + 1


def _check_width(document: Document, smearing: Smearing | None) -> None:
    """Refuse a smearing without its width, and a width of tetrahedra."""
    if smearing is None or (smearing.width is None) == (smearing.kind in TETRAHEDRA):
        return
    kind, place = f'kind = "{smearing.kind}"', ("electrons", "smearing")
    if smearing.width is None:
        raise document.error(place, f'{kind} without width; valid: a width such as "0.2 eV"')
    raise document.error((*place, "width"), f"width with {kind}, which has none; valid: without it, or another kind")


def check_occupations(document: Document, spec: Electrons, electrons: float) -> None:
    """Refuse electrons that fixed occupations cannot place, and moments that the electrons cannot have."""
    smearing = 'smearing = { kind = "fermi-dirac", width = "0.2 eV" }'
    _check_width(document, spec.smearing)
    total = spec.total_magnetisation
    if total is not None and abs(total) > electrons:
        raise document.error(
            ("electrons", "total_magnetisation"),
            f"total_magnetisation = {total:g} of {counted(electrons, 'electron')}; "
            f"valid: from -{electrons:g} to {electrons:g}",
        )
    if spec.occupations is not None:
        _check_given(document, spec, spec.occupations, electrons)
        return
    if spec.smearing is not None:
        return
    if spec.spin == "none" and not is_whole(electrons / 2):
        spin = ', or spin = "collinear"' if is_whole(electrons) else ""
        raise document.error(
            ("electrons",),
            f"fixed occupations need an even number of electrons, found {electrons:g}; valid: {smearing}{spin}",
        )
    if not is_whole(electrons):
        raise document.error(
            ("electrons",),
            f"fixed occupations need a whole number of electrons, found {electrons:g}; valid: {smearing}",
        )
    if total is not None and not is_whole((electrons + total) / 2):
        lower = math.floor((total + electrons) / 2) * 2 - electrons
        raise document.error(
            ("electrons", "total_magnetisation"),
            f"total_magnetisation = {total:g} splits {counted(electrons, 'electron')} into "
            f"{(electrons + total) / 2:g} up and "
            f"{(electrons - total) / 2:g} down; valid: {lower:g} or {lower + 2:g}, or {smearing}",
        )


def _check_given(document: Document, spec: Electrons, given: list[list[float]], electrons: float) -> None:
    """Refuse electrons of bands that are not those of the cell."""
    key: KeyPath = ("electrons", "occupations")
    spins, most = (2 if spec.spin == "collinear" else 1), 1 if spec.spin != "none" or spec.has_spinors() else 2
    if spec.smearing is not None:
        raise document.error(key, "occupations with smearing; valid: one of them")
    if len(given) != spins:
        valid = "one for each spin" if spins == 2 else 'one, or spin = "collinear"'
        raise document.error(key, f"occupations has {counted(len(given), 'list')}; valid: {valid}")
    if (largest := max(map(max, given))) > most:
        raise document.error(key, f"occupations: a band with {largest:g} electrons; valid: from 0 to {most}")
    total = math.fsum(math.fsum(of_spin) for of_spin in given)
    if abs(total - electrons) >= _SAME_SUM:
        raise document.error(
            key, f"occupations add up to {total:g}; valid: {electrons:g}, the electrons of the cell with its charge"
        )


def is_hybrid(names: str) -> bool:
    """Return whether libxc's names of functionals, joined by +, are those of a hybrid."""
    return any(one == "HF" or one.startswith("HYB_") for one in names.split("+"))


def check_xc(core: ModuleType, document: Document, text: str) -> str:
    """Return libxc's names of a functional; refuse unknown names and what is not supported."""
    try:
        return core.check_xc(text)
    except core.BadInput as fault:
        raise document.error(
            ("electrons", "xc"), f"{fault}; valid: names of libxc joined by +, or PBE or R2SCAN"
        ) from None


def check_dispersion(document: Document, model: str | None, xc: str, species: list[str]) -> dict[str, str] | None:
    """Return the model of a dispersion correction and the functional by its package's name; None for none.

    Raises InputError for a functional (libxc's names) without parameters, EnvironmentFault without the package.
    """
    if model is None:
        return None
    from wavegrid.crystal import dispersion  # imports numpy

    functional = dispersion.functional_of(model, xc)
    if functional is None:
        known = [name for name in dispersion.FUNCTIONALS if dispersion.functional_of(model, name) is not None]
        raise document.error(
            ("electrons", "dispersion"),
            f'dispersion = "{model}" with {xc}, for which it has no parameters; valid with {", ".join(known)}',
        )
    if missing := dispersion.elements_without(model, species):
        raise document.error(
            ("electrons", "dispersion"),
            f'"{model}" has no parameters for {missing[0]}; valid: elements up to Xe, or d3-bj',
        )
    if not dispersion.installed(model):
        package = dispersion.PACKAGES[model]
        raise EnvironmentFault(
            f'dispersion = "{model}" needs {package}, which is not installed; install it: pip install {package}'
        )
    return {"model": model, "functional": functional}
