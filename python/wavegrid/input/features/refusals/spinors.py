"""What wave functions of two components do not combine with."""

from collections.abc import Iterator

from wavegrid.input.features.refusals.refusal import CASIDA, IN_FIELDS, SPINORS, TASKS, WANNIER, Refusal, each

_ANISOTROPY = 'kind = "anisotropy"'


def _of_spinors(name: str, shown: str) -> Iterator[Refusal]:
    """Yield what wave functions of two components do not combine with."""
    yield Refusal(
        name,
        "meta-GGA",
        f"{shown} with {{second}}, which is a meta-GGA; valid: an LDA or GGA",
        f"{SPINORS}the functional is a meta-GGA; valid: an LDA or GGA",
    )
    yield Refusal(
        name,
        "projectors on the grid",
        f'{shown} with projectors = "real"; valid: "auto" or "reciprocal"',
        f"{SPINORS}projectors on the FFT grid; valid: projectors in reciprocal space",
    )
    yield Refusal(
        name, "Casida", f"{shown} with {CASIDA}; valid: without it", f"{SPINORS}Casida's equation; valid: none"
    )
    yield Refusal(
        name,
        "Born charges",
        f"{shown} with {IN_FIELDS}; valid: without it",
        f"{SPINORS}response to electric fields; valid: none",
    )
    yield Refusal(
        name,
        "Wannier functions",
        f"{shown} with {WANNIER}, for wave functions of one component; valid: without one of both",
    )
    for files, key in (("polarisation", "polarisation"), ("orbitals", "orbitals"), ("ELF", "orbitals")):
        yield Refusal(
            name, files, f"{shown} with [output] {key}, for wave functions of one component; valid: without one of both"
        )


REFUSALS = (
    # Wave functions of two components.
    *(
        one
        for name, shown in (("spin-orbit", "spin_orbit"), ("noncollinear", 'spin = "noncollinear"'))
        for one in _of_spinors(name, shown)
    ),
    # Held moments, whose inputs have spin = "noncollinear".
    *_of_spinors("held moments", 'spin = "noncollinear"'),
    *each(
        ["held moments"],
        ["spin", "fixed moment"],
        'constrain with spin = "collinear"; valid: spin = "noncollinear"',
        "magnetic moments that are vectors, and bands with one component; valid: spinors",
    ),
    # Magnetic anisotropy, whose inputs have spin_orbit.
    *(one for one in _of_spinors("anisotropy", "spin_orbit") if one.second not in TASKS),
    *each(
        ["anisotropy"],
        ["hybrid"],
        f"{_ANISOTROPY} with {{second}}, which has exact exchange; valid: an LDA or GGA",
    ),
    *each(
        ["anisotropy"],
        ["forces", "stress"],
        f"{_ANISOTROPY} with forces or stress, which its densities have not; valid: without them",
    ),
    *each(
        ["anisotropy"],
        ["irreducible list"],
        f"{_ANISOTROPY} with irreducible = true, and each direction has a symmetry of its own; valid: a mesh",
    ),
    *each(
        ["spin-orbit"],
        ["spin", "fixed moment"],
        'spin_orbit with spin = "collinear"; valid: spin = "none" or "noncollinear"',
        f"{SPINORS}bands of two spins; valid: spinors, or two spins",
    ),
    *(
        Refusal(
            first,
            name,
            f'spin = "noncollinear" with kind = "{kind}", whose displacements follow from symmetry without moments; '
            'valid: "collinear"',
        )
        for first in ("noncollinear", "held moments")
        for name, kind in (("phonons", "phonon"), ("elastic constants", "elastic"))
    ),
)
