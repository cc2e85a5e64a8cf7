"""The types of input values: how each is read, named in docs/input.md, explained in messages and in the JSON schema.

A type is an annotation with a `Kind`: pydantic reads and checks the value, and all that people read comes from `Kind`.
"""

import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic.fields import FieldInfo

from wavegrid.schemas import DEFAULT_TEXT
from wavegrid.units import (
    ENERGY_UNITS,
    RECIPROCAL_UNITS,
    TIME_UNITS,
    Interval,
    parse_energy,
    parse_interval,
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


def key(default: Any, meaning: str, *, examples: list[Any] | None = None, omitted: str = "") -> Any:
    """Return a field: its default (`...` where there is none, a section for its own defaults), meaning and examples.

    `omitted`: the meaning of a missing key where `default` is not a value.
    """
    extra: dict[str, Any] | None = {DEFAULT_TEXT: omitted} if omitted else None
    if isinstance(default, type):
        return Field(default_factory=default, description=meaning, examples=examples, json_schema_extra=extra)
    return Field(default, description=meaning, examples=examples, json_schema_extra=extra)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("not a finite number")
    return float(value)


def _positive(value: object) -> float:
    number = _number(value)
    if number <= 0:
        raise ValueError("not above zero")
    return number


def _not_negative(value: object) -> float:
    number = _number(value)
    if number < 0:
        raise ValueError("below zero")
    return number


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError("not a whole number")
    if value < 1:
        raise ValueError("not above zero")
    return value


def _energy(value: object) -> float:
    return parse_energy(value)


def _spacing(value: object) -> float:
    return parse_reciprocal_length(value)


def _moments(value: object) -> dict[str, float] | list[float]:
    if isinstance(value, dict) and value:
        return {symbol: _number(moment) for symbol, moment in value.items()}
    if isinstance(value, list) and value:
        return [_number(moment) for moment in value]
    raise ValueError("neither a table of moments nor a list")


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


def _quantity(units: Mapping[str, float], before_unit: str = "") -> dict[str, Any]:
    """Return the JSON schema of a text with a number and a unit, in upper or lower case."""
    names = "|".join("".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in unit) for unit in units)
    number = r"\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
    return {"type": "string", "pattern": rf"^\s*{number}\s*{before_unit}({names})\s*$"}


_NUMBER = {"type": "number"}
_MOMENTS = [
    {"type": "object", "additionalProperties": _NUMBER, "minProperties": 1},
    {"type": "array", "items": _NUMBER, "minItems": 1},
]
_NAMES = {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}

Text = Annotated[str, Kind("text", "a text in quotes")]
Path = Annotated[str, Field(min_length=1), Kind("path", "a path in quotes")]
Flag = Annotated[bool, Kind("true, false", "true or false")]
Energy = Annotated[
    float,
    PlainValidator(_energy),
    WithJsonSchema(_quantity(ENERGY_UNITS)),
    Kind("energy", "an energy above zero with its unit eV, Ry or Ha"),
]
Spacing = Annotated[
    float,
    PlainValidator(_spacing),
    WithJsonSchema(_quantity(RECIPROCAL_UNITS, "1?")),
    Kind("distance of k-points", "a number above zero with its unit /bohr or /angstrom"),
]
Time = Annotated[
    Interval,
    PlainValidator(parse_interval),
    WithJsonSchema(_quantity({**TIME_UNITS, "step": 1, "steps": 1})),
    Kind("interval", "a time in s, min or h, or SCF steps"),
]
Number = Annotated[float, PlainValidator(_number), WithJsonSchema(_NUMBER), Kind("number", "a number")]
Positive = Annotated[
    float,
    PlainValidator(_positive),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0}),
    Kind("number above zero", "a number above zero"),
]
Count = Annotated[
    int,
    PlainValidator(_count),
    WithJsonSchema({"type": "integer", "minimum": 1}),
    Kind("count", "a whole number above zero"),
]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3), Kind("three numbers", "three numbers")]
Counts = Annotated[
    list[Count], Field(min_length=3, max_length=3), Kind("three counts", "three whole numbers above zero")
]
Cell = Annotated[list[Vector], Field(min_length=3, max_length=3), Kind("three vectors", "three lattice vectors")]
KPointList = Annotated[
    list[Vector],
    Field(min_length=1),
    Kind("list of three numbers each", "k-points in units of the reciprocal vectors"),
]
Weights = Annotated[
    list[Annotated[float, PlainValidator(_not_negative), WithJsonSchema({"type": "number", "minimum": 0})]],
    Field(min_length=1),
    Kind("list of numbers", "a number from zero on for each k-point of the list"),
]
Atoms = Annotated[
    list[
        Annotated[
            tuple[str, float, float, float],
            PlainValidator(_atom),
            WithJsonSchema({"type": "array", "items": [{"type": "string"}, _NUMBER, _NUMBER, _NUMBER], "minItems": 4}),
        ]
    ],
    Field(min_length=1),
    Kind("list", "a list of atoms"),
]
Moments = Annotated[
    dict[str, float] | list[float],
    PlainValidator(_moments),
    WithJsonSchema({"anyOf": _MOMENTS}),
    Kind("table or list", "electrons up minus down of the atoms, by element or one for each atom"),
]
Pseudopotentials = Annotated[
    str | dict[str, str],
    PlainValidator(_pseudopotentials),
    WithJsonSchema({"anyOf": [{"type": "string"}, _NAMES]}),
    Kind("text or table", '"gth-lda", "gth-pbe" or one entry per element'),
]


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
    """Return the model of a field that is a table."""
    return next((part for part in parts_of(field) if isinstance(part, type) and issubclass(part, Section)), None)


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
