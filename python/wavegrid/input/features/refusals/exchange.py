"""What exact exchange does not combine with."""

from wavegrid.input.features.capabilities import AUGMENTED, MESHES
from wavegrid.input.features.refusals.refusal import FREE_WAVES, SAME, Refusal, each

_EXCHANGE = "exact exchange ({first}): "

REFUSALS = (
    Refusal("hybrid", MESHES[1], f"{_EXCHANGE}a mesh with some free directions; valid: all or none", SAME),
    *each(
        ["hybrid"],
        FREE_WAVES,
        f"{_EXCHANGE}a free boundary; valid: a periodic boundary, or a mesh without periodic directions",
        SAME,
    ),
    *(
        Refusal(
            "hybrid",
            kind,
            f"{_EXCHANGE}the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
            SAME,
        )
        for kind in AUGMENTED
    ),
    *each(["hybrid"], ["Casida"], f"{_EXCHANGE}Casida's equation; valid: another task", SAME),
    Refusal("hybrid", "band extrema", f"{_EXCHANGE}extrema of bands; valid: extrema = false"),
    *each(["hybrid"], ["Born charges"], f"{_EXCHANGE}response to electric fields; valid: another task", SAME),
    *each(["hybrid"], ["deterministic"], f"{_EXCHANGE}a deterministic calculation; valid: deterministic = false", SAME),
    *each(["hybrid"], ["direct minimisation"], f"{_EXCHANGE}direct minimisation; valid: mixing", SAME),
    *each(["hybrid"], ["list of k", "irreducible list"], f"{_EXCHANGE}k-points that are listed; valid: a mesh", SAME),
)
