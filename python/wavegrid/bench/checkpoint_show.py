"""The output of `wavegrid bench checkpoint`: machine and versions, one table, explanations."""

from rich.table import Table

from wavegrid.bench.checkpoint import Result
from wavegrid.bench.checkpoint_request import CASES, Request
from wavegrid.bench.program import Row
from wavegrid.bench.show import print_machine, warnings
from wavegrid.display.console import make_console

_WHAT = ("write", "read")
_MEANING = (
    "raw: plain writes by one process and fsync; plain reads by one process; the same number of bytes",
    "aggregated: write_checkpoint as runs use it; root: all bands to one rank, one after the other",
    "no file is in the cache of this system when it is read; a host's cache below may still have it",
    "extra MiB: growth of the resident memory, of the rank that takes most",
)


def print_result(request: Request, result: Result) -> None:
    """Print everything to stdout."""
    console = make_console()
    console.print("checkpoints: seconds from the start of all ranks to the end of the last", style="bold")
    print_machine(console, result.versions)
    console.print(f"  medians of {request.repeats} and slowest minus fastest, taken in turn; in {request.directory}")
    for line in (*(f"{name}: {CASES[name]}" for name in request.cases), *_MEANING):
        console.print(f"  {line}", style="dim", highlight=False)
    console.print(table(result))
    for note in warnings(max(request.ranks), result.load):
        console.print(note, highlight=False)


def table(result: Result) -> Table:
    """Return one line per case, ranks and method, with writing and reading side by side."""
    grid = Table("case", "ranks", "method")
    figures = ("s", "spread", "ratio", "extra MiB")
    for head in ("aggregators", "buffer", *(f"{what} {one}" for what in _WHAT for one in figures)):
        grid.add_column(head, justify="right")
    written, read = ([row for row in result.rows if row["what"] == what] for what in _WHAT)
    last = None
    for one, other in zip(written, read, strict=True):
        place = (one["case"], str(one["ranks"]))
        if last not in (None, place):
            grid.add_section()
        last = place
        ours = one["method"] == "aggregated"
        settings = (str(one["aggregators"] or "auto"), f"{one['buffer_mib']} MiB") if ours else ("", "")
        grid.add_row(*place, one["method"], *settings, *_figures(one), *_figures(other), style="bold" if ours else None)
    return grid


def _figures(row: Row) -> list[str]:
    numbers = [f"{row['seconds']:.3f}", f"{row['spread']:.3f}", f"{row['ratio_to_raw']:.2f}"]
    return [*numbers, f"{row['extra_mib_per_rank']:.0f}"]
