"""`wavegrid plan`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from wavegrid.cli.guard import guarded
from wavegrid.cli.options import AsJson, File
from wavegrid.errors import InputError
from wavegrid.launch import mpirun
from wavegrid.process import core_loader


@guarded
def plan(
    file: File,
    nodes: Annotated[str, typer.Option(metavar="N,N,...", help="Numbers of nodes.")] = "1,2,4,8,16,32",
    network: Annotated[
        str, typer.Option(metavar="NAME|FILE.toml", help="Network between the nodes, such as ib-hdr or ethernet.")
    ] = "ib-hdr",
    cores: Annotated[str, typer.Option(metavar="N", help="Cores of a node, one rank on each.")] = "32",
    memory: Annotated[str | None, typer.Option(metavar="GB", help="Memory of a node.")] = None,
    as_json: AsJson = False,
    plot: Annotated[Path | None, typer.Option(metavar="OUT.png", help="Plot the times (.png, .pdf, .svg).")] = None,
) -> None:
    """Predict time, memory and messages of FILE on more nodes, and say how many to ask for. Runs nothing."""
    from wavegrid.display.console import make_console
    from wavegrid.input.features import check as features
    from wavegrid.input.network import named
    from wavegrid.job.prepare import prepare
    from wavegrid.planning import model, report

    counts = sorted({mpirun.parse_count("--nodes", part.strip()) for part in nodes.split(",")})
    machine = model.Nodes(mpirun.parse_count("--cores", cores), named(network), _bytes(memory))
    if plot is not None:
        from wavegrid.plots import files

        files.check(plot, file)
    core = core_loader.load()
    job = prepare(core, file, threads=1, ranks=counts[0] * machine.cores)
    features.check_command("wavegrid plan", job.file, job.problem)
    most = model.limit(core, job)
    counts, beyond = model.split_counts(most, counts, machine.cores)
    found = model.rows(core, job, counts, machine)
    if plot is not None:
        report.save(plot, job, found, machine)
    if as_json:
        print(json.dumps(report.as_json(job, found, machine) | {"left_out": beyond}, indent=1))
        return
    console = make_console()
    console.print(report.table(job, found, machine))
    left_out = [f"left out: {most.refusal(count * machine.cores)}" for count in beyond[:1]]
    for line in [*left_out, *report.lines(job, found, machine), *([f"written: {plot}"] if plot else [])]:
        console.print(line, soft_wrap=True, markup=False, highlight=False)


def _bytes(gigabytes: str | None) -> float | None:
    if gigabytes is None:
        return None
    try:
        value = float(gigabytes)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise InputError(f"--memory {gigabytes}: not a number of GB above zero; valid: such as 256")
    return value * 1e9
