"""The output of `wavegrid bench machine`."""

from pathlib import Path

from rich.table import Table

from wavegrid.bench.machine import Result
from wavegrid.bench.program import Row
from wavegrid.bench.show import print_machine, warnings
from wavegrid.display.console import make_console

_KINDS = {"inside": "inside a node", "between": "between nodes", "together": "inside a node, all pairs together"}


def print_result(result: Result, written: Path | None) -> None:
    """Print everything to stdout."""
    console = make_console()
    console.print("messages, memory and cores of this machine", style="bold")
    print_machine(console, result.versions)
    for pair in result.messages:
        console.print(table(result, pair))
    for line in lines(result, written):
        console.print(line, highlight=False, soft_wrap=True)


def table(result: Result, pair: str) -> Table:
    """Return the ping-pong of a pair of ranks and the fitted model."""
    found = result.messages[pair]
    latency, bandwidth = 1e6 * found["latency"], found["bandwidth"] / 1e9
    grid = Table(
        title=f"{_KINDS[pair]}: {latency:.2f} us and {bandwidth:.2f} GB/s, fitted to all; {_more(found)}",
        title_justify="left",
    )
    for head in ("bytes", "us", "fitted us", "ratio"):
        grid.add_column(head, justify="right")
    for size, seconds, fitted in found["times"]:
        grid.add_row(f"{size:.0f}", f"{1e6 * seconds:.2f}", f"{1e6 * fitted:.2f}", f"{fitted / seconds:.2f}")
    return grid


def _more(found: Row) -> str:
    pieces = [
        f"{1e6 * latency:.2f} us, {rate / 1e9:.3g} GB/s from {size:.0f} B" for size, latency, rate in found["pieces"]
    ]
    each = f"in pieces: {'; '.join(pieces)}"
    if "overhead" not in found:
        return each
    return f"{each}; o {1e6 * found['overhead']:.2f} us, g {1e6 * found['gap']:.2f} us"


def lines(result: Result, written: Path | None) -> list[str]:
    """Return the sentences below the tables."""
    rates = result.rates
    said = [
        f"a core: FFT {rates['fft'] / 1e9:.1f} Gflop/s, matrix products {rates['gemm'] / 1e9:.1f} Gflop/s; "
        f"memory of a rank {rates['memory'] / 1e9:.1f} GB/s while {result.ranks} use it"
    ]
    if written is not None:
        said.append(f"written: {written}")
    return said + warnings(result.ranks, result.load)
