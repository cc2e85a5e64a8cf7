"""What free directions and fields from outside exclude."""

from wavegrid.discretisation.choose import NOT_ON_MESH
from wavegrid.input.features.capabilities import COMMANDS, FIELDS
from wavegrid.input.features.refusals.refusal import FREE, FREE_WAVES, LIBRARY_STRESS, SAME, Refusal, each, on_mesh

_LIBRARY_KPOINTS = "there are k-points and the boundary is free; valid: Gamma alone, or a periodic boundary"
_LIBRARY_CELL = (
    'external: potential = "{}" is that of another cell: its lattice vector 1 differs by {} bohr; valid: the cell of '
    "the calculation"
)

REFUSALS = (
    # What free directions exclude.
    *each(
        ["bands", "band extrema"],
        ["mesh, free"],
        f'the task "bands" with free directions alone {NOT_ON_MESH}; valid: "scf", "dos", "relax", "md"',
        _LIBRARY_KPOINTS,
    ),
    *each(
        ["bands", "band extrema"],
        FREE_WAVES[1:],
        'the task "bands" without a periodic direction; valid: one',
        _LIBRARY_KPOINTS,
    ),
    Refusal("phonons", FREE_WAVES[1], 'the task "phonon" without a periodic direction; valid: one, or "vibrations"'),
    *(
        Refusal(
            name,
            waves,
            f"{shown} with free directions, along which there is no stress; valid: {valid}",
            LIBRARY_STRESS if waves == FREE_WAVES[1] and name != "equation of state" else "",
        )
        for name, shown, valid in (
            ("relax the cell", 'cell = "{first}"', 'cell = "fixed", or boundary = "periodic"'),
            ("elastic constants", 'the task "elastic"', 'boundary = "periodic"'),
            ("equation of state", 'the task "eos"', 'boundary = "periodic"'),
        )
        for waves in FREE_WAVES
    ),
    Refusal(
        "stress",
        FREE_WAVES[1],
        'stress without a periodic direction; valid: without it, or boundary = "periodic"',
        LIBRARY_STRESS,
    ),
    *each(
        COMMANDS[1:],
        FREE_WAVES,
        'the input of another program with free directions; valid: boundary = "periodic"',
    ),
    *(
        one
        for mesh, library in zip(FREE, ("", LIBRARY_STRESS), strict=True)
        for one in on_mesh(
            [mesh],
            "relax the cell",
            'cell = "{first}" with free directions',
            'cell = "fixed", or boundary = "periodic"',
            library,
        )
    ),
    *(
        Refusal(
            "dynamics of the cell",
            free,
            'ensemble = "npt" with free directions; valid: another ensemble, or boundary = "periodic"',
            LIBRARY_STRESS if free in (FREE[1], FREE_WAVES[1]) else "",
        )
        for free in FREE + FREE_WAVES
    ),
    *on_mesh(
        FREE[1:],
        "stress",
        "stress without a periodic direction",
        'without it, or boundary = "periodic"',
        LIBRARY_STRESS,
    ),
    *on_mesh(
        FREE[1:],
        "symmetry",
        "symmetry without a periodic direction",
        'use = false, or boundary = "periodic"',
        "symmetry is wanted and the boundary is free; valid: a periodic boundary, or no symmetry",
    ),
    *each(
        ["charge"],
        ["mesh, partly free", "waves, partly free"],
        "the charge is {first} and the boundary is periodic in some directions only; valid: 0, or a boundary that is "
        "free or periodic in all directions",
        SAME,
    ),
    *each(
        ["mesh of k", "list of k", "tetrahedra"],
        ["mesh, free", "waves, free"],
        _LIBRARY_KPOINTS,
        SAME,
        elsewhere=True,
    ),
    Refusal(
        "phonons",
        "mesh, free",
        f'the task "phonon" with free directions alone {NOT_ON_MESH}; valid: "vibrations"',
    ),
    # What a field from outside excludes.
    *each(
        ["stress", "relax the cell", "dynamics of the cell", "elastic constants"],
        FIELDS,
        "external: stress of a cell in a field from outside is not defined; valid: no stress, and a cell that is fixed",
        SAME,
    ),
    *(
        Refusal(
            "equation of state",
            field,
            'the task "eos" with [external]: the energy of a cell in a field from outside is not one of its volume '
            "alone; valid: no [external]",
            _LIBRARY_CELL if field == FIELDS[0] else "",
        )
        for field in FIELDS
    ),
    *each(
        ["phonons"],
        FIELDS,
        'the task "phonon" with [external], in which atoms of a supercell are not equivalent; valid: no [external]',
    ),
    *each(
        ["symmetry"],
        FIELDS,
        "use = true with [external]; valid: false, or no [external]",
        "external: symmetry of the crystal in a field from outside; valid: no symmetry",
    ),
    *each(
        FIELDS,
        FREE + FREE_WAVES,
        "external: a field from outside with a free boundary; valid: a periodic boundary",
        SAME,
    ),
    *(
        Refusal(
            one,
            "charge",
            f"external: a {one} along lattice vector {{first}} of a cell with the charge {{second}}, whose energy "
            "would depend on the place of the jump; valid: charge = 0",
            SAME,
        )
        for one in FIELDS[1:]
    ),
    # An irreducible list is one of the symmetry of the crystal.
    *each(
        ["irreducible list"],
        FREE[1:],
        "symmetry is wanted and the boundary is free; valid: a periodic boundary, or no symmetry",
        SAME,
    ),
    *each(["irreducible list"], ["waves, free"], _LIBRARY_KPOINTS, SAME, elsewhere=True),
    *each(
        ["irreducible list"],
        FIELDS,
        "external: symmetry of the crystal in a field from outside; valid: no symmetry",
        SAME,
    ),
)
