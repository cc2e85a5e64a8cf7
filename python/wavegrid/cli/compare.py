"""`wavegrid compare`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson
from wavegrid.errors import InputError


@guarded
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A result.json, or its directory.")],
    second: Annotated[
        Path | None,
        typer.Argument(metavar="[B]", help="Another one, or the main output of pw.x or ABINIT for the same case."),
    ] = None,
    as_json: AsJson = False,
    input_for: Annotated[
        str | None,
        typer.Option(metavar="qe|abinit", help="Write the input of pw.x or ABINIT for the input file A instead."),
    ] = None,
    output: Annotated[
        str | None, typer.Option(metavar="DIR", help="Where --input-for writes; default: NAME_qe or NAME_abinit.")
    ] = None,
) -> None:
    """Print what differs between two results: settings, energies by term, eigenvalues, forces, stress, time."""
    if input_for is not None:
        if second is not None or as_json:
            extra = "--json" if second is None else f"'{second}'"
            raise InputError(f"--input-for with {extra}; valid: an input file alone")
        _write_input(first, input_for, output)
        return
    if output is not None:
        raise InputError("--output without --input-for; valid: with it")
    if second is None:
        raise InputError(f"compare {first}: one result; valid: two, or an input file with --input-for qe or abinit")
    from wavegrid.comparison import differences, read, show
    from wavegrid.display.console import make_console

    found = differences.compare(read.read(first), read.read(second))
    if as_json:
        try:
            print(json.dumps(found, indent=1, allow_nan=False))
        except ValueError:
            message = f"{first}, {second}: differences above 1e308; valid: files without damage"
            raise InputError(message) from None
    else:
        show.show(make_console(), found)


def _write_input(file: Path, program: str, directory: str | None) -> None:
    from wavegrid.comparison.inputs import write
    from wavegrid.process import core_loader

    write.check_program(program)
    for line in write.write(core_loader.load(), file, program, directory):
        print(line)
