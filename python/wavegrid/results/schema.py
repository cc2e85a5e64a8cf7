"""The JSON schema of result.json and the tables of docs/result.md; both from the model."""

import types
import typing
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from wavegrid.base.schemas import schema_of
from wavegrid.results import model

_NAMES = {float: "number", int: "integer", str: "text", bool: "true, false", Any: "any"}
_SHAPES = {
    model.Tensor: "3 x 3 numbers",
    model.FermiLevel: "number or 2 numbers",
}


def result_schema() -> dict[str, Any]:
    """Return the JSON schema of result.json."""
    return schema_of(model.Result, "wavegrid result.json")


def tables() -> dict[str, list[str]]:
    """Return the tables of all keys as lines of Markdown, by part: "result", "energy", "forces.terms", ..."""
    return _tables("result", "", model.Result)


def _tables(name: str, path: str, part: type[BaseModel]) -> dict[str, list[str]]:
    rows = []
    below: dict[str, list[str]] = {}
    for field_name, field in part.model_fields.items():
        key = field.alias or field_name
        optional = "" if field.is_required() else ", optional"
        rows.append(f"| `{key}` | {_type(field.annotation)}{optional} | {_meaning(field)} |")
        if (inner := _part(field.annotation)) is not None:
            place = f"{path}.{key}".lstrip(".")
            below |= _tables(place, place, inner)
    text = " ".join((part.__doc__ or "").split())
    return {name: [text, "", "| key | type | meaning |", "|---|---|---|", *rows]} | below


def _meaning(field: FieldInfo) -> str:
    return " ".join((field.description or "").split())


def _part(annotation: Any) -> type[BaseModel] | None:
    """Return the model inside a type such as `Forces | None` or `list[Measured]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_part, typing.get_args(annotation))), None)


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
    if origin is list:
        return f"list of {_plural(_type(arguments[0]))}"
    return "table"


def _plural(name: str) -> str:
    """Return the type of a list's elements as one names several of them."""
    if name.startswith("list of "):
        return "lists of " + name.removeprefix("list of ")
    return {"number": "numbers", "integer": "integers", "text": "texts", "table": "tables"}.get(name, name)
