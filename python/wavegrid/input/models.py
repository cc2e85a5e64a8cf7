"""The input file as data models: names, types and valid values of every key.

The description of each field completes the sentence "valid: ..." in the messages of `wavegrid.input.document`.
"""

import math
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator

from wavegrid.units import Interval, parse_energy, parse_interval


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("not a finite number")
    return float(value)


def _positive(value: object) -> float:
    number = _number(value)
    if number <= 0:
        raise ValueError("not above zero")
    return number


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("not a whole number")
    if value < 1:
        raise ValueError("not above zero")
    return value


def _moments(value: object) -> dict[str, float] | list[float]:
    if isinstance(value, dict) and value:
        return {symbol: _number(moment) for symbol, moment in value.items()}
    if isinstance(value, list) and value:
        return [_number(moment) for moment in value]
    raise ValueError("neither a table of moments nor a list")


def _weight(value: object) -> float:
    number = _number(value)
    if number < 0:
        raise ValueError("below zero")
    return number


def _atom(value: object) -> tuple[str, float, float, float]:
    if not isinstance(value, list) or len(value) != 4 or not isinstance(value[0], str):
        raise ValueError("not a symbol and three numbers")
    x, y, z = (_number(number) for number in value[1:])
    return value[0], x, y, z


def _pseudopotentials(value: object) -> str | dict[str, str]:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or not value or not all(isinstance(entry, str) for entry in value.values()):
        raise ValueError("neither a name nor a table of names")
    return value


def _checkpoint(value: object) -> object:
    """Take true for a table of nothing but defaults and false for none."""
    if isinstance(value, bool):
        return {} if value else None
    if not isinstance(value, dict | Checkpoint):
        raise ValueError("neither true, false nor a table")
    return value


Energy = Annotated[float, PlainValidator(parse_energy)]
Number = Annotated[float, PlainValidator(_number)]
Positive = Annotated[float, PlainValidator(_positive)]
Count = Annotated[int, PlainValidator(_count)]
Atom = Annotated[tuple[str, float, float, float], PlainValidator(_atom)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Counts = Annotated[list[Count], Field(min_length=3, max_length=3)]
Points = list[Vector]
Weights = list[Annotated[float, PlainValidator(_weight)]]
Moments = Annotated[dict[str, float] | list[float], PlainValidator(_moments)]
Pseudopotentials = Annotated[str | dict[str, str], PlainValidator(_pseudopotentials)]

_ENERGY = "an energy above zero with its unit eV, Ry or Ha, such as "


class Section(BaseModel):
    """A part of the input file: no conversion between types, no unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Structure(Section):
    """Cell and atoms, inline or from a file."""

    file: str | None = Field(None, description="the path of a structure file that ASE reads, in quotes")
    cell: list[Vector] | None = Field(
        None, min_length=3, max_length=3, description="three lattice vectors such as [[4,0,0],[0,4,0],[0,0,4]]"
    )
    unit: Literal["angstrom", "bohr"] | None = Field(None, description='"angstrom" or "bohr"')
    atoms: list[Atom] | None = Field(None, min_length=1, description='a list of atoms such as ["Al", 0, 0.5, 0.5]')
    coordinates: Literal["fractional", "cartesian"] | None = Field(None, description='"fractional" or "cartesian"')
    supercell: Counts = Field([1, 1, 1], description="three whole numbers above zero such as [3, 3, 3]")


class Basis(Section):
    """Plane waves and FFT grid."""

    ecut: Energy = Field(description=_ENERGY + '"240 eV"')
    grid: Counts | None = Field(None, description="three whole numbers above zero such as [48, 48, 48]")


class Smearing(Section):
    """Broadening of the occupations."""

    kind: Literal["fermi-dirac", "gaussian", "methfessel-paxton", "cold"] = Field(
        description='"fermi-dirac", "gaussian", "methfessel-paxton" or "cold"'
    )
    width: Energy = Field(description=_ENERGY + '"0.2 eV"')


class KPoints(Section):
    """Points of the Brillouin zone: a mesh or a list for the density, a path for band structures."""

    mesh: Counts | None = Field(None, description="three whole numbers above zero such as [4, 4, 4]")
    shift: Vector | None = Field(None, description="three numbers, in steps of the mesh, such as [0.5, 0.5, 0.5]")
    list: Points | None = Field(
        None, min_length=1, description="k-points in units of the reciprocal vectors such as [[0, 0, 0], [0.5, 0, 0]]"
    )
    weights: Weights | None = Field(
        None, min_length=1, description="a number from zero on for each k-point of the list such as [1, 3]"
    )
    path: str | None = Field(None, min_length=1, description='names of special points such as "GXWK" or "GXU,KGL"')
    points: Count | None = Field(None, description="how many k-points the path has, a whole number above zero")


class Electrons(Section):
    """Functional, pseudopotentials, k-points, bands, spin and occupations."""

    xc: str = Field(description='libxc names joined by + such as "LDA_X+LDA_C_PZ", or a short one such as "PBE"')
    pseudopotentials: Pseudopotentials = Field(
        description='"gth-lda", "gth-pbe" or one entry per element such as { Al = "path/to/Al.upf", Li = "gth-lda-q3" }'
    )
    kpoints: KPoints | None = Field(
        None, description='a table such as { mesh = [4, 4, 4], shift = [0, 0, 0] } or { path = "GXWK", points = 60 }'
    )
    bands: Count | None = Field(None, description="a whole number above zero")
    smearing: Smearing | None = Field(None, description='a table such as { kind = "fermi-dirac", width = "0.2 eV" }')
    spin: Literal["none", "collinear"] = Field("none", description='"none" or "collinear"')
    initial_magnetic_moments: Moments | None = Field(
        None, description="electrons up minus down of the atoms, by element such as { Fe = 2.5 } or one for each atom"
    )
    total_magnetisation: Number | None = Field(
        None, description="electrons up minus down of the cell, held fixed, such as 2.0"
    )
    charge: Number = Field(0.0, description="the charge of the cell, electrons taken away, such as 1.0")


class Symmetry(Section):
    """Symmetry of the crystal."""

    use: bool | None = Field(None, description="true or false")


class Mixing(Section):
    """Mixing of the density by what earlier steps have shown, preconditioned."""

    method: Literal["pulay", "broyden"] = Field("pulay", description='"pulay" or "broyden"')
    beta: Positive = Field(1.0, description="a number above zero such as 1.0")
    preconditioner: Literal["auto", "none", "kerker", "dielectric", "ldos"] = Field(
        "auto", description='"auto", "none", "kerker", "dielectric" or "ldos"'
    )
    k0: Positive = Field(1.2, description="a wave number above zero in 1/bohr such as 1.2")
    epsilon: Positive = Field(10.0, description="a dielectric constant above zero such as 10.0")
    history: Count = Field(8, description="a whole number above zero such as 8")


class Scf(Section):
    """The self-consistency loop."""

    eigensolver: Literal["auto", "rmm-diis", "lobpcg", "davidson", "chebyshev"] = Field(
        "auto", description='"auto", "rmm-diis", "lobpcg", "davidson" or "chebyshev"'
    )
    energy_tolerance: Energy = Field(parse_energy("1e-7 Ha"), description=_ENERGY + '"1e-7 Ha"')
    max_steps: Count = Field(60, description="a whole number above zero")
    mixing: Mixing = Field(Mixing(), description="a table such as { beta = 1.0, k0 = 1.2, history = 8 }")
    initial_wavefunctions: Literal["lcao", "random"] = Field("lcao", description='"lcao" or "random"')
    precision: Literal["auto", "mixed", "double"] = Field("auto", description='"auto", "mixed" or "double"')


class Parallel(Section):
    """How k-points, bands and plane waves are divided over the ranks, and how their values travel."""

    kpoint_groups: Count | None = Field(None, description="a whole number above zero, at most the ranks")
    band_groups: Count | None = Field(None, description="a whole number above zero, at most the ranks of a k-group")
    rows: Count | None = Field(None, description="a whole number above zero, together with columns")
    columns: Count | None = Field(None, description="a whole number above zero, together with rows")

    partition: Literal["auto", "greedy", "cyclic", "balanced", "optimized"] = Field(
        "auto", description='"auto", "greedy", "cyclic", "balanced" or "optimized"'
    )
    transport: Literal[
        "auto",
        "alltoallv",
        "alltoall_padded",
        "neighbor",
        "pairwise",
        "ring",
        "one_sided",
        "one_sided_get",
        "shared",
    ] = Field(
        "auto",
        description='"auto", "alltoallv", "alltoall_padded", "neighbor", "pairwise", "ring", "one_sided", '
        '"one_sided_get" or "shared"',
    )
    deterministic: bool = Field(False, description="true or false")
    transports_file: str | None = Field(
        None, min_length=1, description='a file name such as "transports.txt", which keeps what "auto" finds out'
    )


class Task(Section):
    """What is computed from the converged density."""

    kind: Literal["scf", "bands", "dos"] | None = Field(None, description='"scf", "bands" or "dos"')
    width: Energy | None = Field(None, description=_ENERGY + '"0.1 eV"')
    points: Count | None = Field(None, description="how many energies the density of states has, such as 1001")


class Checkpoint(Section):
    """When a run writes a checkpoint before its end, and how many of them stay."""

    every: Annotated[Interval, PlainValidator(parse_interval)] = Field(
        Interval(seconds=600.0), description='a time in s, min or h, or SCF steps, such as "10 min" or "5 steps"'
    )
    keep: Count = Field(2, description="how many checkpoints stay, a whole number above zero such as 2")


class Output(Section):
    """Where the results go, and which files beside result.json."""

    directory: str | None = Field(None, min_length=1, description='a directory name such as "al108"')
    density: Literal["cube", "xsf"] | None = Field(None, description='"cube" or "xsf"')
    forces: bool = Field(False, description="true or false")
    stress: bool = Field(False, description="true or false")
    checkpoint: Annotated[Checkpoint | None, BeforeValidator(_checkpoint)] = Field(
        Checkpoint(), description='true, false or a table such as { every = "10 min", keep = 2 }'
    )


class Input(Section):
    """A whole input file."""

    title: str = Field("", description="a text in quotes")
    structure: Structure = Field(description="a section [structure] with the cell and the atoms")
    basis: Basis = Field(description="a section [basis] with ecut")
    electrons: Electrons = Field(description="a section [electrons] with xc and pseudopotentials")
    symmetry: Symmetry = Field(Symmetry(), description="a section [symmetry]")
    scf: Scf = Field(Scf(), description="a section [scf]")
    parallel: Parallel = Field(Parallel(), description="a section [parallel]")
    task: Task = Field(Task(), description="a section [task]")
    output: Output = Field(Output(), description="a section [output]")
