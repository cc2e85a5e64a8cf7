"""The table [casida]."""

from typing import Literal

from wavegrid.input.fields import Section, key


class Casida(Section):
    """Excitation energies of a molecule by Casida's equation, from all bands of the run."""

    spin: Literal["singlet", "triplet"] = key(
        "singlet", "of the excitations of a closed shell; with collinear spin all come together", examples=["triplet"]
    )
