"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from wavegrid.launch import mpirun

File = Annotated[Path, typer.Argument(metavar="FILE", help="Input file (TOML), for example examples/al108.toml.")]
Ranks = Annotated[str | None, typer.Option(metavar="N", help="MPI ranks; default: as many as usable cores / threads.")]
Threads = Annotated[str, typer.Option(metavar="T", help="Threads per rank.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse what only brings a warning otherwise.")]


def count(option: str, text: str | None) -> int | None:
    """Return the number that an option was given, or None where it was left out; raises InputError."""
    return None if text is None else mpirun.parse_count(option, text)
