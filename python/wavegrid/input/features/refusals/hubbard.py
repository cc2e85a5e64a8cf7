"""What DFT+U, and its U by linear response, do not combine with."""

from collections.abc import Iterator

from wavegrid.input.features.capabilities import HUBBARD_RESPONSE, ORTHONORMAL
from wavegrid.input.features.refusals.refusal import SAME, TASKS, TIME, Refusal, each

_U = "DFT+U: "
_RESPONSE = 'kind = "hubbard-u"'


def _of_shells(name: str) -> Iterator[Refusal]:
    """Yield what DFT+U does not combine with."""
    for seconds, found, valid in (
        (["meta-GGA"], "a meta-GGA", "an LDA or GGA"),
        (["projectors on the grid"], "projectors on the FFT grid", "projectors in reciprocal space"),
        (TIME, "propagation in time", "another task"),
        (["Casida"], "Casida's equation", "another task"),
        (["Born charges"], "response to electric fields", "another task"),
    ):
        yield from each([name], seconds, f"{_U}{found}; valid: {valid}", SAME)


REFUSALS = (
    *_of_shells("DFT+U"),
    *_of_shells(ORTHONORMAL),
    *each(["DFT+U", ORTHONORMAL], ["anisotropy"], f"{_U}magnetic anisotropy; valid: another task"),
    *(one for one in _of_shells(HUBBARD_RESPONSE) if one.second not in (*TASKS, *TIME)),
    *each(
        [HUBBARD_RESPONSE],
        ["spin-orbit", "noncollinear", "held moments"],
        f"{_RESPONSE} with wave functions of two components; valid: one component",
    ),
    *each(
        [HUBBARD_RESPONSE],
        ["irreducible list"],
        f"{_RESPONSE} with irreducible = true, and each shifted shell has a symmetry of its own; valid: a mesh",
    ),
)
