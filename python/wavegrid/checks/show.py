"""What the checks print."""

import numpy as np
from rich.console import Console
from rich.table import Table

from wavegrid.base.text import counted
from wavegrid.checks import egg_box
from wavegrid.checks.converge import Ended, Run
from wavegrid.checks.egg_box import EggBox, Position
from wavegrid.checks.forces import Comparisons
from wavegrid.discretisation import choose
from wavegrid.discretisation.base import Setting
from wavegrid.model.problem import Problem

_POSITIONS = ("moved by (spacings)", "points", "F/atom (Ha)", "change", "force (Ha/bohr)", "change", "net force")
_POSITION_WIDTHS = (22, 10, 16, 12, 17, 11, 11)
_COLUMNS = ("setting", "F/atom (eV)", "change (meV)", "force (eV/A)", "change", "pressure (GPa)", "change")
SETTING, SETTING_OF_THREE = 22, 55  # widths of the first column
_WIDTHS = (14, 15, 15, 11, 17, 10)  # of the others


def forces(console: Console, found: Comparisons, problem: Problem) -> None:
    """Print the comparisons and what follows; `problem`: of the core, with the given positions."""
    table = Table("", box=None, padding=(0, 2, 0, 0))
    for name in ("analytic", "numeric", "difference", "limit"):
        table.add_column(name, justify="right")
    for one in found.each:
        numbers = (f"{value:.7f}" for value in (one.analytic, one.numeric, one.difference))
        table.add_row(f"{one.name} ({one.unit})", *numbers, f"{one.limit:g}" + ("" if one.passed else "  exceeded"))
    console.print(table)
    failed = sum(not one.passed for one in found.each)
    console.print(
        f"{failed} of {len(found.each)} differ from the derivative of the energy by more than their limit"
        if failed
        else "all agree with the derivatives of the energy within their limits",
        highlight=False,
    )
    text = f"taken off the forces: a net force of {found.net_force:.1e} Ha/bohr, see check --egg-box"
    console.print(text, highlight=False, soft_wrap=True)
    if failed and choose.from_problem(problem).forces_depend_on_setting:
        _say_finer(console, problem)


def positions_header(console: Console) -> None:
    """Print the first line of the positions."""
    console.print(_line(_POSITIONS, _POSITION_WIDTHS), highlight=False, soft_wrap=True)


def position(console: Console | None, one: Position, first: Position) -> None:
    """Print a line of the positions, unless there is no console; changes are relative to the first."""
    if console is None:
        return
    energy, force = one.change_from(first)
    largest, net = np.linalg.norm(one.forces, axis=1).max(), np.linalg.norm(one.net_force)
    changes = ("", "") if one is first else (f"{energy:+.1e}", f"{force:.1e}")
    shift = ", ".join(f"{fraction:g}" for fraction in one.shift)
    cells = (shift, str(one.points), f"{one.energy:.8f}", changes[0], f"{largest:.6f}", changes[1], f"{net:.1e}")
    console.print(_line(cells, _POSITION_WIDTHS), highlight=False, soft_wrap=True)


def egg_box_verdict(console: Console, found: EggBox, problem: Problem) -> None:
    """Print what the positions differ by; `problem` as for `forces`."""
    console.print(
        f"the position between the points changes the energy by up to {found.energy_difference:.1e} Ha per atom "
        f"(limit {egg_box.LIMIT:.0e}{'' if found.passed else ', exceeded'}), forces by up to "
        f"{found.force_difference:.1e} Ha/bohr",
        highlight=False,
        soft_wrap=True,
    )
    if choose.from_problem(problem).points_follow_atoms(problem):
        console.print("the spheres follow the atoms: what their points change is a part of it", soft_wrap=True)
    if not found.passed:
        _say_finer(console, problem)


def header(console: Console, width: int) -> None:
    """Print the first line of a series; `width`: of the first column."""
    console.print(_line(_COLUMNS, (width, *_WIDTHS)), highlight=False, soft_wrap=True)


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
    console.print(_line(cells, (width, *_WIDTHS)), highlight=False, soft_wrap=True, markup=False)


def verdict(console: Console, setting: Setting, chosen: Run | None, ended: Ended, tolerance: float) -> None:
    """Print the recommended setting, or why there is none."""
    if chosen is None:
        text = f"not converged to {tolerance:.3g} meV per atom in {counted(len(ended.runs), 'run')}; "
        if ended.fault is None:
            text += f"valid: a larger --tolerance, or {setting.finer} in the input"
        else:
            text += f"the next one failed: {ended.fault}"
    else:
        apart = abs(chosen.energy - ended.runs[-1].energy) * 1e3
        text = (
            f"recommended: {chosen.setting}, {apart:.2g} meV per atom from {ended.runs[-1].setting}; "
            f"tolerance {tolerance:.3g} meV"
        )
    console.print(text, highlight=False, soft_wrap=True, markup=False)


def _say_finer(console: Console, problem: Problem) -> None:
    """Print what makes the errors of the points smaller."""
    console.print(f"valid: {choose.from_problem(problem).finer(problem)} in the input", soft_wrap=True)


def _change(value: float | None, form: str) -> str:
    return "" if value is None else f"{value:+{form}}"


def _line(cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return f"{first[0]:<{first[1]}}" + "".join(f"{cell:>{width}}" for cell, width in rest)
