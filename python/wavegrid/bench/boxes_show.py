"""The output of `wavegrid bench boxes`: machine and versions, a table per layout, explanations."""

from rich.table import Table

from wavegrid.base.text import counted
from wavegrid.bench.boxes import Result
from wavegrid.bench.boxes_request import Request
from wavegrid.bench.program import Row
from wavegrid.bench.show import print_machine, warnings
from wavegrid.display.console import make_console

_MEANING = (
    "deposit: all boxes are filled and added to the grid; extract: values of the grid in all boxes are read",
    "planned_union: the points of all boxes of a rank by one message per partner; the others: box by box",
    "efficiency: work per thread and second over that of the first layout; beyond the cores it says little",
    "plan: once, for all deposits and extracts; extra MiB: growth of the resident memory, of the rank that takes most",
)


def print_result(request: Request, result: Result) -> None:
    """Print everything to stdout."""
    console = make_console()
    console.print("boxes: milliseconds of the slowest rank", style="bold")
    print_machine(console, result.versions)
    console.print(f"  medians of {request.repeats}, taken in turn, and the least")
    for line in (*(case.label for case in request.cases), *_MEANING):
        console.print(f"  {line}", style="dim", highlight=False)
    for grid in tables(result):
        console.print(grid)
    for line in notes(request, result):
        console.print(line, highlight=False)


def tables(result: Result) -> list[Table]:
    """Return a table per case and layout: one line per method, both operations side by side."""
    found: dict[str, Table] = {}
    for one, other in zip(result.rows[::2], result.rows[1::2], strict=True):
        threads = "" if one["threads"] == 1 else f" of {one['threads']} threads"
        more = " (more than cores)" if one["oversubscribed"] else ""
        title = f"{one['case']}, {counted(one['ranks'], 'rank')}{threads}{more}"
        grid = found.setdefault(title, _empty(title))
        name = f"{one['method']}, at once" if one["calls"] == "at_once" else one["method"]
        cells = [f"{one['messages']}", f"{one['bytes'] / 1e6:.1f}", f"{1e3 * one['plan_seconds']:.0f}"]
        figures = [*_figures(one), *_figures(other), *cells, f"{one['extra_mib_per_rank']:.1f}"]
        grid.add_row(name, *figures, style="bold" if name == "planned_union" else None)
    return list(found.values())


def _empty(title: str) -> Table:
    grid = Table("method", title=title, title_justify="left")
    for head in ("deposit", "least", "eff.", "extract", "least", "eff.", "messages", "MB", "plan", "extra MiB"):
        grid.add_column(head, justify="right", no_wrap=True)
    return grid


def notes(request: Request, result: Result) -> list[str]:
    """Return what the reader should know besides."""
    said = []
    for one in result.setups:
        shared = one["values"] / max(one["union_points"], 1)
        said.append(
            f"{one['case']}, {one['ranks']} x {one['threads']}: grid {one['setup']}, {one['boxes']} boxes; a point of "
            f"a rank's union is in {shared:.1f} of its boxes; one-sided component {one['one_sided']}, "
            f"thread level {one['thread_level']}"
        )
    return said + warnings(max(layout.ranks for layout in request.layouts), result.load)


def _figures(row: Row) -> list[str]:
    return [f"{1e3 * row['seconds']:.2f}", f"{1e3 * row['least']:.2f}", f"{row['efficiency']:.2f}"]
