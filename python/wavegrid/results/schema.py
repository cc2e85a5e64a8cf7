"""The JSON schema of result.json and the tables of docs/result.md; both from the model."""

import types
import typing
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter

from wavegrid.base.schemas import schema_of
from wavegrid.model.part import FermiLevel, Part, Tensor, key_of, part_in
from wavegrid.model.result import Result

_NAMES = {float: "number", int: "integer", str: "text", bool: "true, false", Any: "any"}
_SHAPES = {Tensor: "3 x 3 numbers", FermiLevel: "number or 2 numbers"}


def result_schema() -> dict[str, Any]:
    """Return the JSON schema of result.json."""
    return schema_of(Result, "wavegrid result.json")


def tables() -> dict[str, list[str]]:
    """Return the tables of all keys as lines of Markdown, by part: "result", "energy", "forces.terms", ..."""
    made = TypeAdapter(Result).json_schema()
    return _tables("result", "", Result, made, made["$defs"])


def _tables(
    name: str, path: str, part: type[Part], made: dict[str, Any], parts: dict[str, dict[str, Any]]
) -> dict[str, list[str]]:
    """Return the table of a part and those of the parts in it. `made`: its schema, `parts`: those of all by name."""
    rows = []
    below: dict[str, list[str]] = {}
    for attribute in fields(part):  # type: ignore[arg-type]
        key, annotation = key_of(attribute.name), attribute.type
        optional = "" if key in made["required"] else ", optional"
        meaning = " ".join(made["properties"][key]["description"].split())
        rows.append(f"| `{key}` | {_type(annotation)}{optional} | {meaning} |")
        if (inner := part_in(annotation)) is not None:
            place = f"{path}.{key}".lstrip(".")
            below |= _tables(place, place, inner, parts[inner.__name__], parts)
    text = " ".join((part.__doc__ or "").split())
    return {name: [text, "", "| key | type | meaning |", "|---|---|---|", *rows]} | below


def _type(annotation: Any) -> str:
    """Return a type in words."""
    if annotation in _SHAPES:
        return _SHAPES[annotation]
    if annotation in _NAMES:
        return _NAMES[annotation]
    arguments = [part for part in typing.get_args(annotation) if part is not types.NoneType]
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return ", ".join(f'"{name}"' if isinstance(name, str) else str(name) for name in arguments)
    if origin in (typing.Union, types.UnionType):
        return ", ".join(map(_type, arguments))
    if origin is tuple:
        return f"{len(arguments)} {_plural(_type(arguments[0]))}"
    if origin in (list, Sequence):
        return f"list of {_plural(_type(arguments[0]))}"
    return "table"


def _plural(name: str) -> str:
    """Return the type of a list's elements as one names several of them."""
    if name.startswith("list of "):
        return "lists of " + name.removeprefix("list of ")
    return {"number": "numbers", "integer": "integers", "text": "texts", "table": "tables"}.get(name, name)
