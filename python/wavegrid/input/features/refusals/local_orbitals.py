"""What local orbitals do not combine with."""

from collections.abc import Iterable, Iterator

from wavegrid.input.features.capabilities import AUGMENTED, COMMANDS, HUBBARD_RESPONSE, LOCAL, ORTHONORMAL
from wavegrid.input.features.refusals.refusal import PLANE_WAVES, SAME, Refusal, each


def _with(names: Iterable[str], what: str, valid: str, library: str = SAME) -> Iterator[Refusal]:
    return each(names, [LOCAL], f"{LOCAL}: {what}; valid: {valid}", library)


REFUSALS = (
    *_with(["meta-GGA"], "the functional is a meta-GGA", "an LDA or GGA"),
    *_with(["hybrid"], "exact exchange", "a functional without it"),
    *(
        one
        for kind in AUGMENTED
        for one in _with([kind], f"the pseudopotential of {{first}} is {kind}", "a norm-conserving one")
    ),
    *_with(
        ["noncollinear", "spin-orbit", "held moments", "anisotropy"],
        "wave functions of two components",
        "one component",
    ),
    *each(  # after the kind of the pseudopotential, which needs that grid
        ["two grids"],
        [LOCAL],
        f"{LOCAL}: a grid of the density of its own; valid: one grid, without density_ecut",
        SAME,
        elsewhere=True,
    ),
    *_with(["direct minimisation"], "direct minimisation", "mixing"),
    *_with(
        ["LOBPCG", "RMM-DIIS", "Davidson", "Chebyshev"],
        "an eigensolver is given, but the equations are solved exactly",
        "none",
    ),
    *_with(["mixed precision"], "mixed precision", '"double", or "auto", which then is "double"'),
    *_with(
        ["stress", "relax the cell", "elastic constants", "dynamics of the cell"],
        "stress",
        "no stress, and a cell that is fixed",
    ),
    *_with(["DFT+U", ORTHONORMAL, HUBBARD_RESPONSE], "DFT+U", "plane waves"),
    *_with(["bands", "band extrema"], "bands along a path", "another task"),
    *_with(["Born charges"], "response to electric fields", "another task"),
    *_with(["propagation", "atoms in time"], "propagation in time", "another task"),
    *_with(["Casida"], "Casida's equation", "another task"),
    *_with(["Wannier functions"], "Wannier functions", "another task", ""),
    *_with(["polarisation"], "polarisation", "none", ""),
    *_with(
        ["partition of points"],
        'partition = "{first}"',
        '"auto", "greedy", "cyclic", "balanced", "optimized", or a mesh',
        "unknown partition '{first}'; valid: greedy, cyclic, balanced, optimized, auto",
    ),
    *_with(["halo options"], "{first}", "without it, or a mesh", ""),
    *(
        Refusal(command, LOCAL, f"{command} with local orbitals is not available; valid: {PLANE_WAVES}")
        for command in COMMANDS[1:]
    ),
)
