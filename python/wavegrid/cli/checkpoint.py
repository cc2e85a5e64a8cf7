"""`wavegrid checkpoint`: show, verify and export checkpoint files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wavegrid.base.text import counted, printable
from wavegrid.cli.guard import EPILOG, guarded
from wavegrid.cli.usage import Group
from wavegrid.errors import InputError, did_you_mean

app = typer.Typer(
    cls=Group,
    rich_markup_mode=None,
    help="Show, verify and export the checkpoints that `wavegrid run` writes (docs/checkpoint.md).",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A checkpoint, for example al108/checkpoint.h5.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
_KINDS = ("cube", "xsf")


@app.command(epilog=EPILOG)
@guarded
def info(file: File, as_json: AsJson = False) -> None:
    """Print the content of FILE: crystal, k-points, bands, cutoff, grid, energy, sizes. Reads no wave functions."""
    from wavegrid.checkpoint import summary

    figures = summary.info(file)
    print(json.dumps(figures, indent=1) if as_json else "\n".join(map(printable, summary.lines(figures))))


@app.command(epilog=EPILOG)
@guarded
def verify(file: File, as_json: AsJson = False) -> None:
    """Read all of FILE: checksums, structure, norms of the bands, electrons in the density. Exit code 2 if damaged."""
    from wavegrid.checkpoint.verify import verify as verify_file

    figures = verify_file(file)
    if as_json:
        print(json.dumps(figures, indent=1))
        return
    sizes = f"{counted(figures['datasets'], 'dataset')}, {counted(figures['blocks'], 'block')}"
    error = figures["norm_error"]
    norms = "bands have the overlap of their datasets" if error is None else f"norms are 1 within {error:.1e}"
    electrons = counted(round(figures["electrons_in_density"], 6), "electron")
    print(f"{file}: intact, {sizes}; {norms}, {electrons}; {figures['seconds']:.2f} s")


@app.command(epilog=EPILOG)
@guarded
def export(
    file: File,
    density: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Format of the density, with spin of the magnetisation too: cube, xsf"),
    ] = None,
    qe: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Quantum ESPRESSO's wfcN.hdf5 into DIR, one for each k-point.")
    ] = None,
    full: Annotated[
        Path | None, typer.Option(metavar="OUT.h5", help="A checkpoint with the whole sphere instead of half of it.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Directory of the density; default: that of FILE.")
    ] = None,
) -> None:
    """Write FILE in the formats of other programs, verifying it. Replaces only files that an export wrote."""
    from wavegrid.export import checkpoint as exports

    if density is None and qe is None and full is None:
        raise InputError("nothing to export; valid: --density cube, --density xsf, --qe DIR or --full OUT.h5")
    if density is not None and density not in _KINDS:
        raise InputError(f"--density {density} is unknown; valid: {', '.join(_KINDS)}{did_you_mean(density, _KINDS)}")
    if output is not None and density is None:
        raise InputError("--output without --density; valid: with --density, or left out")
    written = exports.density(file, density, output or file.parent) if density is not None else []
    written += exports.quantum_espresso(file, qe) if qe is not None else []
    written += exports.full(file, full) if full is not None else []
    for path in written:
        print(f"written: {path}")
