"""Remarks on pseudopotentials: another functional, or a cutoff too low for them."""

from collections.abc import Iterator

from wavegrid.input.basis.base import InputBasis
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.document import Document
from wavegrid.input.pseudopotentials import Choice
from wavegrid.input_warnings.remark import Remark
from wavegrid.input_warnings.setup import Setup

# Error of the energy of the free atom, Ha per valence electron (decision 0011). At the first, bonds are off by 0.2% and
# pressures by 1 to 3% of the bulk modulus; at the second, bonds are off by 1 to 2%, and pressures by 10% and more.
WELL_BELOW = 3e-3
FAR_BELOW = 30e-3
DENSITY_BELOW = 0.7  # share of the recommended cutoff of the density below which there is a warning, not a note


def remarks(setup: Setup) -> Iterator[Remark]:
    """Yield the remarks on pseudopotentials."""
    yield from _other_functional(setup)
    yield from _several_sources(setup)
    yield from _low_cutoff(setup)
    yield from _low_density_cutoff(setup)


def check(document: Document, basis: InputBasis, potentials: dict[str, Choice]) -> None:
    """Refuse a basis with which a calculation is certainly wrong."""
    limit = basis.useless_error
    coarse = {name: choice for name, choice in potentials.items() if _error_per_electron(choice) > limit}
    if coarse:
        raise document.error(
            ("basis", basis.discretisation.setting.name),
            f"{basis.described()} is far too coarse for the pseudopotentials, with an error of about "
            f"{_errors(coarse)}; valid: below {limit:g} Ha for each valence electron; recommended: "
            f"{_recommended(basis, coarse)}",
        )


def _other_functional(setup: Setup) -> Iterator[Remark]:
    """A warning where one is an LDA and the other is not; of other pairs often only one has potentials."""
    for element, choice in setup.potentials.items():
        if choice.functional and kind_of(choice.functional) != kind_of(setup.xc):
            yield Remark(
                "pseudopotential_functional",
                f"the pseudopotential of {element} was made with {choice.functional}, this calculation uses {setup.xc}",
                warning=_differ_as_lda(family(choice.functional), family(setup.xc)),
            )


def _several_sources(setup: Setup) -> Iterator[Remark]:
    """A note where the potentials are from different libraries, which differ in accuracy and cutoff."""
    sources: dict[str, list[str]] = {}
    for element, choice in setup.potentials.items():
        sources.setdefault(choice.source(), []).append(element)
    if len(sources) > 1:
        shown = "; ".join(f"{', '.join(elements)} from {source}" for source, elements in sources.items())
        yield Remark(
            "pseudopotential_sources",
            f"the pseudopotentials are from {len(sources)} libraries or folders: {shown}",
            warning=False,
        )


def kind_of(functional: str) -> frozenset[str]:
    """Return the parts of a functional; all parametrisations of LDA fit the same data and count as one."""
    parts = frozenset(part.strip().upper() for part in functional.split("+"))
    return frozenset({"LDA"}) if all(part.startswith("LDA_") for part in parts) else parts


def family(functional: str) -> str:
    """Return "LDA", "GGA" or "MGGA"; nothing for names that are not libxc's, which files may have."""
    parts = {part.strip().upper().partition("_")[0] for part in functional.split("+")}
    if not parts <= {"LDA", "GGA", "MGGA"}:
        return ""
    return next(one for one in ("MGGA", "GGA", "LDA") if one in parts)


def _differ_as_lda(one: str, other: str) -> bool:
    return "" not in {one, other} and (one == "LDA") != (other == "LDA")


def _low_cutoff(setup: Setup) -> Iterator[Remark]:
    """One remark on the cutoff, as serious as it is for the element that needs most."""
    basis, potentials = from_basis(setup.spec.basis), setup.potentials
    found = basis.described()
    worst = max(map(_error_per_electron, potentials.values()))
    if worst > WELL_BELOW:
        low = {name: choice for name, choice in potentials.items() if _error_per_electron(choice) > WELL_BELOW}
        name, words = ("cutoff_far_too_low", "far") if worst > FAR_BELOW else ("cutoff_too_low", "well")
        yield Remark(
            name,
            f"{found} is {words} below what the pseudopotentials need, with an error of about {_errors(low)}; "
            f"recommended: {_recommended(basis, low)}",
        )
    elif low := {name: choice for name, choice in potentials.items() if basis.is_coarse_for(choice)}:
        name, words = basis.coarse
        yield Remark(name, f"{found} is {words}: {_recommended(basis, low)}", warning=False)


def _low_density_cutoff(setup: Setup) -> Iterator[Remark]:
    """A remark where the augmentation charge of ultrasoft and PAW datasets is cut off."""
    given = setup.spec.basis.density_ecut
    recommended = from_basis(setup.spec.basis).density_cutoff_for(setup.potentials)
    if recommended is not None and given is not None and given < recommended.ecut * (1 - 1e-6):
        yield Remark(
            "density_cutoff",
            f"density_ecut = {given:g} Ha is too low for the augmentation charge; recommended: "
            f"{recommended.ecut:g} Ha, {recommended.reason}, which is the default",
            warning=given < DENSITY_BELOW * recommended.ecut,
        )


def _errors(choices: dict[str, Choice]) -> str:
    return ", ".join(f"{choice.cutoff_error:.2g} Ha for each {name} atom" for name, choice in choices.items())


def _error_per_electron(choice: Choice) -> float:
    return choice.cutoff_error / choice.valence


def _recommended(basis: InputBasis, choices: dict[str, Choice]) -> str:
    return ", ".join(f"{name} {basis.recommended(choice)}" for name, choice in choices.items())
