"""`wavegrid spectrum`."""

from pathlib import Path
from typing import Annotated

import typer

from wavegrid.cli.guard import guarded


@guarded
def spectrum(
    places: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="A run with a kick or a laser, or kicks for an average."),
    ],
    window: Annotated[
        str, typer.Option(metavar="NAME", help="Damping in time: polynomial, gaussian or exponential.")
    ] = "polynomial",
    width: Annotated[float, typer.Option(metavar="EV", help="Half width of the peaks, but for the polynomial.")] = 0.1,
    most: Annotated[float, typer.Option("--max", metavar="EV", help="The highest energy.")] = 40.0,
    output: Annotated[
        str | None, typer.Option(metavar="FILE.csv", help="Name of the table; default: spectrum.csv in DIR.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Plot (png, pdf, svg).")] = None,
) -> None:
    """Write absorption, dielectric function, or harmonics in a pulse, from runs of [propagate]."""
    from wavegrid.errors import InputError
    from wavegrid.plots import files
    from wavegrid.spectrum import command

    kind = command.window_named(window)
    if not 0 < width < 100 or not 0.1 <= most <= 1000:
        raise InputError("--width or --max is out of range; valid: above 0 to 100 eV, 0.1 to 1000 eV")
    if plot is not None:
        files.check(plot)
    path = command.target(places, output)
    found = command.spectrum(places, kind, width, most)
    command.write(path, found)
    print("\n".join([*command.lines(found), f"written: {path}"]))
    if plot is not None:
        command.plot(plot, found)
        print(f"written: {plot}")
