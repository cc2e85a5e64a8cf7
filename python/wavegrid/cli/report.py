"""`wavegrid report`."""

from pathlib import Path
from typing import Annotated

import typer

from wavegrid.cli.guard import guarded


@guarded
def report(
    place: Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a run, or its result.json.")],
    output: Annotated[
        str | None, typer.Option(metavar="OUT.html", help="Name of the page; default: report.html in DIR.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Timeline of the run (`run --trace`): its traffic is shown too.")
    ] = None,
) -> None:
    """Write a result with its plots as one HTML page that needs no other file."""
    from wavegrid.html_report import build
    from wavegrid.trace import summary

    path = build.target(place, output)
    timeline = None if trace is None else summary.read(trace)
    build.write(path, build.build(place, timeline))
    print(f"written: {path}")
