"""`wavegrid trace`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson


@guarded
def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of `wavegrid run --trace FILE`.")],
    as_json: AsJson = False,
    plot: Annotated[
        str | None, typer.Option(metavar="OUT.png", help="Plot the traffic and the phases (.png, .pdf, .svg).")
    ] = None,
) -> None:
    """Print the seconds of each phase on each rank and the bytes sent from rank to rank."""
    from wavegrid.trace import summary

    if plot is not None:
        from wavegrid.plots import files
        from wavegrid.plots import trace as plots

        files.check(Path(plot), file)
    figures = summary.read(file)
    if plot is not None:
        plots.save(figures, Path(plot))
    if as_json:
        print(json.dumps(figures, indent=1))
        return
    from wavegrid.display.console import make_console

    console = make_console()
    for part in summary.show(figures):
        console.print(part)
    if plot is not None:
        print(f"written: {plot}")
