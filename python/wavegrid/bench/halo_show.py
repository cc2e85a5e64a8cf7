"""The output of `wavegrid bench halo`: machine and versions, a table for each case."""

from pathlib import Path

from rich.table import Table

from wavegrid.bench.halo_request import MEASURED, Request
from wavegrid.bench.program import Measured, Row
from wavegrid.bench.show import print_machine, warnings
from wavegrid.display.console import make_console

# For each case: its title, and the columns with their heads and formats.
_TABLES: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "neighbours": (
        "exchanges with neighbours: from start to end, and what the processor spends if it computes meanwhile",
        {"ranks": ("ranks", "d"), "transport": ("transport", "s"), "neighbours": ("neighbours", "d"),
         "bytes": ("bytes", "d"), "latency_us": ("latency us", ".1f"), "overhead_us": ("overhead us", ".1f")},
    ),
    "stencil": (
        "potential and Laplacian on a block of states: time per number, share of the bound by the bandwidth of a triad",
        {"ranks": ("ranks", "d"), "order": ("order", "d"), "width": ("states", "d"), "edge": ("edge", "d"),
         "ns_per_value": ("ns", ".3f"), "triad_ns_per_value": ("triad ns", ".3f"),
         "share_of_bound": ("share", ".2f")},
    ),
    "overlap": (
        "microseconds per application to a block of states",
        {"ranks": ("ranks", "d"), "order": ("order", "d"), "transport": ("transport", "s"),
         "ghosts": ("ghosts", ".0f"), "computing_us": ("computing", ".0f"), "halo_us": ("halo", ".0f"),
         "off_us": ("no overlap", ".0f"), "polling_us": ("polling", ".0f"), "thread_us": ("thread", ".0f"),
         "one_by_one_us": ("one by one", ".0f"), "hidden": ("hidden", ".0%")},
    ),
    "chain": (
        "a chain of Li and H, the ranks divide its points: seconds of the calculation, shares of communication in them",
        {"ranks": ("ranks", "d"), "transport": ("transport", "s"), "overlap": ("overlap", "s"),
         "points": ("points", "d"), "steps": ("steps", "d"),
         "seconds": ("seconds", ".1f"), "halo": ("halo", ".1%"), "other_exchanges": ("other exchanges", ".1%"),
         "reductions": ("reductions", ".1%"), "communication": ("together", ".1%")},
    ),
    "octopus": (
        "the cylinder divided by METIS: ghosts and neighbours per part, the model of the ghosts, LogGP estimates",
        {"order": ("order", "d"), "parts": ("parts", "d"), "ghosts_mean": ("ghosts", ".0f"),
         "ghosts_max": ("most", "d"), "model": ("model", ".0f"), "neighbours_mean": ("neighbours", ".1f"),
         "neighbours_max": ("most", "d"), "printed_us": ("Eq. (4) us", ".0f"),
         "per_message_us": ("per message us", ".0f")},
    ),
}  # fmt: skip


def print_result(request: Request, result: Measured, plot: Path | None) -> None:
    """Print everything to stdout."""
    console = make_console()
    console.print("halo exchanges of meshes", style="bold")
    print_machine(console, result.versions)
    for case in request.cases:
        if rows := [row for row in result.rows if row["context"] == case]:
            console.print(table(case, rows))
    for fit in (row for row in result.rows if row["context"] == "octopus fit"):
        alpha, beta, gamma, delta = fit["coefficients"]
        console.print(
            f"p = {alpha:.3g} d^3 + {beta:.3g} d^2 V^(1/3) + {gamma:.3g} d V^(2/3) + {delta:.3g} V, d: half of the "
            f"order, fitted from {fit['parts_from']} parts on; largest relative error there "
            f"{fit['largest_relative_error']:.1%}; a cube with a star: 6 d V^(2/3)",
            highlight=False,
        )
    for note in _notes(request, result, plot):
        console.print(note, highlight=False)


def _notes(request: Request, result: Measured, plot: Path | None) -> list[str]:
    """Return what the reader should know besides."""
    said = [] if plot is None else [f"written: {plot}"]
    most = max(request.ranks) if any(case in MEASURED for case in request.cases) else 0
    if any(row.get("oversubscribed") for row in result.rows):
        most = max(most, *request.chain_ranks)
        said.append(
            "chain: oversubscribed, there are more ranks than cores: while a rank waits for messages, others compute "
            "on its core, so the shares are larger than on a machine with a core for each rank"
        )
    return said + (warnings(most, result.load) if most else [])


def table(case: str, rows: list[Row]) -> Table:
    """Return the rows of a case as a table."""
    title, columns = _TABLES[case]
    grid = Table(title=title, title_justify="left")
    for head, form in columns.values():
        grid.add_column(head, justify="left" if form == "s" else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(f"{row[key]:{form}}" if key in row else "" for key, (_, form) in columns.items()))
    return grid
