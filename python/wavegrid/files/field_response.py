"""What of a response to electric fields is done: the file grows by one field after the other."""

import json
from pathlib import Path
from typing import Any

from wavegrid.errors import InputError
from wavegrid.files import store
from wavegrid.files.names import BORN_FIELDS

_WRITER = "response to electric fields, by wavegrid"


class FieldTable:
    """Writes the file while the core reports."""

    def __init__(self, path: Path, identity: str, known: list[dict[str, Any]], token: str) -> None:
        """Of an input with this identity (JSON); `known`: fields of an earlier run."""
        self._path, self._identity, self._fields, self._token = path, identity, list(known), token

    def add(self, report: Any) -> None:
        """Add a field as the core reports it; raises EnvironmentFault where it cannot be written."""
        self._fields.append({name: report[name] for name in ("axis", "dielectric", "charges", "iterations", "error")})
        content = {"written": _WRITER, "identity": self._identity, "fields": self._fields}
        store.write(self._path, json.dumps(content, indent=1).encode(), self._token, in_run=True)


def known(restart: str, identity: str) -> list[dict[str, Any]]:
    """Return the fields that were done in the directory of a checkpoint, by a run with the same input."""
    path = Path(restart).with_name(BORN_FIELDS)
    try:
        content = json.loads(path.read_text())
        fields: list[dict[str, Any]] = content["fields"] if content["identity"] == identity else []
        return [one for one in fields if one["axis"] in (0, 1, 2) and one["charges"] and len(one["dielectric"]) == 3]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(f"{path}: is damaged; valid: remove it, and its fields are computed again") from None
