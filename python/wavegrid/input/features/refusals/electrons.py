"""What solvers, precisions and given occupations do not combine with."""

from wavegrid.input.features.capabilities import SMEARINGS
from wavegrid.input.features.refusals.refusal import CASIDA, IN_FIELDS, Refusal, each

_GIVEN = "occupations of bands: "

REFUSALS = (
    # Solvers and precision.
    *each(
        ["direct minimisation"],
        SMEARINGS,
        'method = "direct" with smearing; valid: "mixing", or fixed occupations, without [electrons] smearing',
        "direct minimisation needs fixed occupations; the method may be mixing, or the smearing left out",
    ),
    # Electrons of bands.
    Refusal(
        "given occupations",
        "fixed moment",
        "occupations with total_magnetisation, which follows from them; valid: one of both",
        f"{_GIVEN}a fixed total magnetisation, which follows from them; valid: none",
    ),
    Refusal(
        "given occupations",
        "direct minimisation",
        'occupations with method = "direct", which fills the lowest bands; valid: "mixing"',
        f"{_GIVEN}direct minimisation; valid: mixing",
    ),
    Refusal(
        "given occupations",
        "Casida",
        f"occupations with {CASIDA}; valid: another task",
        f"{_GIVEN}Casida's equation; valid: another task",
    ),
    Refusal(
        "given occupations",
        "Born charges",
        f"occupations with {IN_FIELDS}; valid: another task",
        f"{_GIVEN}response to electric fields; valid: another task",
    ),
    Refusal(
        "given occupations",
        "polarisation",
        "occupations with polarisation, of an insulator whose lowest bands are full; valid: one of both",
    ),
    Refusal(
        "mixed precision",
        "direct minimisation",
        'precision = "mixed" with method = "direct"; valid: "double", or "auto", which then is "double"',
        "direct minimisation has double precision throughout; precision may be auto or double then",
    ),
    Refusal(
        "mixed precision",
        "deterministic",
        'precision = "mixed" with deterministic = true; valid: "double", or "auto", which then is "double"',
        "a deterministic calculation has double precision throughout; precision may be auto or double then",
    ),
)
