"""Everything that is combined in docs/features.md, in the order of its tables."""

from collections.abc import Callable
from typing import get_args

from wavegrid.input.basis.choose import from_basis
from wavegrid.input.electrons import is_hybrid
from wavegrid.input.features.capability import Asked, Capability, Value
from wavegrid.input.models import External, Input, KPoints, MeshPartitionName, PartitionName

BASIS, FUNCTIONAL, POTENTIAL, OCCUPATIONS = "Discretisation", "Functional", "Pseudopotential", "Occupations"
ELECTRONS, SAMPLING, FIELD, SOLVER, PRECISION = "Electrons", "k-points", "Symmetry and fields", "Solver", "Arithmetic"
RESULT, TASK, FILES, PARALLEL, INTERFACE = "Forces and motion", "Task", "Checkpoints", "Parallel layout", "Interface"
EXCLUSIVE = (BASIS, FUNCTIONAL, POTENTIAL, OCCUPATIONS, SAMPLING, SOLVER, TASK, INTERFACE)
"""groups whose members replace each other"""

MESHES = ("mesh", "mesh, partly free", "mesh, free")
"""crystal; chain or layer; molecule"""
LOCAL = "local orbitals"
WAVES = ("plane waves", "waves, partly free", "waves, free")
HUBBARD_RESPONSE = "U by linear response"
ORTHONORMAL = "orthonormal orbitals"
"""of DFT+U"""
AUGMENTED = ("ultrasoft", "PAW")
SMEARINGS = ("Fermi-Dirac", "Gaussian", "Methfessel-Paxton", "cold", "tetrahedra")
FIELDS = ("potential of a file", "field", "dipole correction")
COMMANDS = ("wavegrid plan", "the input of another program")


def _basis(name: str) -> Callable[[Asked], Value]:
    def asked(of: Asked) -> Value:
        table = of.spec.basis
        return from_basis(table).discretisation.capability(table.periodic()) == name

    return asked


def _family(prefix: str) -> Callable[[Asked], Value]:
    """Of several functionals that are added the highest family counts."""

    def asked(of: Asked) -> Value:
        families = ("MGGA", "GGA", "LDA")
        highest = next((one for one in families if f"+{one}_" in f"+{of.xc}"), None)
        return of.spec.electrons.xc if highest == prefix else None

    return asked


def _hybrid(of: Asked) -> Value:
    return of.spec.electrons.xc if is_hybrid(of.xc) else None


def _format(name: str) -> Callable[[Asked], Value]:
    return lambda of: any(choice.format.upper().startswith(name.upper()) for _, choice in of.potentials)


def _core_density(of: Asked) -> Value:
    return next((element for element, choice in of.potentials if choice.core_density), None)


def _kind(kind: str) -> Callable[[Asked], Value]:
    return lambda of: next((element for element, choice in of.potentials if choice.kind == kind), None)


def _smearing(kind: str) -> Callable[[Asked], Value]:
    """Return whether a smearing has this name, or one of its variants."""
    return lambda of: of.spec.electrons.smearing is not None and of.spec.electrons.smearing.kind.startswith(kind)


def _points(of: Asked) -> KPoints:
    return of.spec.electrons.kpoints or KPoints()


def _gamma(of: Asked) -> Value:
    """Only without any k-points: a mesh of one point at Gamma is found to be Gamma later."""
    return of.spec.electrons.kpoints is None and of.kind != "bands"


def _kpoint_mesh(of: Asked) -> Value:
    points = _points(of)
    return points.spacing is not None or (points.mesh is not None and max(points.mesh) > 1)


def _along_axis(given: Callable[[External], bool]) -> Callable[[Asked], Value]:
    """Return the number of the axis, where a field along it is given."""

    def asked(of: Asked) -> Value:
        external = of.spec.external
        return external.axis if external is not None and given(external) else None

    return asked


def _given(*names: str) -> Callable[[Asked], Value]:
    """Return the first of these keys that [parallel] has: it is its own value."""
    return lambda of: next((name for name in names if name in of.spec.parallel.model_fields_set), None)


def _partition(names: tuple[str, ...]) -> Callable[[Asked], Value]:
    """Return the partition of the input, where it is one of these."""
    return lambda of: of.spec.parallel.partition if of.spec.parallel.partition in names else None


def _is(attribute: Callable[[Input], object], value: object) -> Callable[[Asked], Value]:
    return lambda of: attribute(of.spec) == value


def _task(kind: str) -> Callable[[Asked], Value]:
    return lambda of: of.kind == kind


def _never(of: Asked) -> Value:
    """No input asks for options of commands and interfaces."""
    return None


_KPOINTS = "electrons.kpoints"
CAPABILITIES = (
    Capability(WAVES[0], BASIS, "basis.method", _basis(WAVES[0])),
    *(Capability(name, BASIS, "basis.boundary", _basis(name)) for name in WAVES[1:]),
    *(Capability(name, BASIS, "basis.method", _basis(name)) for name in (*MESHES, LOCAL)),
    Capability("LDA", FUNCTIONAL, "electrons.xc", _family("LDA")),
    Capability("GGA", FUNCTIONAL, "electrons.xc", _family("GGA")),
    Capability("meta-GGA", FUNCTIONAL, "electrons.xc", _family("MGGA")),
    Capability("hybrid", FUNCTIONAL, "electrons.xc", _hybrid),
    Capability("GTH", POTENTIAL, "electrons.pseudopotentials", _format("GTH")),
    Capability("UPF", POTENTIAL, "electrons.pseudopotentials", _format("UPF")),
    Capability("psp8", POTENTIAL, "electrons.pseudopotentials", _format("psp8")),
    *(Capability(kind, POTENTIAL, "electrons.pseudopotentials", _kind(kind)) for kind in AUGMENTED),
    Capability(
        "fixed",
        OCCUPATIONS,
        "electrons",
        lambda of: of.spec.electrons.smearing is None and of.spec.electrons.occupations is None,
    ),
    Capability(
        "given occupations", OCCUPATIONS, "electrons.occupations", lambda of: of.spec.electrons.occupations is not None
    ),
    *(Capability(name, OCCUPATIONS, "electrons.smearing", _smearing(name.lower())) for name in SMEARINGS),
    Capability("core density", ELECTRONS, "electrons.pseudopotentials", _core_density),
    Capability("spin", ELECTRONS, "electrons.spin", _is(lambda spec: spec.electrons.spin, "collinear")),
    Capability(
        "fixed moment",
        ELECTRONS,
        "electrons.total_magnetisation",
        lambda of: of.spec.electrons.total_magnetisation is not None,
    ),
    Capability("noncollinear", ELECTRONS, "electrons.spin", _is(lambda spec: spec.electrons.spin, "noncollinear")),
    Capability("spin-orbit", ELECTRONS, "electrons.spin_orbit", lambda of: of.spec.electrons.spin_orbit),
    Capability("held moments", ELECTRONS, "electrons.constrain", lambda of: of.spec.electrons.constrain is not None),
    Capability("DFT+U", ELECTRONS, "electrons.hubbard", lambda of: of.spec.electrons.hubbard is not None),
    Capability(
        ORTHONORMAL,
        ELECTRONS,
        "electrons.hubbard.projectors",
        lambda of: of.spec.electrons.hubbard is not None and of.spec.electrons.hubbard.projectors == "ortho-atomic",
    ),
    Capability("charge", ELECTRONS, "electrons.charge", lambda of: of.spec.electrons.charge),
    Capability("D2", ELECTRONS, "electrons.dispersion", _is(lambda spec: spec.electrons.dispersion, "d2")),
    Capability("D3", ELECTRONS, "electrons.dispersion", _is(lambda spec: spec.electrons.dispersion, "d3-bj")),
    Capability("D4", ELECTRONS, "electrons.dispersion", _is(lambda spec: spec.electrons.dispersion, "d4")),
    Capability("Gamma, real", SAMPLING, _KPOINTS, _gamma),
    Capability("mesh of k", SAMPLING, _KPOINTS, _kpoint_mesh),
    Capability(
        "list of k", SAMPLING, _KPOINTS, lambda of: _points(of).list is not None and not _points(of).irreducible
    ),
    Capability("irreducible list", SAMPLING, f"{_KPOINTS}.irreducible", lambda of: _points(of).irreducible),
    Capability("symmetry", FIELD, "symmetry.use", lambda of: of.spec.symmetry.use),
    Capability("two grids", FIELD, "basis.density_ecut", lambda of: of.spec.basis.density_ecut is not None),
    Capability(
        FIELDS[0],
        FIELD,
        "external.potential",
        lambda of: of.spec.external is not None and of.spec.external.potential,
    ),
    Capability(FIELDS[1], FIELD, "external.field", _along_axis(lambda one: one.field != 0)),
    Capability(FIELDS[2], FIELD, "external.dipole_correction", _along_axis(lambda one: one.dipole_correction)),
    Capability("direct minimisation", SOLVER, "scf.method", _is(lambda spec: spec.scf.method, "direct")),
    *(
        Capability(name, SOLVER, "scf.eigensolver", _is(lambda spec: spec.scf.eigensolver, name.lower()))
        for name in ("LOBPCG", "RMM-DIIS", "Davidson", "Chebyshev")
    ),
    Capability("mixed precision", PRECISION, "scf.precision", _is(lambda spec: spec.scf.precision, "mixed")),
    Capability("deterministic", PRECISION, "parallel.deterministic", lambda of: of.spec.parallel.deterministic),
    Capability(
        "projectors on the grid", PRECISION, "basis.projectors", _is(lambda spec: spec.basis.projectors, "real")
    ),
    Capability(
        "augmentation in boxes", PRECISION, "basis.augmentation", _is(lambda spec: spec.basis.augmentation, "boxes")
    ),
    Capability("forces", RESULT, "output.forces", lambda of: of.spec.output.forces),
    Capability("stress", RESULT, "output.stress", lambda of: of.spec.output.stress),
    Capability("polarisation", RESULT, "output.polarisation", lambda of: of.spec.output.polarisation),
    Capability("band extrema", RESULT, "task.extrema", lambda of: of.kind == "bands" and of.spec.task.extrema),
    Capability("atoms in time", RESULT, "propagate.ions", lambda of: of.kind == "propagate" and of.spec.propagate.ions),
    Capability("displaced start", RESULT, "relax.displace", lambda of: of.spec.relax.displace is not None),
    Capability("bands", TASK, "task.kind", _task("bands")),
    Capability("density of states", TASK, "task.kind", _task("dos")),
    Capability("Born charges", TASK, "task.kind", _task("born")),
    Capability("Wannier functions", TASK, "task.kind", _task("wannier")),
    Capability("relax", TASK, "task.kind", lambda of: of.kind == "relax" and of.spec.relax.cell == "fixed"),
    Capability(
        "relax the cell",
        TASK,
        "relax.cell",
        lambda of: of.spec.relax.cell if of.kind == "relax" and of.spec.relax.cell != "fixed" else None,
    ),
    Capability("dynamics", TASK, "task.kind", lambda of: of.kind == "md" and of.spec.md.ensemble != "npt"),
    Capability(
        "dynamics of the cell", TASK, "md.ensemble", lambda of: of.kind == "md" and of.spec.md.ensemble == "npt"
    ),
    Capability("equation of state", TASK, "task.kind", _task("eos")),
    Capability("elastic constants", TASK, "task.kind", _task("elastic")),
    Capability("phonons", TASK, "task.kind", _task("phonon")),
    Capability("vibrations", TASK, "task.kind", _task("vibrations")),
    Capability("reaction path", TASK, "task.kind", _task("neb")),
    Capability("propagation", TASK, "propagate", _task("propagate")),
    Capability("Casida", TASK, "casida", _task("casida")),
    Capability("anisotropy", TASK, "task.kind", _task("anisotropy")),
    Capability(HUBBARD_RESPONSE, TASK, "task.kind", _task("hubbard-u")),
    Capability("checkpoint", FILES, "output.checkpoint", lambda of: of.spec.output.checkpoint is not None),
    Capability("orbitals", FILES, "output.orbitals", lambda of: of.spec.output.orbitals is not None),
    Capability(
        "ELF",
        FILES,
        "output.orbitals.elf",
        lambda of: of.spec.output.orbitals is not None and of.spec.output.orbitals.elf,
    ),
    Capability("restart on other ranks", FILES, "", _never),
    Capability("restart on another basis", FILES, "", _never),
    Capability("k-point groups", PARALLEL, "parallel.kpoint_groups", _given("kpoint_groups")),
    Capability("band groups", PARALLEL, "parallel.band_groups", _given("band_groups")),
    Capability("rows x columns", PARALLEL, "parallel.columns", _given("columns")),
    Capability("partition of sticks", PARALLEL, "parallel.partition", _partition(get_args(PartitionName))),
    Capability("partition of points", PARALLEL, "parallel.partition", _partition(get_args(MeshPartitionName))),
    Capability("halo options", PARALLEL, "parallel.{}", _given("overlap", "reorder", "two_level")),
    *(Capability(name, INTERFACE, "", _never) for name in ("Python session", "ASE calculator", "i-PI socket")),
    *(Capability(name, INTERFACE, "", _never) for name in COMMANDS),
)
BY_NAME = {one.name: one for one in CAPABILITIES}


def alternatives(first: Capability, second: Capability) -> bool:
    """Return whether one replaces the other, so that no input has both."""
    return first.group == second.group and first.group in EXCLUSIVE
