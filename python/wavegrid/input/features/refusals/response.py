"""What Casida's equation and the response to electric fields do not combine with."""

from wavegrid.input.features.capabilities import AUGMENTED, FIELDS, SMEARINGS
from wavegrid.input.features.refusals.refusal import CASIDA, FREE, FREE_WAVES, IN_FIELDS, Refusal, each

_FIELDS = "response to electric fields"

REFUSALS = (
    # Casida's equation.
    *each(
        ["Casida"],
        ["GGA", "meta-GGA"],
        f"{CASIDA} with {{second}}, which is no LDA; valid: an LDA",
        "Casida's equation: the functional {second} is no LDA; valid: an LDA",
    ),
    *each(
        ["Casida"],
        SMEARINGS,
        f"{CASIDA} with smearing; valid: fixed occupations, without [electrons] smearing",
        "Casida's equation: smearing; valid: fixed occupations, without [electrons] smearing",
    ),
    *each(
        ["Casida"],
        ["mesh of k", "list of k", "irreducible list"],
        f"{CASIDA} with k-points; valid: Gamma alone",
        "Casida's equation: k-points; valid: Gamma alone, with real bands",
    ),
    *(
        Refusal(
            "Casida",
            kind,
            f"{CASIDA}: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
            f"Casida's equation: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
        )
        for kind in AUGMENTED
    ),
    # Born charges.
    *each(
        ["Born charges"],
        SMEARINGS,
        f"{IN_FIELDS} with smearing, of metals; valid: fixed occupations, of an insulator",
        f"{_FIELDS}: smearing, of metals; valid: fixed occupations, of an insulator",
    ),
    Refusal(
        "Born charges",
        "mixed precision",
        f'{IN_FIELDS} with precision = "mixed"; valid: "auto" or "double"',
        f"{_FIELDS}: mixed precision; valid: auto or double",
    ),
    *each(
        ["Born charges"],
        ["symmetry", "irreducible list"],
        f"{IN_FIELDS} with symmetry, which a field breaks; valid: use = false, or a mesh of k-points",
        f"{_FIELDS}: symmetry of the crystal, which a field breaks; valid: no symmetry",
    ),
    Refusal(
        "Born charges",
        "meta-GGA",
        f"{IN_FIELDS} with {{second}}, which is a meta-GGA; valid: an LDA or GGA",
        f"{_FIELDS}: the functional is a meta-GGA; valid: an LDA or GGA",
    ),
    Refusal(
        "Born charges",
        "charge",
        f"{IN_FIELDS} of a charged cell; valid: a neutral one",
        f"{_FIELDS}: a charged cell; valid: a neutral one",
    ),
    *each(
        ["Born charges"],
        FREE + FREE_WAVES,
        f"{IN_FIELDS} with free boundaries; valid: a periodic cell",
        f"{_FIELDS}: free boundaries; valid: a periodic cell",
    ),
    *each(
        ["Born charges"],
        FIELDS,
        f"{IN_FIELDS} with an external field; valid: none",
        f"{_FIELDS}: an external field; valid: none",
    ),
    *(
        Refusal(
            "Born charges",
            kind,
            f"{IN_FIELDS}: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
            f"{_FIELDS}: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
        )
        for kind in AUGMENTED
    ),
)
