"""Reads files of earlier versions of the format."""

from typing import Any

# Names of the terms of energy, forces and stress in version 3 -> present ones.
_NAMES = {"ewald": "ion_ion", "smearing": "entropy"}


def present(content: Any) -> Any:
    """Return the content of a file of version 3 as one of version 4; anything else unchanged."""
    if not isinstance(content, dict) or content.get("schema_version") != 3:
        return content
    content = content | {"schema_version": 4}
    if "energy" in content:
        content["energy"] = _renamed(content["energy"])
    for name in ("forces", "stress"):
        if isinstance(part := content.get(name), dict) and "terms" in part:
            content[name] = part | {"terms": _renamed(part["terms"])}
    return content


def _renamed(terms: Any) -> Any:
    return {_NAMES.get(name, name): value for name, value in terms.items()} if isinstance(terms, dict) else terms
