"""`wavegrid schema`."""

from pathlib import Path
from typing import Annotated

import typer

import wavegrid
from wavegrid.cli.guard import guarded
from wavegrid.errors import InputError, did_you_mean

_NAMES = ("input", "result")


@guarded
def schema(name: Annotated[str, typer.Argument(metavar="NAME", help="input or result")]) -> None:
    """Print the JSON schema of the input file, which editors understand, or of result.json."""
    if name not in _NAMES:
        raise InputError(f"schema {name}: unknown; valid: {', '.join(_NAMES)}{did_you_mean(name, _NAMES)}")
    print((Path(wavegrid.__file__).parent / "data" / f"{name}.schema.json").read_text(), end="")
