"""`wavegrid defect`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson


@guarded
def defect(
    first: Annotated[Path, typer.Argument(metavar="BULK", help="Run of the perfect supercell.")],
    second: Annotated[Path, typer.Argument(metavar="CHARGED", help="Run of the supercell with the charged defect.")],
    epsilon: Annotated[str, typer.Option(metavar="EPS", help="Dielectric constant, or three along x, y, z.")],
    at: Annotated[
        str | None, typer.Option(metavar="X,Y,Z", help="Place of the charge, fractional; default: by the atoms.")
    ] = None,
    width: Annotated[float, typer.Option(metavar="BOHR", help="Width of the model charge.")] = 1.0,
    as_json: AsJson = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Plot of the potentials (png, pdf, svg).")] = None,
) -> None:
    """Print the corrections of the energy of a charged defect, from two runs with [output] potential."""
    from wavegrid.defect import command
    from wavegrid.errors import InputError
    from wavegrid.plots import defect as plots
    from wavegrid.plots import files

    dielectric = command.dielectric_of(epsilon)
    site = None if at is None else command.site_of(at)
    if not 0.1 <= width <= 10:
        raise InputError(f"--width {width:g}; valid: 0.1 to 10 bohr")
    if plot is not None:
        files.check(plot)
    found = command.correct(first, second, dielectric, site, width)
    print(json.dumps(found.as_dict(), indent=1) if as_json else "\n".join(command.lines(found)))
    if plot is not None:
        files.save(plots.draw([(one.places, one.change, one.model) for one in found.profiles]), plot)
