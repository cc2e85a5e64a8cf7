"""What functionals and dispersion do not combine with."""

from wavegrid.input.features.capabilities import AUGMENTED
from wavegrid.input.features.refusals.refusal import SAME, Refusal, each

REFUSALS = (
    *each(
        ["D2", "D3", "D4"],
        ["LDA", "meta-GGA", "Casida"],  # which is of LDA
        'dispersion = "{first}" with {second}, for which it has no parameters; valid with {}',
        elsewhere=True,
    ),
    *each(
        ["D2"],
        ["hybrid"],
        'dispersion = "{first}" with {second}, for which it has no parameters; valid with {}',
        elsewhere=True,
    ),
    *(
        Refusal(
            kind,
            "meta-GGA",
            f"the pseudopotential of {{first}} is {kind}, and {{second}} is a meta-GGA, which would need the "
            "kinetic-energy density of its augmentation; valid: a norm-conserving potential, or an LDA or GGA",
            SAME,
        )
        for kind in AUGMENTED
    ),
    Refusal(
        "core density",
        "meta-GGA",
        "the pseudopotential of {first} has a core density (nonlinear core correction), and {second} is a meta-GGA, "
        "which would need the kinetic-energy density of the core; valid: a potential without core density, such as "
        "those of GTH, or an LDA or GGA",
        SAME,
    ),
    *(
        Refusal(
            kind,
            "projectors on the grid",
            f'the pseudopotential of {{first}} is {kind}, with projectors = "real"; valid: "auto", "reciprocal", or a '
            "norm-conserving potential",
            "an ultrasoft pseudopotential or PAW dataset with projectors on the FFT grid; valid: projectors in "
            "reciprocal space",
        )
        for kind in AUGMENTED
    ),
)
