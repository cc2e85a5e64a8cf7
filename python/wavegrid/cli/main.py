"""The `wavegrid` command. One module per subcommand."""

import json
import os
from typing import Annotated

import typer

from wavegrid.cli import bench, checkpoint, compare, defect, help, partition, plan, report, run, schema, spectrum, trace
from wavegrid.cli.guard import EPILOG, guarded
from wavegrid.cli.options import AsJson
from wavegrid.cli.usage import Program
from wavegrid.process import core_loader

app = typer.Typer(
    cls=Program,
    help="Plane-wave density-functional theory on many ranks.",
    epilog=EPILOG,
    no_args_is_help=True,
    rich_markup_mode=None,  # its libraries take three times as long to import as all else together
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
app.add_typer(bench.app, name="bench")
app.add_typer(checkpoint.app, name="checkpoint")
calculations = (run.run, run.check, plan.plan, partition.partition)
for command in (
    *calculations,
    report.report,
    compare.compare,
    spectrum.spectrum,
    defect.defect,
    trace.trace,
    schema.schema,
):
    app.command(epilog=EPILOG)(command)
app.command(name="help", epilog=EPILOG)(help.help_)
app.command(epilog=EPILOG)(help.completion)
if help.COMPLETE in os.environ:
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()


def _print_version(asked: bool) -> None:
    if asked:
        import wavegrid

        print(f"wavegrid {wavegrid.__version__}")
        raise typer.Exit


@app.callback()
def options(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Plane-wave density-functional theory on many ranks."""


@app.command(epilog=EPILOG)
@guarded
def version(as_json: AsJson = False) -> None:
    """Print the versions of wavegrid and of the libraries it uses."""
    import wavegrid

    versions = {"wavegrid": wavegrid.__version__, **core_loader.load().versions()}
    if as_json:
        print(json.dumps(versions, indent=1))
    else:
        print("\n".join(f"{name} {text}" for name, text in versions.items()))
