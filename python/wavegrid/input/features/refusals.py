"""Pairs of capabilities that are refused, with the words that the user reads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wavegrid.discretisation.choose import NOT_ON_MESH
from wavegrid.input.features.capabilities import (
    AUGMENTED,
    COMMANDS,
    FIELDS,
    HUBBARD_RESPONSE,
    LOCAL,
    MESHES,
    ORTHONORMAL,
    SMEARINGS,
    WAVES,
)


@dataclass(frozen=True)
class Refusal:
    """Two capabilities that do not combine."""

    first: str
    """whose key the message names"""
    second: str
    message: str
    """with {first} and {second}, what the input has at their keys"""
    library: str = ""
    """the words of the library where they differ; `SAME`; empty: the library does not know one of the two"""
    elsewhere: bool = False
    """issued where more is known: by the library, of k-points; by input/electrons.py, of a dispersion's parameters"""


SAME = "{message}"
_ON_MESH = f"{{}} {NOT_ON_MESH}; valid: {{}}"
_LIBRARY_ON_MESH = "{} is not available on a mesh in real space; valid: plane waves"
_LIBRARY_STRESS = "stress is wanted and the boundary is free; valid: a periodic boundary, or no stress"
_LIBRARY_KPOINTS = "there are k-points and the boundary is free; valid: Gamma alone, or a periodic boundary"
_LIBRARY_CELL = (
    'external: potential = "{}" is that of another cell: its lattice vector 1 differs by {} bohr; valid: the cell of '
    "the calculation"
)
_EXCHANGE = "exact exchange ({first}): "
_SPINORS = "spinors: "
_WAVES = 'method = "planewaves"'
_U = "DFT+U: "
_GIVEN = "occupations of bands: "
_CASIDA = 'kind = "casida"'
_TIME = ("propagation", "atoms in time")
_IN_TIME = 'kind = "propagate"'
_MOVING_SYMMETRY = (
    "propagation in time: symmetry of the crystal with atoms that move; valid: no symmetry, or atoms that stand"
)
_WANNIER = 'kind = "wannier"'
_ANISOTROPY = 'kind = "anisotropy"'
_RESPONSE = 'kind = "hubbard-u"'
_TASKS = ("propagation", "Casida", "Born charges", "Wannier functions")  # which are no other's
_IN_FIELDS, _FIELDS = 'kind = "born"', "response to electric fields"
FREE, FREE_WAVES = MESHES[1:], WAVES[1:]


def _each(
    firsts: Iterable[str], seconds: Iterable[str], message: str, library: str = "", *, elsewhere: bool = False
) -> Iterator[Refusal]:
    for first in firsts:
        for second in seconds:
            yield Refusal(first, second, message, library, elsewhere)


def _on(meshes: Iterable[str], first: str, what: str, valid: str, library: str = "") -> Iterator[Refusal]:
    return _each([first], meshes, _ON_MESH.format(what, valid), library)


def _of_spinors(name: str, shown: str) -> Iterator[Refusal]:
    """Yield what wave functions of two components do not combine with."""
    yield Refusal(
        name,
        "meta-GGA",
        f"{shown} with {{second}}, which is a meta-GGA; valid: an LDA or GGA",
        f"{_SPINORS}the functional is a meta-GGA; valid: an LDA or GGA",
    )
    yield Refusal(
        name,
        "projectors on the grid",
        f'{shown} with projectors = "real"; valid: "auto" or "reciprocal"',
        f"{_SPINORS}projectors on the FFT grid; valid: projectors in reciprocal space",
    )
    yield Refusal(
        name, "Casida", f"{shown} with {_CASIDA}; valid: without it", f"{_SPINORS}Casida's equation; valid: none"
    )
    yield Refusal(
        name,
        "Born charges",
        f"{shown} with {_IN_FIELDS}; valid: without it",
        f"{_SPINORS}response to electric fields; valid: none",
    )
    yield Refusal(
        name,
        "Wannier functions",
        f"{shown} with {_WANNIER}, for wave functions of one component; valid: without one of both",
    )
    for files, key in (("polarisation", "polarisation"), ("orbitals", "orbitals"), ("ELF", "orbitals")):
        yield Refusal(
            name, files, f"{shown} with [output] {key}, for wave functions of one component; valid: without one of both"
        )


def _of_shells(name: str) -> Iterator[Refusal]:
    """Yield what DFT+U does not combine with."""
    for seconds, found, valid in (
        (MESHES, "a mesh in real space", "plane waves"),
        (["hybrid"], "exact exchange", "a functional without it"),
        (["meta-GGA"], "a meta-GGA", "an LDA or GGA"),
        (["projectors on the grid"], "projectors on the FFT grid", "projectors in reciprocal space"),
        (_TIME, "propagation in time", "another task"),
        (["Casida"], "Casida's equation", "another task"),
        (["Born charges"], "response to electric fields", "another task"),
    ):
        yield from _each([name], seconds, f"{_U}{found}; valid: {valid}", SAME)


def _of_local_orbitals() -> Iterator[Refusal]:
    """Yield what local orbitals do not combine with."""

    def each(names: Iterable[str], what: str, valid: str, library: str = SAME) -> Iterator[Refusal]:
        yield from _each(names, [LOCAL], f"{LOCAL}: {what}; valid: {valid}", library)

    yield from each(["meta-GGA"], "the functional is a meta-GGA", "an LDA or GGA")
    yield from each(["hybrid"], "exact exchange", "a functional without it")
    for kind in AUGMENTED:
        yield from each([kind], f"the pseudopotential of {{first}} is {kind}", "a norm-conserving one")
    yield from each(
        ["noncollinear", "spin-orbit", "held moments", "anisotropy"],
        "wave functions of two components",
        "one component",
    )
    yield from _each(  # after the kind of the pseudopotential, which needs that grid
        ["two grids"],
        [LOCAL],
        f"{LOCAL}: a grid of the density of its own; valid: one grid, without density_ecut",
        SAME,
        elsewhere=True,
    )
    yield from each(["direct minimisation"], "direct minimisation", "mixing")
    yield from each(
        ["LOBPCG", "RMM-DIIS", "Davidson", "Chebyshev"],
        "an eigensolver is given, but the equations are solved exactly",
        "none",
    )
    yield from each(["mixed precision"], "mixed precision", '"double", or "auto", which then is "double"')
    yield from each(
        ["stress", "relax the cell", "elastic constants", "dynamics of the cell"],
        "stress",
        "no stress, and a cell that is fixed",
    )
    yield from each(["DFT+U", ORTHONORMAL, HUBBARD_RESPONSE], "DFT+U", "plane waves")
    yield from each(["bands", "band extrema"], "bands along a path", "another task")
    yield from each(["Born charges"], "response to electric fields", "another task")
    yield from each(["propagation", "atoms in time"], "propagation in time", "another task")
    yield from each(["Casida"], "Casida's equation", "another task")
    yield from each(["Wannier functions"], "Wannier functions", "another task", "")
    yield from each(["polarisation"], "polarisation", "none", "")
    yield from each(
        ["partition of points"],
        'partition = "{first}"',
        '"auto", "greedy", "cyclic", "balanced", "optimized", or a mesh',
        "unknown partition '{first}'; valid: greedy, cyclic, balanced, optimized, auto",
    )
    yield from each(["halo options"], "{first}", "without it, or a mesh", "")
    for command in COMMANDS[1:]:
        yield Refusal(command, LOCAL, f"{command} with local orbitals is not available; valid: {_WAVES}")


REFUSALS = (
    *_of_local_orbitals(),
    # What a mesh does not have.
    *_on(
        MESHES,
        "mixed precision",
        'precision = "mixed"',
        '"double", or "auto", which then is "double"',
        _LIBRARY_ON_MESH.format("mixed precision"),
    ),
    *_on(
        MESHES,
        "projectors on the grid",
        'projectors = "real"',
        f"without it, or {_WAVES}",
        _LIBRARY_ON_MESH.format("projectors on the FFT grid"),
    ),
    *_on(
        MESHES,
        "augmentation in boxes",
        'augmentation = "boxes"',
        f"without it, or {_WAVES}",
        _LIBRARY_ON_MESH.format("an augmentation charge in boxes"),
    ),
    *_on(
        MESHES,
        "two grids",
        "density_ecut",
        f"without it, or {_WAVES}",
        _LIBRARY_ON_MESH.format("a grid of the density of its own"),
    ),
    *_on(
        MESHES,
        "deterministic",
        "deterministic",
        f"without it, or {_WAVES}",
        _LIBRARY_ON_MESH.format("a deterministic result"),
    ),
    *_on(
        MESHES,
        "rows x columns",
        "columns",
        f"without it, or {_WAVES}",
        _LIBRARY_ON_MESH.format("a process grid of rows and columns"),
    ),
    *_on(MESHES, "partition of sticks", 'partition = "{first}"', f'"auto", "metis", "block", or {_WAVES}'),
    *_each(
        ["partition of points"],
        WAVES,
        'partition = "{first}" with method = "planewaves"; valid: "auto", "greedy", "cyclic", "balanced", "optimized", '
        "or a mesh",
        "unknown partition '{first}'; valid: greedy, cyclic, balanced, optimized, auto",
    ),
    *_each(
        ["halo options"],
        WAVES,
        '{first} with method = "planewaves"; valid: without it, or a mesh',
    ),
    *(Refusal(command, mesh, f"{command} {NOT_ON_MESH}; valid: {_WAVES}") for command in COMMANDS for mesh in MESHES),
    *(
        Refusal(
            "equation of state",
            mesh,
            f'the task "eos" {NOT_ON_MESH}, whose spacing would have to follow the volume; valid: {_WAVES}',
        )
        for mesh in MESHES
    ),
    *(
        Refusal(
            "elastic constants",
            mesh,
            f'the task "elastic" {NOT_ON_MESH}, whose error would change with the strain; valid: {_WAVES}',
            _LIBRARY_STRESS if mesh == FREE[1] else "",
        )
        for mesh in MESHES
    ),
    *(
        Refusal(
            kind,
            mesh,
            f"the pseudopotential of {{first}} is {kind}, which {NOT_ON_MESH}; valid: a norm-conserving one, or "
            f"{_WAVES}",
            _LIBRARY_ON_MESH.format("an ultrasoft pseudopotential or PAW dataset"),
        )
        for mesh in MESHES
        for kind in AUGMENTED
    ),
    # What free directions exclude.
    *_each(
        ["bands", "band extrema"],
        ["mesh, free"],
        f'the task "bands" with free directions alone {NOT_ON_MESH}; valid: "scf", "dos", "relax", "md"',
        _LIBRARY_KPOINTS,
    ),
    *_each(
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
            _LIBRARY_STRESS if waves == FREE_WAVES[1] and name != "equation of state" else "",
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
        _LIBRARY_STRESS,
    ),
    *_each(
        COMMANDS[1:],
        FREE_WAVES,
        'the input of another program with free directions; valid: boundary = "periodic"',
    ),
    *(
        one
        for mesh, library in zip(FREE, ("", _LIBRARY_STRESS), strict=True)
        for one in _on(
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
            _LIBRARY_STRESS if free in (FREE[1], FREE_WAVES[1]) else "",
        )
        for free in FREE + FREE_WAVES
    ),
    *_on(
        FREE[1:],
        "stress",
        "stress without a periodic direction",
        'without it, or boundary = "periodic"',
        _LIBRARY_STRESS,
    ),
    *_on(
        FREE[1:],
        "symmetry",
        "symmetry without a periodic direction",
        'use = false, or boundary = "periodic"',
        "symmetry is wanted and the boundary is free; valid: a periodic boundary, or no symmetry",
    ),
    *_each(
        ["charge"],
        ["mesh, partly free", "waves, partly free"],
        "the charge is {first} and the boundary is periodic in some directions only; valid: 0, or a boundary that is "
        "free or periodic in all directions",
        SAME,
    ),
    *_each(
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
    *_each(
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
    *_each(
        ["phonons"],
        FIELDS,
        'the task "phonon" with [external], in which atoms of a supercell are not equivalent; valid: no [external]',
    ),
    *_each(
        ["symmetry"],
        FIELDS,
        "use = true with [external]; valid: false, or no [external]",
        "external: symmetry of the crystal in a field from outside; valid: no symmetry",
    ),
    *_each(
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
    *_each(
        ["irreducible list"],
        FREE[1:],
        "symmetry is wanted and the boundary is free; valid: a periodic boundary, or no symmetry",
        SAME,
    ),
    *_each(["irreducible list"], ["waves, free"], _LIBRARY_KPOINTS, SAME, elsewhere=True),
    *_each(
        ["irreducible list"],
        FIELDS,
        "external: symmetry of the crystal in a field from outside; valid: no symmetry",
        SAME,
    ),
    # Exact exchange.
    Refusal("hybrid", MESHES[1], f"{_EXCHANGE}a mesh with some free directions; valid: all or none", SAME),
    *_each(
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
    *_each(["hybrid"], ["Casida"], f"{_EXCHANGE}Casida's equation; valid: another task", SAME),
    Refusal("hybrid", "band extrema", f"{_EXCHANGE}extrema of bands; valid: extrema = false"),
    *_each(["hybrid"], ["Born charges"], f"{_EXCHANGE}response to electric fields; valid: another task", SAME),
    *_each(
        ["hybrid"], ["deterministic"], f"{_EXCHANGE}a deterministic calculation; valid: deterministic = false", SAME
    ),
    *_each(["hybrid"], ["direct minimisation"], f"{_EXCHANGE}direct minimisation; valid: mixing", SAME),
    *_each(["hybrid"], ["list of k", "irreducible list"], f"{_EXCHANGE}k-points that are listed; valid: a mesh", SAME),
    # DFT+U, and its U by linear response.
    *_of_shells("DFT+U"),
    *_of_shells(ORTHONORMAL),
    *_each(["DFT+U", ORTHONORMAL], ["anisotropy"], f"{_U}magnetic anisotropy; valid: another task"),
    *(one for one in _of_shells(HUBBARD_RESPONSE) if one.second not in (*_TASKS, *_TIME)),
    *_each(
        [HUBBARD_RESPONSE],
        ["spin-orbit", "noncollinear", "held moments"],
        f"{_RESPONSE} with wave functions of two components; valid: one component",
    ),
    *_each(
        [HUBBARD_RESPONSE],
        ["irreducible list"],
        f"{_RESPONSE} with irreducible = true, and each shifted shell has a symmetry of its own; valid: a mesh",
    ),
    # Functionals.
    *_each(
        ["D2", "D3", "D4"],
        ["LDA", "meta-GGA", "Casida"],  # which is of LDA
        'dispersion = "{first}" with {second}, for which it has no parameters; valid with {}',
        elsewhere=True,
    ),
    *_each(
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
    # Solvers and precision.
    *_each(
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
        f"occupations with {_CASIDA}; valid: another task",
        f"{_GIVEN}Casida's equation; valid: another task",
    ),
    Refusal(
        "given occupations",
        "Born charges",
        f"occupations with {_IN_FIELDS}; valid: another task",
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
    # Tetrahedra.
    *_each(
        ["tetrahedra"],
        ["Gamma, real", "list of k", "irreducible list"],
        "tetrahedra need a mesh of k-points; valid: kpoints.mesh, or another smearing",
        "tetrahedra need a mesh of k-points; valid: a mesh, or another smearing",
    ),
    # Propagation in time.
    *_each(
        _TIME,
        ["tetrahedra"],
        f"{_IN_TIME} with tetrahedra; valid: another smearing, or fixed occupations",
        "tetrahedra need a mesh of k-points; valid: a mesh, or another smearing",
    ),
    *_each(
        _TIME,
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
        for time, library in zip(_TIME, ("", _MOVING_SYMMETRY), strict=True)
    ),
    Refusal(
        "atoms in time",
        "symmetry",
        "ions = true with symmetry, which atoms that move break; valid: use = false",
        _MOVING_SYMMETRY,
    ),
    *_each(
        _TIME,
        ["held moments"],
        f"{_IN_TIME} with [electrons.constrain]; valid: without one of both",
        f"{_SPINORS}propagation in time with a penalty for the directions of moments; valid: none",
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
    *_each(
        ["atoms in time"],
        ["D3", "D4"],
        'ions = true with dispersion = "{second}", which is of atoms that stand; valid: no dispersion',
    ),
    # Casida's equation.
    *_each(
        ["Casida"],
        ["GGA", "meta-GGA"],
        f"{_CASIDA} with {{second}}, which is no LDA; valid: an LDA",
        "Casida's equation: the functional {second} is no LDA; valid: an LDA",
    ),
    *_each(
        ["Casida"],
        SMEARINGS,
        f"{_CASIDA} with smearing; valid: fixed occupations, without [electrons] smearing",
        "Casida's equation: smearing; valid: fixed occupations, without [electrons] smearing",
    ),
    *_each(
        ["Casida"],
        ["mesh of k", "list of k", "irreducible list"],
        f"{_CASIDA} with k-points; valid: Gamma alone",
        "Casida's equation: k-points; valid: Gamma alone, with real bands",
    ),
    *(
        Refusal(
            "Casida",
            kind,
            f"{_CASIDA}: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
            f"Casida's equation: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
        )
        for kind in AUGMENTED
    ),
    # Born charges.
    *_each(
        ["Born charges"],
        SMEARINGS,
        f"{_IN_FIELDS} with smearing, of metals; valid: fixed occupations, of an insulator",
        f"{_FIELDS}: smearing, of metals; valid: fixed occupations, of an insulator",
    ),
    Refusal(
        "Born charges",
        "mixed precision",
        f'{_IN_FIELDS} with precision = "mixed"; valid: "auto" or "double"',
        f"{_FIELDS}: mixed precision; valid: auto or double",
    ),
    *_each(
        ["Born charges"],
        ["symmetry", "irreducible list"],
        f"{_IN_FIELDS} with symmetry, which a field breaks; valid: use = false, or a mesh of k-points",
        f"{_FIELDS}: symmetry of the crystal, which a field breaks; valid: no symmetry",
    ),
    Refusal(
        "Born charges",
        "meta-GGA",
        f"{_IN_FIELDS} with {{second}}, which is a meta-GGA; valid: an LDA or GGA",
        f"{_FIELDS}: the functional is a meta-GGA; valid: an LDA or GGA",
    ),
    Refusal(
        "Born charges",
        "charge",
        f"{_IN_FIELDS} of a charged cell; valid: a neutral one",
        f"{_FIELDS}: a charged cell; valid: a neutral one",
    ),
    *_each(
        ["Born charges"],
        FREE + FREE_WAVES,
        f"{_IN_FIELDS} with free boundaries; valid: a periodic cell",
        f"{_FIELDS}: free boundaries; valid: a periodic cell",
    ),
    *_each(
        ["Born charges"],
        FIELDS,
        f"{_IN_FIELDS} with an external field; valid: none",
        f"{_FIELDS}: an external field; valid: none",
    ),
    *(
        Refusal(
            "Born charges",
            kind,
            f"{_IN_FIELDS}: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
            f"{_FIELDS}: the pseudopotential of {{second}} is {kind}; valid: a norm-conserving one",
        )
        for kind in AUGMENTED
    ),
    # Wannier functions.
    *_each(
        ["Wannier functions"], ["list of k", "irreducible list"], f"{_WANNIER} with a list of k-points; valid: a mesh"
    ),
    *_on(MESHES, "Wannier functions", _WANNIER, _WAVES),
    *(
        Refusal(
            "Wannier functions",
            kind,
            f"{_WANNIER}: the pseudopotential of {{second}} is {kind}; valid: norm-conserving ones",
        )
        for kind in AUGMENTED
    ),
    # Polarisation.
    *_each(
        ["polarisation"], SMEARINGS, "polarisation with smearing, of metals; valid: fixed occupations, of an insulator"
    ),
    *_each(["polarisation"], ["list of k", "irreducible list"], "polarisation with a list of k-points; valid: a mesh"),
    *_each(["polarisation"], ["charge"], "polarisation of a charged cell; valid: a neutral one"),
    *_on(MESHES, "polarisation", "polarisation", f"{_WAVES}; of molecules and layers there is the dipole moment"),
    *_each(
        ["polarisation"],
        FREE_WAVES,
        'polarisation with free directions; valid: boundary = "periodic"; of molecules and layers there is the dipole '
        "moment",
    ),
    *(
        Refusal(
            "polarisation",
            kind,
            f"polarisation: the pseudopotential of {{second}} is {kind}; valid: norm-conserving ones",
        )
        for kind in AUGMENTED
    ),
    # Wave functions of two components.
    *(
        one
        for name, shown in (("spin-orbit", "spin_orbit"), ("noncollinear", 'spin = "noncollinear"'))
        for one in _of_spinors(name, shown)
    ),
    # Held moments, whose inputs have spin = "noncollinear".
    *_of_spinors("held moments", 'spin = "noncollinear"'),
    *_each(
        ["held moments"],
        ["spin", "fixed moment"],
        'constrain with spin = "collinear"; valid: spin = "noncollinear"',
        "magnetic moments that are vectors, and bands with one component; valid: spinors",
    ),
    # Magnetic anisotropy, whose inputs have spin_orbit.
    *(one for one in _of_spinors("anisotropy", "spin_orbit") if one.second not in _TASKS),
    *_each(
        ["anisotropy"],
        ["hybrid"],
        f"{_ANISOTROPY} with {{second}}, which has exact exchange; valid: an LDA or GGA",
    ),
    *_each(
        ["anisotropy"],
        ["forces", "stress"],
        f"{_ANISOTROPY} with forces or stress, which its densities have not; valid: without them",
    ),
    *_each(
        ["anisotropy"],
        ["irreducible list"],
        f"{_ANISOTROPY} with irreducible = true, and each direction has a symmetry of its own; valid: a mesh",
    ),
    *_each(
        ["spin-orbit"],
        ["spin", "fixed moment"],
        'spin_orbit with spin = "collinear"; valid: spin = "none" or "noncollinear"',
        f"{_SPINORS}bands of two spins; valid: spinors, or two spins",
    ),
    *(
        Refusal(
            first,
            name,
            f'spin = "noncollinear" with kind = "{kind}", whose displacements follow from symmetry without moments; '
            'valid: "collinear"',
        )
        for first in ("noncollinear", "held moments")
        for name, kind in (("phonons", "phonon"), ("elastic constants", "elastic"))
    ),
    # Files of bands.
    *(
        Refusal(
            files,
            name,
            f'[output] {"polarisation" if files == "polarisation" else "orbitals"} with kind = "{kind}"; valid: a run '
            'without motion; orbitals afterwards by "wavegrid checkpoint export"',
        )
        for files in ("orbitals", "ELF", "polarisation")
        for name, kind in (
            ("relax", "relax"),
            ("displaced start", "relax"),
            ("relax the cell", "relax"),
            ("dynamics", "md"),
            ("dynamics of the cell", "md"),
            ("equation of state", "eos"),
            ("propagation", "propagate"),
            ("atoms in time", "propagate"),
        )
    ),
    *(
        Refusal(
            "ELF",
            kind,
            f"elf = true: the pseudopotential of {{second}} is {kind}; valid: norm-conserving ones, or no ELF",
        )
        for kind in AUGMENTED
    ),
    # Symmetry of lists of k-points.
    Refusal(
        "symmetry",
        "list of k",
        "use = true with a list of k-points, which is used as given; valid: use = false, or a mesh, or a list with "
        "irreducible = true",
    ),
    *(
        Refusal(
            "irreducible list",
            dynamics,
            'irreducible = true with [task] kind = "md", where atoms lose their symmetry; valid: a mesh',
        )
        for dynamics in ("dynamics", "dynamics of the cell")
    ),
    Refusal(
        "irreducible list",
        "displaced start",
        "irreducible = true with [relax] displace, which takes the symmetry from the atoms; valid: no displace, or a "
        "mesh",
    ),
)
BY_PAIR = {frozenset((one.first, one.second)): one for one in REFUSALS}
