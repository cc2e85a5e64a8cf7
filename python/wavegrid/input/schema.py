"""The JSON schema of the input file for editors, and the tables of docs/input.md; both from the model."""

from typing import Any

from pydantic.fields import FieldInfo

from wavegrid.base.schemas import DEFAULT_TEXT, schema_of
from wavegrid.input.fields import Section, kind_of, table_of, toml
from wavegrid.input.models import Input


def input_schema() -> dict[str, Any]:
    """Return the JSON schema of the input file."""
    return schema_of(Input, "wavegrid input file")


def tables() -> dict[str, list[str]]:
    """Return the tables of all keys as lines of Markdown, by section: "input", "structure", "electrons.kpoints", ..."""
    found = {"input": _table({name: f for name, f in Input.model_fields.items() if table_of(f) is None})}
    for name, field in Input.model_fields.items():
        found |= _tables_below(name, table_of(field))
    return found


def _tables_below(path: str, section: type[Section] | None) -> dict[str, list[str]]:
    if section is None:
        return {}
    found = {path: _table(section.model_fields)}
    found |= _tables_below(f"{path}.ELEMENT", section.entries)
    for name, field in section.model_fields.items():
        found |= _tables_below(f"{path}.{name}", table_of(field))
    return found


def _table(fields: dict[str, FieldInfo]) -> list[str]:
    rows = [
        f"| `{name}` | {kind_of(field).name} | {_default(field)} | {field.description} |"
        for name, field in fields.items()
    ]
    return ["| key | type | default | meaning |", "|---|---|---|---|", *rows]


def _default(field: FieldInfo) -> str:
    """Return the default as the input file writes it, or what happens without the key."""
    extra = field.json_schema_extra
    if isinstance(extra, dict) and DEFAULT_TEXT in extra:
        return str(extra[DEFAULT_TEXT])
    if field.is_required():
        return "required"
    return "" if field.default is None else toml(field.default)
