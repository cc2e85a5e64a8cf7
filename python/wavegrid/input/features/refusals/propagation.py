"""What propagation in time does not combine with."""

from wavegrid.input.features.capabilities import AUGMENTED
from wavegrid.input.features.refusals.refusal import SPINORS, TIME, Refusal, each

_IN_TIME = 'kind = "propagate"'
_MOVING_SYMMETRY = (
    "propagation in time: symmetry of the crystal with atoms that move; valid: no symmetry, or atoms that stand"
)

REFUSALS = (
    *each(
        TIME,
        ["tetrahedra"],
        f"{_IN_TIME} with tetrahedra; valid: another smearing, or fixed occupations",
        "tetrahedra need a mesh of k-points; valid: a mesh, or another smearing",
    ),
    *each(
        TIME,
        ["mixed precision"],
        f'{_IN_TIME} with precision = "mixed"; valid: "auto" or "double": bands in time have double precision',
        "propagation in time: mixed precision; valid: auto or double: bands in time have double precision",
    ),
    *(
        Refusal(
            time,
            "irreducible list",
            f"{_IN_TIME} with an irreducible list, which a field breaks; valid: irreducible = false, or a mesh of "
            "k-points",
            library,
        )
        for time, library in zip(TIME, ("", _MOVING_SYMMETRY), strict=True)
    ),
    Refusal(
        "atoms in time",
        "symmetry",
        "ions = true with symmetry, which atoms that move break; valid: use = false",
        _MOVING_SYMMETRY,
    ),
    *each(
        TIME,
        ["held moments"],
        f"{_IN_TIME} with [electrons.constrain]; valid: without one of both",
        f"{SPINORS}propagation in time with a penalty for the directions of moments; valid: none",
    ),
    *(
        Refusal(
            "atoms in time",
            kind,
            f"ions = true: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
            f"propagation in time: the pseudopotential of {{second}} is {kind}, with moving atoms; valid: a "
            "norm-conserving one",
        )
        for kind in AUGMENTED
    ),
    *each(
        ["atoms in time"],
        ["D3", "D4"],
        'ions = true with dispersion = "{second}", which is of atoms that stand; valid: no dispersion',
    ),
)
