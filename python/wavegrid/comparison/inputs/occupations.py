"""Electrons of bands as other programs read them."""

from wavegrid.comparison.inputs.case import Case


def rows(case: Case) -> list[str]:
    """Return a row of electrons of all bands for each spin; nothing where they are not given."""
    return [
        " ".join(f"{electrons:.10g}" for electrons in [*of_spin, *[0.0] * ((case.bands or 0) - len(of_spin))])
        for of_spin in case.occupations or []
    ]
