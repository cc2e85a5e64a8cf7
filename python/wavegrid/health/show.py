"""What the health checks print."""

from rich.console import Console
from rich.table import Table

from wavegrid.health.converge import Run
from wavegrid.health.forces import Comparison

_COLUMNS = ("setting", "F/atom (eV)", "change (meV)", "force (eV/A)", "change", "pressure (GPa)", "change")
SETTING, SETTING_OF_THREE = 22, 55  # widths of the first column
_WIDTHS = (14, 15, 15, 11, 17, 10)  # of the others


def forces(console: Console, found: list[Comparison]) -> None:
    """Print the comparisons and what follows."""
    table = Table("", box=None, padding=(0, 2, 0, 0))
    for name in ("analytic", "numeric", "difference", "limit"):
        table.add_column(name, justify="right")
    for one in found:
        numbers = (f"{value:.7f}" for value in (one.analytic, one.numeric, one.difference))
        table.add_row(f"{one.name} ({one.unit})", *numbers, f"{one.limit:g}" + ("" if one.passed else "  exceeded"))
    console.print(table)
    failed = sum(not one.passed for one in found)
    console.print(
        f"{failed} of {len(found)} differ from the derivative of the energy by more than their limit"
        if failed
        else "forces and pressure are the derivatives of the energy",
        highlight=False,
    )


def header(console: Console, width: int) -> None:
    """Print the first line of a series; `width`: of the first column."""
    console.print(_line(_COLUMNS, width), highlight=False, soft_wrap=True)


def run(console: Console | None, width: int, one: Run) -> None:
    """Print a line of a series, unless there is no console; `width`: of the first column."""
    if console is None:
        return
    cells = (
        one.setting,
        f"{one.energy:.6f}",
        _change(one.energy_change, ".3f"),
        f"{one.largest_force:.5f}",
        _change(one.force_change, ".5f"),
        "" if one.pressure is None else f"{one.pressure:.3f}",
        _change(one.pressure_change, ".3f"),
    )
    console.print(_line(cells, width), highlight=False, soft_wrap=True, markup=False)


def verdict(console: Console, what: str, chosen: Run | None, series: list[Run], tolerance: float) -> None:
    """Print the recommended setting."""
    if chosen is None:
        text = f"not converged to {tolerance:.3g} meV per atom in {len(series)} runs; valid: a larger --tolerance, or "
        finer = {"ecut": "a larger cutoff", "kpoints": "a larger mesh", "spacing": "a smaller spacing"}
        text += f"{finer[what]} in the input"
    else:
        apart = abs(chosen.energy - series[-1].energy) * 1e3
        text = (
            f"recommended: {chosen.setting}, {apart:.2g} meV per atom from {series[-1].setting}; "
            f"tolerance {tolerance:.3g} meV"
        )
    console.print(text, highlight=False, soft_wrap=True, markup=False)


def _change(value: float | None, form: str) -> str:
    return "" if value is None else f"{value:+{form}}"


def _line(cells: tuple[str, ...], first: int) -> str:
    setting, *others = cells
    return f"{setting:<{first}}" + "".join(f"{cell:>{width}}" for cell, width in zip(others, _WIDTHS, strict=True))
