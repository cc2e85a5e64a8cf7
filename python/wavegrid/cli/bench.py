"""`wavegrid bench`: one command per benchmark."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wavegrid.cli.guard import EPILOG, guarded
from wavegrid.cli.usage import Group
from wavegrid.errors import InputError

app = typer.Typer(
    cls=Group,
    rich_markup_mode=None,
    help="Measure the library, compared with others, on this machine.",
    no_args_is_help=True,
)


def _list(metavar: str, text: str) -> object:
    return typer.Option(metavar=metavar, help=text)


@app.command(epilog=EPILOG)
@guarded
def fft(
    case: Annotated[str, _list("NAME,...", "Of 48, 80, 128, 128b, 192, or N:RADIUS; or small.")] = "48,80,128,128b,192",
    ranks: Annotated[str | None, _list("N,...", "MPI ranks, combined with each of --threads.")] = None,
    threads: Annotated[
        str | None, _list("T,...", "Threads per rank; default of ranks x threads: 1x1, 2x1 and 1x2.")
    ] = None,
    bands: Annotated[str | None, _list("B,...", "Bands per call; default: 1,32, of small 4,8,16.")] = None,
    mode: Annotated[str, _list("NAME,...", "gamma, complex")] = "gamma,complex",
    scheme: Annotated[str, _list("NAME", "wavegrid's partition: greedy, cyclic, balanced, optimized.")] = "greedy",
    repeats: Annotated[str, _list("N", "Samples of each library.")] = "5",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Plot the ratios (png, pdf, svg).")] = None,
) -> None:
    """Time one H application (backward, product, forward) of wavegrid, SpFFT and dense FFTW, per band.

    Ratios are to the fastest of several plans of FFTW's dense in-place complex pair on one rank and one thread in the
    same run. Times are the least of the repeats, with one rank of one thread on the thread's own clock. `small` is one
    rank with the grids of primitive cells, 12 to 36 points per side.
    """
    from wavegrid.bench import fft as bench
    from wavegrid.bench import fft_plots as bench_fft
    from wavegrid.bench import request as requests
    from wavegrid.bench import show
    from wavegrid.plots import files

    asked = requests.read_request(case, ranks, threads, bands, mode, scheme, repeats)
    if plot is not None:
        files.check(plot)
    result = bench.measure(asked)
    if plot is not None:
        bench_fft.draw(plot, result.rows)
    if as_json:
        print(json.dumps(result.rows, indent=1))
    else:
        show.print_result(asked, result, plot)


@app.command(epilog=EPILOG)
@guarded
def transpose(
    case: Annotated[str, _list("NAME,...", "Of al108, al500, cp2k, or N:RADIUS (Gamma).")] = "al108,al500,cp2k",
    ranks: Annotated[str, _list("N,...", "MPI ranks, from 2.")] = "2,4,8,16",
    transport: Annotated[str | None, _list("NAME,...", "Default: all; the choice of auto is always added.")] = None,
    partition: Annotated[str, _list("NAME", "auto, greedy, balanced, optimized, cyclic.")] = "auto",
    context: Annotated[str, _list("NAME,...", "isolated, scf")] = "isolated,scf",
    block: Annotated[str | None, _list("B", "Bands per exchange; default: that of the transforms.")] = None,
    repeats: Annotated[str, _list("N", "Samples of each transport.")] = "5",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Plot the times (png, pdf, svg).")] = None,
) -> None:
    """Time all transposes of one block of bands by every transport, alone and inside H applications.

    isolated: both transposes, backward and forward, with a barrier before each. scf: the exchanges of applications of
    the local potential (backward, product, forward) to one block after another without barriers, as in the SCF loop,
    waiting times included. Both are times of the slowest rank; the transport that auto chooses is marked.
    """
    from wavegrid.bench import transpose as bench
    from wavegrid.bench import transpose_plots as bench_transpose
    from wavegrid.bench import transpose_request as requests
    from wavegrid.bench import transpose_show
    from wavegrid.plots import files

    every = ",".join(requests.TRANSPORTS)
    asked = requests.read_request(case, ranks, transport or every, partition, context, block, repeats)
    if plot is not None:
        files.check(plot)
    result = bench.measure(asked, overlap=not as_json)
    if plot is not None:
        blocks = {(auto["case"], auto["ranks"]): auto["block"] for auto in result.autos}
        bench_transpose.draw(plot, result.rows, blocks)
    if as_json:
        print(json.dumps(result.json_rows(), indent=1))
    else:
        transpose_show.print_result(asked, result, plot)


@app.command(epilog=EPILOG)
@guarded
def halo(
    case: Annotated[
        str, _list("NAME,...", "Of neighbours, stencil, overlap, chain, octopus.")
    ] = "neighbours,stencil,overlap",
    ranks: Annotated[
        str | None, _list("N,...", "MPI ranks, not of octopus; default: 2,4,8,16, of chain 16,32,64.")
    ] = None,
    parts: Annotated[str, _list("N,...", "Parts of octopus.")] = "2,4,8,16,32,64,128,256,512",
    transport: Annotated[str | None, _list("NAME,...", "Default: all; of chain: the choice of auto.")] = None,
    order: Annotated[
        str | None, _list("N,...", "Of the finite differences: 2 to 12; default: 8,12, of octopus 4,8,12.")
    ] = None,
    machine: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of bench machine, for the estimates of octopus; default: InfiniBand SDR."),
    ] = None,
    width: Annotated[str, _list("N", "States per block.")] = "16",
    edge: Annotated[str, _list("N", "Points per edge of the cubic mesh, not of octopus.")] = "48",
    repeats: Annotated[str, _list("N", "Samples of each time.")] = "5",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Plot octopus (png, pdf, svg).")] = None,
) -> None:
    """Time halo exchanges of meshes, alone and in a run, and count them for the cylinder of a paper.

    neighbours: messages of 8 B to 1 MB with 10 neighbours by every transport. stencil: finite differences on a block of
    states, compared with the bandwidth of memory. overlap: both together, with and without overlap, and the original in
    three steps, state by state. chain: a whole calculation of a chain of Li and H, and the shares of halo exchanges,
    other exchanges and reductions in its time. octopus: a cylinder of 1.2 million points divided by METIS; needs no
    ranks.
    """
    from wavegrid.bench import halo as bench
    from wavegrid.bench import halo_plots as bench_halo
    from wavegrid.bench import halo_request as requests
    from wavegrid.bench import halo_show
    from wavegrid.plots import files

    asked = requests.read_request(case, ranks, parts, transport, order, machine, width, edge, repeats)
    if plot is not None:
        files.check(plot)
        if "octopus" not in asked.cases:
            raise InputError(f"--plot {plot}: there is no plot of these cases; valid: with --case octopus")
    if machine is not None and "octopus" not in asked.cases:
        raise InputError(f"--machine {machine}: these cases have no estimates; valid: with --case octopus")
    result = bench.measure(asked)
    if plot is not None:
        bench_halo.draw(plot, [row for row in result.rows if row["context"] == "octopus"])
    if as_json:
        print(json.dumps(result.rows, indent=1))
    else:
        halo_show.print_result(asked, result, plot)


@app.command(epilog=EPILOG)
@guarded
def checkpoint(
    case: Annotated[str, _list("NAME,...", "Of al2x2 (0.94 GB), small (25 MB), tiny.")] = "al2x2",
    ranks: Annotated[str, _list("N,...", "MPI ranks.")] = "1,2,4,8,16",
    directory: Annotated[Path, _list("DIR", "Where the files are written, in a temporary directory.")] = Path("."),
    aggregators: Annotated[
        str, _list("N,...", "Ranks of a k-point group that write and read; auto: one per node.")
    ] = "auto",
    buffer: Annotated[str, _list("MIB,...", "Buffer of a rank; auto: the default of the library.")] = "auto",
    kpoint_groups: Annotated[str, _list("N", "Groups of ranks for the k-points, at most as many as ranks.")] = "1",
    repeats: Annotated[str, _list("N", "Samples of each method.")] = "5",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")] = False,
) -> None:
    """Time writing and reading a checkpoint, compared with plain writes and reads of as many bytes by one process.

    All methods are measured in turn in the same run: through a few ranks (aggregated), all bands through one rank
    (root), and plain (raw). A write ends when the file is on the disk; files are removed from the cache before they are
    read.
    """
    from wavegrid.bench import checkpoint as bench
    from wavegrid.bench import checkpoint_request as requests
    from wavegrid.bench import checkpoint_show

    asked = requests.read_request(case, ranks, directory, aggregators, buffer, kpoint_groups, repeats)
    result = bench.measure(asked)
    if as_json:
        print(json.dumps(result.json_rows(), indent=1))
    else:
        checkpoint_show.print_result(asked, result)


@app.command(epilog=EPILOG)
@guarded
def boxes(
    case: Annotated[
        str | None, _list("NAME", "onetep (13696 boxes) or onetep-small, instead of the next three options.")
    ] = None,
    boxes: Annotated[str, _list("N", "Boxes of each rank.")] = "64",
    size: Annotated[str, _list("N,...", "Grid points per edge of a box.")] = "20",
    overlap: Annotated[str, _list("X,...", "Boxes that contain a grid point, in the mean.")] = "4",
    layout: Annotated[str, _list("RxT,...", "MPI ranks x threads per rank.")] = "16x1,8x2,4x4,2x8",
    method: Annotated[
        str | None, _list("NAME,...", "planned_union, two_sided, lock, flush, flush_local; default: all.")
    ] = None,
    transport: Annotated[str, _list("NAME,...", "Of planned_union.")] = "shared",
    deterministic: Annotated[bool, typer.Option("--deterministic", help="Also planned_union in this mode.")] = False,
    repeats: Annotated[str, _list("N", "Samples of each method.")] = "5",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")] = False,
) -> None:
    """Time deposits of boxes into the grid of the cell, and extracts from it, by every method.

    All methods move the same boxes and are compared with each other; threads fill and read the boxes.
    """
    from wavegrid.bench import boxes as bench
    from wavegrid.bench import boxes_request as requests
    from wavegrid.bench import boxes_show

    asked = requests.read_request(
        case, boxes, size, overlap, layout, method, transport, repeats, deterministic=deterministic
    )
    result = bench.measure(asked)
    if as_json:
        print(json.dumps(result.json_rows(), indent=1))
    else:
        boxes_show.print_result(asked, result)


@app.command(epilog=EPILOG)
@guarded
def machine(
    ranks: Annotated[str, _list("N", "MPI ranks; messages go between two of them.")] = "2",
    repeats: Annotated[str, _list("N", "Samples of each time; the best counts.")] = "20",
    out: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="For plan --network and [parallel].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")] = False,
) -> None:
    """Measure messages by a ping-pong, memory, FFTs and matrix products, for `plan --network FILE`.

    Latency and bandwidth are fitted with equal relative errors from 8 B to 4 MB; o and g are those of LogGP. Between
    nodes, start bench_machine by the launcher of the batch system (docs/clusters.md).
    """
    from wavegrid.bench import machine as bench
    from wavegrid.bench import machine_show
    from wavegrid.launch.mpirun import parse_count

    if out is not None and out.suffix != ".toml":
        raise InputError(f"--out {out}: not a TOML file; valid: FILE.toml")
    result = bench.measure(parse_count("--ranks", ranks), parse_count("--repeats", repeats))
    if out is not None:
        bench.save(out, result)
    if as_json:
        print(json.dumps({"messages": result.messages, "rates": result.rates}, indent=1))
    else:
        machine_show.print_result(result, out)
