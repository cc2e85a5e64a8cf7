"""JSON schemas of this project's files: those of pydantic in a form that all editors read."""

import copy
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

DRAFT = "http://json-schema.org/draft-07/schema#"  # the newest that all TOML editors know
DEFAULT_TEXT = "x-default"  # in a field's schema: what an omitted key means, where that is no value


def schema_of(model: type, title: str, mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Return the JSON schema of a model without references, generated titles and null values."""
    made = TypeAdapter(model).json_schema(mode=mode)
    cleaned = _clean(made, made.get("$defs", {}))
    return {"$schema": DRAFT, "title": title} | cleaned


def _clean(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_clean(entry, definitions) for entry in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        referred = definitions[node["$ref"].rpartition("/")[2]]
        node = copy.deepcopy(referred) | {name: value for name, value in node.items() if name != "$ref"}
    if (options := node.get("anyOf")) is not None and {"type": "null"} in options:
        node = _without_null(node, [option for option in options if option != {"type": "null"}])
        return _clean(node, definitions)
    if "prefixItems" in node:  # a tuple, which has a keyword of its own only since draft 2020-12
        node = {("items" if name == "prefixItems" else name): value for name, value in node.items()}
    if DEFAULT_TEXT in node:
        node = node | {"description": f"{node['description']} (default: {node[DEFAULT_TEXT]})"}
    kept = {name: value for name, value in node.items() if name not in ("title", "$defs", DEFAULT_TEXT)}
    if "properties" in kept:
        properties = {name: _clean(value, definitions) for name, value in kept.pop("properties").items()}
        return _clean(kept, definitions) | {"properties": properties}
    return {name: value if name in ("default", "examples", "enum") else _clean(value, definitions)
            for name, value in kept.items()}  # fmt: skip


def _without_null(node: dict[str, Any], options: list[Any]) -> dict[str, Any]:
    """Return a field that may be left out but not be null, which TOML does not have."""
    rest = {name: value for name, value in node.items() if name != "anyOf" and (name, value) != ("default", None)}
    return rest | options[0] | rest if len(options) == 1 else rest | {"anyOf": options}
