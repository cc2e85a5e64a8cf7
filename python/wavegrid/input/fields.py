"""The types of input values: how each is read, named in docs/input.md, explained in messages and in the JSON schema.

A type is an annotation with a `Kind`: pydantic reads and checks the value, and all that people read comes from `Kind`.
"""

import json
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isnan
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from wavegrid.base.schemas import DEFAULT_TEXT
from wavegrid.base.text import printable
from wavegrid.units import (
    ENERGY_UNITS,
    LONGEST_HOURS,
    MOST_STEPS,
    RECIPROCAL_UNITS,
    TIME_UNITS,
    Interval,
    parse_energy,
    parse_interval,
    parse_measure,
    parse_reciprocal_length,
)


@dataclass(frozen=True)
class Kind:
    """What a type is called in tables, and which values it takes; the latter completes "valid: ..." in messages."""

    name: str
    valid: str


class Section(BaseModel):
    """A table of the input file: no conversion between types, no unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, validate_default=True)
    entries: ClassVar["type[Section] | None"] = None
    """the model of keys that are names, of elements; none: there are no such keys"""


def key(default: Any, meaning: str, *, examples: list[Any] | None = None, omitted: str = "") -> Any:
    """Return a field: its default (`...` where there is none, a section for its own defaults), meaning and examples.

    `omitted`: the meaning of a missing key where `default` is not a value.
    """
    extra: dict[str, Any] | None = {DEFAULT_TEXT: omitted} if omitted else None
    if isinstance(default, type):
        return Field(default_factory=default, description=meaning, examples=examples, json_schema_extra=extra)
    return Field(default, description=meaning, examples=examples, json_schema_extra=extra)


@dataclass(frozen=True, eq=False)
class Read(Kind):
    """A kind that also reads and checks its values: the annotation of a key that no model of pydantic describes."""

    read: Callable[[Any], Any]  # raises ValueError with the reason
    schema: dict[str, Any]  # JSON schema

    def __get_pydantic_core_schema__(self, _source: object, _handler: object) -> CoreSchema:
        """Return pydantic's validator: `read` alone, whatever the annotated type."""
        return core_schema.no_info_plain_validator_function(self.read)

    def __get_pydantic_json_schema__(self, _schema: object, _handler: object) -> dict[str, Any]:
        """Return the JSON schema of the values."""
        return dict(self.schema)


def figure(value: float) -> str:
    """Return a bound as messages write it: 100000, 0.001, 1e-14."""
    return str(int(value)) if value == int(value) and abs(value) < 1e9 else f"{value:g}"


def _within(value: float, least: float, most: float) -> None:
    """Raise ValueError for a number outside a range."""
    if value > most:
        raise ValueError(f"above {figure(most)}")
    if value < least:
        if value <= 0 < least:
            raise ValueError("not above zero")
        raise ValueError("below zero" if least == 0 else f"below {figure(least)}")


def _bare_number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, float) and isnan(value)):
        raise ValueError("not a finite number")
    if abs(value) == inf:
        raise ValueError("not a finite number")
    return value


def number(least: float, most: float) -> Read:
    """Return the kind of a number in a range, ends included."""

    def read(value: object) -> float:
        found = _bare_number(value)
        _within(found, least, most)
        return float(found)

    span = f"from {figure(least)} to {figure(most)}"
    schema = {"type": "number", "minimum": least, "maximum": most}
    return Read(f"number {span}", f"a number {span}", read, schema)


def whole(most: int, least: int = 1) -> Read:
    """Return the kind of a whole number in a range, ends included."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError("not a whole number")
        _within(value, least, most)
        return value

    name = f"count up to {most}" if least == 1 else f"count from {least} to {most}"
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return Read(name, f"a whole number from {least} to {most}", read, schema)


def even(most: int) -> Read:
    """Return the kind of an even number from 2."""
    names = [str(value) for value in range(2, most + 1, 2)]

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or str(value) not in names:
            raise ValueError("not one of these")
        return value

    valid = f"{', '.join(names[:-1])} or {names[-1]}"
    return Read(valid, valid, read, {"type": "integer", "minimum": 2, "maximum": most, "multipleOf": 2})


def energy(least: float, most: float) -> Read:
    """Return the kind of an energy in a range, Ha, both ends above zero."""

    def read(value: object) -> float:
        found = parse_energy(value)
        if not least <= found <= most:
            raise ValueError(f"below {figure(least)} Ha" if found < least else f"above {figure(most)} Ha")
        return found

    span = f"from {figure(least)} to {figure(most)} Ha"
    return Read(f"energy {span}", f"an energy {span} with its unit eV, Ry or Ha", read, quantity(ENERGY_UNITS))


def measure(name: str, units: Mapping[str, float], least: float, most: float) -> Read:
    """Return the kind of a number with a unit, whose range is given in the unit with the factor 1."""
    unit = next(name for name, factor in units.items() if factor == 1)

    def read(value: object) -> float:
        found = parse_measure(value, units)
        _within(found, least, most)
        return found

    span = f"from {figure(least)} to {figure(most)} {unit}"
    names = list(units)
    named = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    article = "an" if name[0] in "aeiou" else "a"
    return Read(f"{name} {span}", f"{article} {name} {span} with its unit {named}", read, quantity(units, sign="[+-]?"))


def for_each_vector(one: Read) -> Read:
    """Return the kind of one value, or of three along the lattice vectors; read as three in both cases."""

    def read(value: object) -> list[Any]:
        if not isinstance(value, list):
            return [one.read(value)] * 3
        if len(value) != 3:
            raise ValueError(f"has {len(value)} elements")
        return [one.read(entry) for entry in value]

    three = {"type": "array", "items": one.schema, "minItems": 3, "maxItems": 3}
    schema = {"anyOf": [one.schema, three]}
    return Read(f"{one.name}, or three", f"{one.valid}, or three along the lattice vectors,", read, schema)


def span_of(one: Read) -> Read:
    """Return the kind of two values, the first below the second; read as a list of two."""

    def read(value: object) -> list[Any]:
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError("not two values")
        first, last = (one.read(entry) for entry in value)
        if first >= last:
            raise ValueError("the first is not below the second")
        return [first, last]

    schema = {"type": "array", "items": one.schema, "minItems": 2, "maxItems": 2}
    return Read(f"list of two, each {one.name}", f"a list of two, ascending, each {one.valid}", read, schema)


def ascending(one: Read, least: int, most: int) -> Read:
    """Return the kind of a list of `least` to `most` values, each above the one before."""

    def read(value: object) -> list[Any]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise ValueError(f"not {least} to {most} values")
        found = [one.read(entry) for entry in value]
        if any(after <= before for before, after in pairwise(found)):
            raise ValueError("not ascending")
        return found

    schema = {"type": "array", "items": one.schema, "minItems": least, "maxItems": most}
    words = f"{least} to {most}, ascending, each {one.valid}"
    return Read(f"list of {least} to {most}, each {one.name}", f"a list of {words}", read, schema)


def text(name: str, valid: str, *, most: int = 1000, least: int = 1) -> Read:
    """Return the kind of a text without control characters that has `least` to `most` characters."""

    def read(value: object) -> str:
        if not isinstance(value, str):
            raise ValueError("not a text")
        check_text(value, least, most)
        return value

    return Read(name, valid, read, {"type": "string", "maxLength": most} | ({"minLength": least} if least else {}))


def check_text(value: str, least: int, most: int) -> None:
    """Raise ValueError for a text that is too short, too long or holds control characters."""
    if len(value) < least:
        raise ValueError("empty")
    if len(value) > most:
        raise ValueError(f"{len(value)} characters long; at most {most} are possible")
    if printable(value) != value:
        raise ValueError("holds characters that cannot be printed")


def _moment(value: object) -> float:
    found = _bare_number(value)
    _within(found, -MOST_MOMENT, MOST_MOMENT)
    return float(found)


def _spacing(value: object) -> float:
    found = parse_reciprocal_length(value)
    _within(found, FINEST_SPACING, WIDEST_SPACING)
    return found


def _moments(value: object) -> dict[str, float | list[float]] | list[float | list[float]]:
    if isinstance(value, dict) and value:
        return {symbol: _moment_or_vector(moment) for symbol, moment in value.items()}
    if isinstance(value, list) and value:
        return [_moment_or_vector(moment) for moment in value]
    raise ValueError("neither a table of moments nor a list")


def _moment_or_vector(value: object) -> float | list[float]:
    if not isinstance(value, list):
        return _moment(value)
    if len(value) != 3:
        raise ValueError("not three components")
    return [_moment(component) for component in value]


def _occupations(value: object) -> list[list[float]]:
    """Return the electrons of each band by spin: of one list, or of two."""
    lists: list[Any] = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
    if len(lists) > 2 or not all(isinstance(one, list) and one for one in lists):
        raise ValueError("neither a list of numbers nor two of them")
    found = [[float(_bare_number(electrons)) for electrons in one] for one in lists]
    for electrons in (electrons for one in found for electrons in one):
        _within(electrons, 0, 2)
    return found


def _atom(value: object) -> tuple[str, float, float, float]:
    if not isinstance(value, list) or len(value) != 4 or not isinstance(value[0], str):
        raise ValueError("not a symbol and three numbers")
    coordinates = [_bare_number(number) for number in value[1:]]
    for coordinate in coordinates:
        _within(coordinate, -FARTHEST, FARTHEST)
    x, y, z = map(float, coordinates)
    return value[0], x, y, z


def _pseudopotentials(value: object) -> str | dict[str, str]:
    names = {"": value} if isinstance(value, str) else value
    if not isinstance(names, dict) or not names or not all(isinstance(entry, str) for entry in names.values()):
        raise ValueError("neither a name nor a table of names")
    for name in names.values():
        check_text(name, 1, LONGEST_PATH)
    return value if isinstance(value, str) else names


def _boundary(value: Any) -> str | list[str]:
    if value in BOUNDARIES:
        return str(value)
    if not isinstance(value, list) or len(value) != 3 or any(one not in BOUNDARIES for one in value):
        raise ValueError("not a boundary")
    return value if len(set(value)) > 1 else str(value[0])


_MODELS_OF_VOLUMES = ("ts", "ts-vdw", "vdw-ts", "mbd", "mbd@rsscs", "mbd-nl")  # of atoms in the density: decision 0050


def _dispersion(value: object) -> object:
    """Return a model by the name that has it in the program, whatever way it is written: "D3", "D3(BJ)", "d4"."""
    name = "".join(value.casefold().split()) if isinstance(value, str) else value
    if name in _MODELS_OF_VOLUMES:
        raise ValueError(
            "the models of Tkatchenko and Scheffler and of many bodies need libmbd, which is in neither Debian nor PyPI"
        )
    return "d3-bj" if name in ("d3", "d3bj", "d3(bj)") else name


def quantity(units: Mapping[str, float], before_unit: str = "", sign: str = r"\+?") -> dict[str, Any]:
    """Return the JSON schema of a text with a number and a unit, in upper or lower case."""
    names = "|".join("".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in unit) for unit in units)
    number = rf"{sign}(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
    return {"type": "string", "pattern": rf"^\s*{number}\s*{before_unit}({names})\s*$"}


MOST_ATOMS = 100_000  # of the cell and of the supercell
MOST_GRID = 50_000  # points of the FFT grid along an axis
MOST_MESH = 1000  # k-points along an axis
MOST_KPOINTS = 10_000  # of a list or a path
FINEST_SPACING, WIDEST_SPACING = 0.001, 100  # 1/bohr, of k-points
MOST_GROUPS = 100_000  # groups of ranks, rows and columns
MOST_MOMENT = 100  # mu_B of an atom
FARTHEST = 1e6  # coordinates and components of lattice vectors, in any unit
LONGEST_PATH = 1000  # characters

BOUNDARIES = ["periodic", "free"]

_NUMBER = {"type": "number"}
_MOMENT = {"anyOf": [_NUMBER, {"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 3}]}
_MOMENTS = [
    {"type": "object", "additionalProperties": _MOMENT, "minProperties": 1},
    {"type": "array", "items": _MOMENT, "minItems": 1},
]
_NAMES = {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}

Flag = Annotated[bool, Kind("true, false", "true or false")]
Spacing = Annotated[
    float,
    PlainValidator(_spacing),
    WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, quantity(RECIPROCAL_UNITS, "1?")]}),
    Kind(
        "distance of k-points",
        f"a distance from {FINEST_SPACING} to {WIDEST_SPACING} /bohr, a number of them or with its unit /bohr or "
        "/angstrom",
    ),
]
Time = Annotated[
    Interval,
    PlainValidator(parse_interval),
    WithJsonSchema(quantity({**TIME_UNITS, "step": 1, "steps": 1})),
    Kind("interval", f"a time in s, min or h up to {figure(LONGEST_HOURS)} h, or up to {MOST_STEPS} SCF steps"),
]
Count = Annotated[int, whole(1_000_000)]
GroupCount = Annotated[int, whole(MOST_GROUPS)]
Triple = Annotated[
    list[Annotated[float, number(-100, 100)]],
    Field(min_length=3, max_length=3),
    Kind("three numbers", "three numbers from -100 to 100"),
]
Repeats = Annotated[
    list[Annotated[int, whole(MOST_ATOMS)]],
    Field(min_length=3, max_length=3),
    Kind("three counts", f"three whole numbers above zero that make at most {MOST_ATOMS} atoms"),
]
Grid = Annotated[
    list[Annotated[int, whole(MOST_GRID)]],
    Field(min_length=3, max_length=3),
    Kind(f"three counts up to {MOST_GRID}", f"three whole numbers from 1 to {MOST_GRID}"),
]
Mesh = Annotated[
    list[Annotated[int, whole(MOST_MESH)]],
    Field(min_length=3, max_length=3),
    Kind(f"three counts up to {MOST_MESH}", f"three whole numbers from 1 to {MOST_MESH}"),
]
Cell = Annotated[
    list[Annotated[list[Annotated[float, number(-FARTHEST, FARTHEST)]], Field(min_length=3, max_length=3)]],
    Field(min_length=3, max_length=3),
    Kind("three vectors", f"three lattice vectors of three numbers from -{figure(FARTHEST)} to {figure(FARTHEST)}"),
]
KPointList = Annotated[
    list[Triple],
    Field(min_length=1, max_length=MOST_KPOINTS),
    Kind(
        "list of three numbers each",
        f"up to {MOST_KPOINTS} k-points, three numbers from -100 to 100 in units of the reciprocal vectors",
    ),
]
Weights = Annotated[
    list[Annotated[float, number(0, 1e6)]],
    Field(min_length=1, max_length=MOST_KPOINTS),
    Kind("list of numbers", "a number from 0 to 1000000 for each k-point of the list"),
]
Atoms = Annotated[
    list[
        Annotated[
            tuple[str, float, float, float],
            PlainValidator(_atom),
            WithJsonSchema({"type": "array", "items": [{"type": "string"}, _NUMBER, _NUMBER, _NUMBER], "minItems": 4}),
        ]
    ],
    Field(min_length=1, max_length=MOST_ATOMS),
    Kind("list", f"a list of up to {MOST_ATOMS} atoms, coordinates from -{figure(FARTHEST)} to {figure(FARTHEST)}"),
]
Moments = Annotated[
    dict[str, float | list[float]] | list[float | list[float]],
    PlainValidator(_moments),
    WithJsonSchema({"anyOf": _MOMENTS}),
    Kind(
        "table or list",
        f"electrons up minus down of the atoms, from -{MOST_MOMENT} to {MOST_MOMENT}, by element or one for each atom; "
        "with noncollinear spin also vectors",
    ),
]
_SHARES = {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 2}, "minItems": 1}
Occupations = Annotated[
    list[list[float]],
    PlainValidator(_occupations),
    WithJsonSchema({"anyOf": [_SHARES, {"type": "array", "items": _SHARES, "minItems": 1, "maxItems": 2}]}),
    Kind("list of numbers, or two", "electrons of each band, from 0 to 2; with two spins a list of each"),
]
Pseudopotentials = Annotated[
    str | dict[str, str],
    PlainValidator(_pseudopotentials),
    WithJsonSchema({"anyOf": [{"type": "string"}, _NAMES]}),
    Kind("text or table", '"gth-lda", "gth-pbe" or one entry per element'),
]
Boundary = Annotated[
    str | list[str],
    PlainValidator(_boundary),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": BOUNDARIES},
                {"type": "array", "items": {"enum": BOUNDARIES}, "minItems": 3, "maxItems": 3},
            ]
        }
    ),
    Kind("text or three texts", '"periodic", "free", or one of both for each lattice vector'),
]
AtomNumbers = Annotated[
    list[Annotated[int, whole(MOST_ATOMS)]],
    Field(max_length=MOST_ATOMS),
    Kind("list of counts", "a list of atoms by their number, from 1"),
]
Strain = Annotated[
    list[bool],
    Field(min_length=6, max_length=6),
    Kind("six of true, false", "true or false for each of xx, yy, zz, yz, xz, xy"),
]
Dispersion = Annotated[
    Literal["d2", "d3-bj", "d4"],
    BeforeValidator(_dispersion),
    WithJsonSchema({"type": "string", "pattern": r"^\s*[dD]([24]|3(-?[bB][jJ]|\([bB][jJ]\))?)\s*$"}),
]
Path = Annotated[str, text("path", "a path in quotes", most=LONGEST_PATH)]


def _flatten(annotation: object) -> list[object]:
    """Return the parts of a type: the members of unions, what is annotated and with what."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType, Annotated):
        return [part for argument in typing.get_args(annotation) for part in _flatten(argument)]
    return [annotation]


def parts_of(field: FieldInfo) -> list[object]:
    """Return the parts of a field's type, with what its annotation adds."""
    return [*field.metadata, *_flatten(field.annotation)]


def choices(field: FieldInfo) -> tuple[str, ...]:
    """Return the names that a field takes; none where it takes other values."""
    return next((typing.get_args(p) for p in parts_of(field) if typing.get_origin(p) is Literal), ())


def table_of(field: FieldInfo) -> type[Section] | None:
    """Return the model of a field that is a table, or a list of tables."""
    parts = [inner for part in parts_of(field) for inner in (typing.get_args(part) if _is_list(part) else (part,))]
    return next((part for part in parts if isinstance(part, type) and issubclass(part, Section)), None)


def _is_list(part: object) -> bool:
    return typing.get_origin(part) is list


def kind_of(field: FieldInfo) -> Kind:
    """Return what a field's values are called and which are valid."""
    if kinds := [part for part in parts_of(field) if isinstance(part, Kind)]:
        return kinds[-1]  # of a type that narrows another, its own
    if names := [f'"{name}"' for name in choices(field)]:
        return Kind(", ".join(names), " or ".join(filter(None, [", ".join(names[:-1]), names[-1]])))
    return Kind("table", "a table")


def valid_values(field: FieldInfo) -> str:
    """Return the text behind "valid: " for a field: its kind and examples."""
    examples = f" such as {' or '.join(map(toml, field.examples))}" if field.examples else ""
    return kind_of(field).valid + examples


def toml(value: object) -> str:
    """Return a value as the input file writes it; tables inline."""
    if isinstance(value, Section):
        return toml({name: getattr(value, name) for name in type(value).model_fields})
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {toml(entry)}" for name, entry in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
