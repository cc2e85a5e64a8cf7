"""`wavegrid bench`: one command per benchmark."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wavegrid.guard import EPILOG, guarded

app = typer.Typer(help="Measure the library beside its peers on this machine.", no_args_is_help=True)


@app.callback()
def _benchmarks() -> None:
    """Keep `fft` a word of its own while there is only one benchmark."""


def _list(metavar: str, text: str) -> object:
    return typer.Option(metavar=metavar, help=text)


@app.command(epilog=EPILOG)
@guarded
def fft(
    case: Annotated[str, _list("NAME,...", "Of 48, 80, 128, 128b, 192, or N:RADIUS.")] = "48,80,128,128b,192",
    ranks: Annotated[str | None, _list("N,...", "MPI ranks, each with each of --threads.")] = None,
    threads: Annotated[str | None, _list("T,...", "Threads per rank; default: 1x1, 2x1 and 1x2.")] = None,
    bands: Annotated[str, _list("B,...", "Bands per call.")] = "1,32",
    mode: Annotated[str, _list("NAME,...", "gamma, complex")] = "gamma,complex",
    scheme: Annotated[str, _list("NAME", "wavegrid's partition: greedy, cyclic, balanced, optimized.")] = "greedy",
    repeats: Annotated[str, _list("N", "Samples of each library.")] = "5",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")] = False,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the ratios (png, pdf, svg).")] = None,
) -> None:
    """Time one H application (backward, product, forward) of wavegrid, SpFFT and dense FFTW, per band.

    Ratios are medians over FFTW's dense in-place complex pair on one rank and one thread, measured in the same run.
    """
    from wavegrid.bench import fft as bench
    from wavegrid.bench import picture as pictures
    from wavegrid.bench import request as requests
    from wavegrid.bench import show

    asked = requests.read_request(case, ranks, threads, bands, mode, scheme, repeats)
    if picture is not None:
        pictures.check(picture)
    result = bench.measure(asked)
    if picture is not None:
        pictures.draw(picture, result.rows)
    if as_json:
        print(json.dumps(result.rows, indent=1))
    else:
        show.print_result(asked, result, picture)
