"""Reads an input file and turns every mistake into one message: file, line, what was found, what is valid."""

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from wavegrid.base.text import megabytes
from wavegrid.errors import InputError, did_you_mean
from wavegrid.files import readable
from wavegrid.input import fields
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.locate import KeyPath, key_lines, line_of
from wavegrid.input.models import Input

_MOST_BYTES = 10_000_000
_DEEPEST = 50  # levels of tables and lists in each other
_LONG_KEY = re.compile(rf"^[ \t]*+\[{{0,2}}(?:[ \t]*+[A-Za-z0-9_-]++[ \t]*+\.){{{_DEEPEST}}}", re.MULTILINE)
_LONG_NUMBER = re.compile(r"[0-9_]{4300,}")


@dataclass(frozen=True)
class Document:
    """An input file: its name, its values, and the line of every key."""

    path: Path
    data: dict[str, Any]
    lines: dict[KeyPath, int]

    def error(self, key: KeyPath, message: str) -> InputError:
        """Return the error that names file and line of a key (or of its nearest parent)."""
        return InputError(f"{self.path}:{line_of(self.lines, key)}: {message}")


def read(path: Path) -> tuple[Document, Input]:
    """Read and validate an input file; raises InputError with the file and the line."""
    document = parsed(path)
    return document, validated(document)


def parsed(path: Path) -> Document:
    """Read an input file without a look at its keys; raises InputError with the file and the line."""
    return _parse(path, _text(path))


def validated(document: Document) -> Input:
    """Return the values of a document as the model has them; raises its error for the first that is not valid."""
    try:
        spec = Input.model_validate(document.data)
    except ValidationError as fault:
        key, message = _explain(document, fault)
        raise document.error(key, message) from None
    for name, message in from_basis(spec.basis).key_faults():
        raise document.error(("basis", name), message)
    return spec


def _text(path: Path) -> str:
    valid = f"valid: the path of an input file (TOML) of up to {megabytes(_MOST_BYTES)}"
    if reason := readable.refusal(path, _MOST_BYTES):
        near = did_you_mean(path.name, readable.neighbours(path, ".toml")) if reason == readable.MISSING else ""
        raise InputError(f"{path}: {reason}; {valid}{near}")
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as fault:
        line = fault.object.count(b"\n", 0, fault.start) + 1
        raise InputError(f"{path}:{line}: not a text in UTF-8; valid: an input file (TOML)") from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read: {fault.strerror}; {valid}") from None


def _parse(path: Path, text: str) -> Document:
    """Return values and lines; refuse what is not TOML, and what Python's reader gives up on."""
    if match := _LONG_KEY.search(text):
        raise _too_deep(path, _line_at(text, match.end()))
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        reason, _, position = str(fault).rpartition(" (at ")
        digits = "".join(c if c.isdigit() else " " for c in position).split()
        line = int(digits[0]) if digits else text.rstrip().count("\n") + 1
        raise InputError(f"{path}:{line}: not valid TOML: {reason or fault}") from None
    except RecursionError:
        raise _too_deep(path, _deep_line(text)) from None
    except ValueError:  # Python refuses to convert more than 4300 digits
        number = _LONG_NUMBER.search(text)
        line = _line_at(text, number.start()) if number else 1
        raise InputError(f"{path}:{line}: a number of more than 4000 digits; valid: a shorter one") from None
    if _depth(data) > _DEEPEST:
        raise _too_deep(path, _deep_line(text))
    return Document(path, data, key_lines(text))


def _too_deep(path: Path, line: int) -> InputError:
    return InputError(f"{path}:{line}: tables or lists in each other too deeply; valid: at most {_DEEPEST} levels")


def _line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _deep_line(text: str) -> int:
    """Return the line where brackets, those in texts too, are first open more often than is valid; 1 if nowhere."""
    depth = 0
    for match in re.finditer(r"[][{}]", text):
        depth += 1 if match[0] in "[{" else -1
        if depth > _DEEPEST:
            return _line_at(text, match.start())
    return 1


def _depth(data: object) -> int:
    """Return how deep tables and lists lie in each other, without recursion; stops soon above what is valid."""
    depth, level = 0, [data]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            value
            for entry in level
            for value in (entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ())
            if isinstance(value, dict | list)
        ]
    return depth


def _explain(document: Document, fault: ValidationError) -> tuple[KeyPath, str]:
    """Return key and message of the mistake to correct first: unknown keys explain missing ones, so they lead."""
    errors = fault.errors(include_url=False)
    first = min(errors, key=lambda e: (e["type"] != "extra_forbidden", line_of(document.lines, e["loc"])))
    key = _in_file(document.data, first["loc"])
    if first["type"] == "extra_forbidden":
        return key, _unknown_key(key)
    valid = f"valid: {fields.valid_values(_field(key))}"
    if first["type"] == "missing":
        return key, f"{_section(key)} lacks '{key[-1]}'; {valid}"
    found = f"{_dotted(key)} = {_shown(first['input'])}"
    if first["type"] == "literal_error":
        return key, f"{found} is unknown; {valid}{_nearest_value(key, first['input'])}"
    reason = str(first["ctx"]["error"]) if first["type"] == "value_error" else _type_reason(first)
    hint = _nearest_key(key) if first["type"] == "model_type" else ""
    return key, f"{found}: {reason}; {valid}{hint}"


def _in_file(data: Any, loc: KeyPath) -> KeyPath:
    """Return a key path without the indices of lists that the file writes as the one element that they have."""
    path: list[str | int] = []
    for part in loc:
        inside = part in data if isinstance(data, dict) else isinstance(data, list) and part in range(len(data))
        if inside or isinstance(part, str):
            path.append(part)
            data = data[part] if inside else None
    return tuple(path)


def _type_reason(error: ErrorDetails) -> str:
    if error["type"] in ("too_short", "too_long"):
        return f"has {error['ctx']['actual_length']} elements"
    reasons = {
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
        elsewhere = [f"[{other}]" for other, model in _sections().items() if name in model.model_fields]
        hint = f"; did you mean '{name}' in {elsewhere[0]}?" if elsewhere else ""
    what = "key" if len(key) > 1 else "section or key"
    return f"unknown {what} '{name}' in {_section(key)}; valid: {', '.join(here)}{hint}"


def _nearest_key(key: KeyPath) -> str:
    """Return the key of a section that may be meant by an entry of it, of which it takes any name."""
    here = list(_model(key[:-1]).model_fields)
    return "" if key[-1] in here else did_you_mean(str(key[-1]), here)


def _nearest_value(key: KeyPath, value: object) -> str:
    return did_you_mean(value, fields.choices(_field(key))) if isinstance(value, str) else ""


def _model(path: KeyPath) -> type[fields.Section]:
    """Return the model that describes the keys under a path."""
    model: type[fields.Section] = Input
    for name in (one for one in path if isinstance(one, str)):
        below = fields.table_of(model.model_fields[name]) if name in model.model_fields else model.entries
        assert below is not None
        model = below
    return model


def _sections() -> dict[str, type[fields.Section]]:
    tables = {name: fields.table_of(field) for name, field in Input.model_fields.items()}
    return {name: table for name, table in tables.items() if table is not None}


def _field(key: KeyPath) -> FieldInfo:
    """Return the deepest field of a path; below that there are only list indices."""
    names = [part for part in key if isinstance(part, str)]
    model = _model(tuple(names[:-1]))
    return model.model_fields.get(names[-1]) or FieldInfo(annotation=model.entries)


def _section(key: KeyPath) -> str:
    names = [part for part in key[:-1] if isinstance(part, str)]
    return f"[{'.'.join(names)}]" if names else "the input file"


def _dotted(key: KeyPath) -> str:
    """Return the key as a reader writes it, without its section: `grid[1]`, `smearing.width`."""
    names = key[1:] if len(key) > 1 else key
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in names).removeprefix(".")


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, default=str, ensure_ascii=False)
    except ValueError:  # Python refuses to write more than 4300 digits
        return "a number of more than 4000 digits"
    return text if len(text) <= 60 else text[:57] + "..."
