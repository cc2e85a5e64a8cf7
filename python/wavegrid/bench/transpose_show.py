"""The output of `wavegrid bench transpose`: machine and versions, one table, the choice of auto, overlaps."""

from pathlib import Path

from rich.table import Table

from wavegrid.base.text import counted
from wavegrid.bench.program import Row
from wavegrid.bench.show import print_machine, warnings
from wavegrid.bench.transpose import Result
from wavegrid.bench.transpose_request import CONTEXTS, Request
from wavegrid.display.console import make_console

_MEANING = (
    "isolated: a barrier before each transpose, nothing computed between; the slowest rank's times added up",
    "scf: inside H applications of the local potential, block after block, no barrier; waiting included",
    "step: the whole H application of the block in that run, exchanges included: auto decides by it",
)


def print_result(request: Request, result: Result, plot: Path | None) -> None:
    """Print everything to stdout."""
    console = make_console()
    console.print("transposes of the compact FFT: microseconds per block of bands, out and back", style="bold")
    print_machine(console, result.versions)
    console.print(f"  partition: {request.partition}; medians of {request.repeats} and slowest minus fastest")
    for line in (*(case.label for case in request.cases), *_MEANING):
        console.print(f"  {line}", style="dim", highlight=False)
    console.print(table(result))
    for note in notes(request, result, plot):
        console.print(note, highlight=False)


def table(result: Result) -> Table:
    """Return one line per case, ranks and transport, with the contexts side by side, and one for auto itself."""
    contexts = [name for name in CONTEXTS if any(row["context"] == name for row in result.rows)]
    grid = Table("case", "ranks", "transport")
    heads = {"isolated": ("isolated us", "spread us"), "scf": ("scf us", "spread us", "step us")}
    for head in (*(head for name in contexts for head in heads[name]), "kB", "messages", "padding"):
        grid.add_column(head, justify="right", no_wrap=True)
    for auto in result.autos:
        here = [row for row in result.rows if (row["case"], row["ranks"]) == (auto["case"], auto["ranks"])]
        place = (auto["case"], str(auto["ranks"]))
        for name in dict.fromkeys(row["transport"] for row in here):
            found = {row["context"]: row for row in here if row["transport"] == name}
            row = next(iter(found.values()))
            cells = [cell for context in contexts for cell in _times(found[context], context)]
            traffic = (f"{row['bytes'] / 1e3:.0f}", str(row["messages"]), f"{row['padding']:.1%}")
            grid.add_row(*place, name, *cells, *traffic, style="bold" if row["chosen"] else None)
        if "scf" in contexts:
            blank = [""] * (len(heads["isolated"]) if "isolated" in contexts else 0)
            grid.add_row(*place, f"auto: {auto['auto']}", *blank, *_times(auto, "scf"), "", "", "", style="italic")
        grid.add_section()
    return grid


def notes(request: Request, result: Result, plot: Path | None) -> list[str]:
    """Return what the reader should know besides."""
    said = [] if plot is None else [f"written: {plot}"]
    for auto in result.autos:
        where = f"{auto['case']} on {counted(auto['ranks'], 'rank')} ({auto['partition']} {auto['rows']} x "
        block = f"blocks of {counted(auto['block'], 'band')}"
        said.append(f"{where}{auto['columns']}, {block}): auto took {auto['auto']}: {auto['reason']}")
    if result.overlaps:
        said.append(
            "overlap = (exchange + computing - both pipelined) / the shorter of the two; "
            "on one node the same cores copy the messages, so about zero or less is to be expected:"
        )
    for one in result.overlaps:
        said.append(
            f"  {one['case']} on {counted(one['ranks'], 'rank')}, {one['transport']}: {one['overlap']:+.2f} "
            f"({one['exchange_us']:.0f} us, {one['computing_us']:.0f} us, pipelined {one['together_us']:.0f} us)"
        )
    return said + warnings(max(request.ranks), result.load)


def _times(row: Row, context: str) -> list[str]:
    cells = [f"{row['median_us']:.0f}", f"{row['spread_us']:.0f}"]
    return [*cells, f"{row['step_us']:.0f}"] if context == "scf" else cells
