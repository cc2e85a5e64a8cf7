"""Reads an input file and turns every fault into one message: file, line, what was found, what is valid."""

import json
import tomllib
import types
import typing
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError

from wavegrid.errors import InputError, did_you_mean
from wavegrid.input.locate import KeyPath, key_lines, line_of
from wavegrid.input.models import Input


@dataclass(frozen=True)
class Document:
    """An input file: its name, its values, and the line of every key."""

    path: Path
    data: dict
    lines: dict[KeyPath, int]

    def error(self, key: KeyPath, message: str) -> InputError:
        """Return the error that names file and line of a key (or of its nearest parent)."""
        return InputError(f"{self.path}:{line_of(self.lines, key)}: {message}")


def read(path: Path) -> tuple[Document, Input]:
    """Read and validate an input file; raises InputError with the file and the line."""
    document = _parse(path, _text(path))
    try:
        return document, Input.model_validate(document.data)
    except ValidationError as fault:
        key, message = _explain(document, fault)
        raise document.error(key, message) from None


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode().replace("\r\n", "\n")
    except FileNotFoundError:
        siblings = [entry.name for entry in path.parent.glob("*.toml")] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, siblings)
        raise InputError(f"{path}: no such file; valid: the path of an input file (TOML){hint}") from None
    except UnicodeDecodeError as fault:
        line = fault.object.count(b"\n", 0, fault.start) + 1
        raise InputError(f"{path}:{line}: not a text in UTF-8; valid: an input file (TOML)") from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read: {fault.strerror}") from None


def _parse(path: Path, text: str) -> Document:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        reason, _, position = str(fault).rpartition(" (at ")
        digits = "".join(c if c.isdigit() else " " for c in position).split()
        line = int(digits[0]) if digits else text.rstrip().count("\n") + 1
        raise InputError(f"{path}:{line}: not valid TOML: {reason or fault}") from None
    return Document(path, data, key_lines(text))


def _explain(document: Document, fault: ValidationError) -> tuple[KeyPath, str]:
    """Return key and message of the fault to mend first: unknown keys explain missing ones, so they lead."""
    errors = fault.errors(include_url=False)
    first = min(errors, key=lambda e: (e["type"] != "extra_forbidden", line_of(document.lines, e["loc"])))
    key = first["loc"]
    if first["type"] == "extra_forbidden":
        return key, _unknown_key(key)
    valid = f"valid: {_description(key)}"
    if first["type"] == "missing":
        return key, f"{_section(key)} lacks '{key[-1]}'; {valid}"
    found = f"{_dotted(key)} = {_shown(first['input'])}"
    if first["type"] == "literal_error":
        return key, f"{found} is unknown; {valid}{_nearest_value(key, first['input'])}"
    reason = str(first["ctx"]["error"]) if first["type"] == "value_error" else _type_reason(first)
    return key, f"{found}: {reason}; {valid}"


def _type_reason(error: dict) -> str:
    if error["type"] in ("too_short", "too_long"):
        return f"has {error['ctx']['actual_length']} elements"
    reasons = {
        "string_type": "not a text",
        "string_too_short": "empty",
        "list_type": "not a list",
        "bool_type": "neither true nor false",
    }
    return reasons.get(error["type"], "not a table")


def _unknown_key(key: KeyPath) -> str:
    """Name the unknown key, the valid ones, and the nearest: in its own section first, then anywhere."""
    name, section = str(key[-1]), _model(key[:-1])
    here = list(section.model_fields)
    hint = did_you_mean(name, here)
    if not hint:
        elsewhere = [f"[{home}]" for home, model in _sections().items() if name in model.model_fields]
        hint = f"; did you mean '{name}' in {elsewhere[0]}?" if elsewhere else ""
    what = "key" if len(key) > 1 else "section or key"
    return f"unknown {what} '{name}' in {_section(key)}; valid: {', '.join(here)}{hint}"


def _nearest_value(key: KeyPath, value: object) -> str:
    annotation = _model(key[:-1]).model_fields[str(key[-1])].annotation
    options = [option for option in _flatten(annotation) if isinstance(option, str)]
    return did_you_mean(value, options) if isinstance(value, str) else ""


def _flatten(annotation: object) -> list:
    """Return the literal values inside a type such as Literal["a", "b"] | None."""
    if typing.get_origin(annotation) is typing.Literal:
        return list(typing.get_args(annotation))
    return [value for part in typing.get_args(annotation) for value in _flatten(part)]


def _model(path: KeyPath) -> type[BaseModel]:
    """Return the model that describes the keys under a path."""
    model: type[BaseModel] = Input
    for name in path:
        parts = typing.get_args(model.model_fields[str(name)].annotation) or (model.model_fields[str(name)].annotation,)
        model = next(part for part in parts if part is not types.NoneType)
    return model


def _sections() -> dict[str, type[BaseModel]]:
    fields = {name: field.annotation for name, field in Input.model_fields.items()}
    return {name: kind for name, kind in fields.items() if isinstance(kind, type) and issubclass(kind, BaseModel)}


def _description(key: KeyPath) -> str:
    """Return the description of the deepest field of a path; below that there are only list indices."""
    names = [part for part in key if isinstance(part, str)]
    return _model(tuple(names[:-1])).model_fields[names[-1]].description or ""


def _section(key: KeyPath) -> str:
    return f"[{'.'.join(map(str, key[:-1]))}]" if len(key) > 1 else "the input file"


def _dotted(key: KeyPath) -> str:
    """Return the key as a reader writes it, without its section: `grid[1]`, `smearing.width`."""
    names = key[1:] if len(key) > 1 else key
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in names).removeprefix(".")


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
