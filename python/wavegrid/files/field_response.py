"""What of a response to electric fields is done."""

from pathlib import Path
from typing import Any

from wavegrid.files.done import DoneFile, Part
from wavegrid.files.names import BORN_FIELDS


def _checked(field: Part) -> Part:
    if field["axis"] not in (0, 1, 2) or not field["charges"] or len(field["dielectric"]) != 3:
        raise ValueError(field["axis"])
    return field


FILE = DoneFile(BORN_FIELDS, "response to electric fields", "fields", _checked)


class FieldTable:
    """Writes the file while the core reports."""

    def __init__(self, directory: Path, identity: str, known: list[Part], token: str) -> None:
        """Of an input with this identity (JSON); `known`: fields of an earlier run."""
        self._directory, self._identity, self._fields, self._token = directory, identity, list(known), token

    def add(self, report: Any) -> None:
        """Add a field as the core reports it; raises EnvironmentFault where it cannot be written."""
        self._fields.append({name: report[name] for name in ("axis", "dielectric", "charges", "iterations", "error")})
        FILE.write(self._directory, self._identity, self._fields, self._token)
