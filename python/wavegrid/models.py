"""The input file as data models: names, types and valid values of every key.

The description of each field completes the sentence "valid: ..." in the messages of `wavegrid.input`.
"""

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from wavegrid.units import parse_energy


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


Energy = Annotated[float, PlainValidator(parse_energy)]
Number = Annotated[float, PlainValidator(_number)]
Positive = Annotated[float, PlainValidator(_positive)]
Count = Annotated[int, PlainValidator(_count)]
Atom = Annotated[tuple[str, float, float, float], PlainValidator(_atom)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Counts = Annotated[list[Count], Field(min_length=3, max_length=3)]
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


class Electrons(Section):
    """Functional, pseudopotentials, bands and occupations."""

    xc: str = Field(description='libxc names joined by + such as "LDA_X+LDA_C_PZ", or a short one such as "PBE"')
    pseudopotentials: Pseudopotentials = Field(
        description='"gth-lda", "gth-pbe" or one entry per element such as { Al = "path/to/Al.upf", Li = "gth-lda-q3" }'
    )
    bands: Count | None = Field(None, description="a whole number above zero")
    smearing: Smearing | None = Field(None, description='a table such as { kind = "fermi-dirac", width = "0.2 eV" }')


class Mixing(Section):
    """Kerker-preconditioned Pulay mixing of the density."""

    amplitude: Positive = Field(1.0, description="a number above zero such as 1.0")
    k0: Positive = Field(1.2, description="a wave number above zero in 1/bohr such as 1.2")
    history: Count = Field(8, description="a whole number above zero such as 8")


class Scf(Section):
    """The self-consistency loop."""

    eigensolver: Literal["rmm-diis", "lobpcg", "davidson"] = Field(
        "lobpcg", description='"rmm-diis", "lobpcg" or "davidson"'
    )
    energy_tolerance: Energy = Field(parse_energy("1e-7 Ha"), description=_ENERGY + '"1e-7 Ha"')
    max_steps: Count = Field(60, description="a whole number above zero")
    mixing: Mixing = Field(Mixing(), description="a table such as { amplitude = 1.0, k0 = 1.2, history = 8 }")
    start: Literal["lcao", "random"] = Field("lcao", description='"lcao" or "random"')


class Parallel(Section):
    """How the plane waves are divided over the ranks, and how their values travel."""

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
    transports_file: str | None = Field(
        None, min_length=1, description='a file name such as "transports.txt", which keeps what "auto" finds out'
    )


class Output(Section):
    """Where the results go."""

    directory: str | None = Field(None, min_length=1, description='a directory name such as "al108"')


class Input(Section):
    """A whole input file."""

    title: str = Field("", description="a text in quotes")
    structure: Structure = Field(description="a section [structure] with the cell and the atoms")
    basis: Basis = Field(description="a section [basis] with ecut")
    electrons: Electrons = Field(description="a section [electrons] with xc and pseudopotentials")
    scf: Scf = Field(Scf(), description="a section [scf]")
    parallel: Parallel = Field(Parallel(), description="a section [parallel]")
    output: Output = Field(Output(), description="a section [output]")
