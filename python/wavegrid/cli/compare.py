"""`wavegrid compare`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson


@guarded
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A result.json, or its directory.")],
    second: Annotated[
        Path, typer.Argument(metavar="B", help="Another one, or the main output of pw.x or ABINIT for the same case.")
    ],
    as_json: AsJson = False,
) -> None:
    """Print what differs between two results: settings, energies by term, eigenvalues, forces, stress, time."""
    from wavegrid.comparison import differences, read, show
    from wavegrid.launch.progress import make_console

    found = differences.compare(read.read(first), read.read(second))
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        show.show(make_console(), found)
