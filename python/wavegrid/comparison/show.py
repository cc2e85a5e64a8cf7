"""A comparison as tables on the screen."""

from typing import Any

from rich.console import Console
from rich.table import Table

from wavegrid.base.text import counted, printable
from wavegrid.units import HARTREE_IN_EV, HARTREE_PER_BOHR3_IN_GPA


def show(console: Console, found: dict[str, Any]) -> None:
    """Print what `differences.compare` has found."""
    names = [f"{'AB'[i]}: {program}" for i, program in enumerate(found["programs"])]
    for letter, file, converged in zip("AB", found["files"], found["converged"], strict=True):
        console.print(f"{letter}: {printable(file)}{'' if converged else ', not converged'}", soft_wrap=True)
    console.print(_settings(found["settings"], names) if found["settings"] else "no setting that both name differs")
    console.print(_energies(found["energies"], names))
    console.print(_rest(found, names))
    for note in found["notes"]:
        console.print(f"note: {printable(note)}", soft_wrap=True)


def _table(title: str, names: list[str], *more: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for name in (*names, *more):
        table.add_column(name, justify="right")
    return table


def _settings(settings: dict[str, list[Any]], names: list[str]) -> Table:
    table = _table("settings that differ", names)
    for name, values in settings.items():
        table.add_row(printable(name), *("-" if value is None else printable(_short(value)) for value in values))
    return table


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _energies(energies: dict[str, list[float]], names: list[str]) -> Table:
    table = _table("energy (Ha)", names, "B - A", "meV")
    for name, (one, other, difference) in energies.items():
        table.add_row(
            name, f"{one:.8f}", f"{other:.8f}", f"{difference:+.8f}", f"{difference * HARTREE_IN_EV * 1e3:+.3f}"
        )
    return table


def _rest(found: dict[str, Any], names: list[str]) -> Table:
    table = _table("", names, "B - A")
    for key, title in (("fermi", ""), ("fermi_up", ", spin up"), ("fermi_down", ", spin down")):
        if key in found:
            one, other = found[key]
            table.add_row(f"Fermi level{title} (Ha)", f"{one:.6f}", f"{other:.6f}", f"{other - one:+.6f}")
    if "eigenvalues" in found:
        of = found["eigenvalues"]
        where = f"{counted(of['levels'], 'level')} up to the Fermi level"
        table.add_row(f"eigenvalues (Ha), {where}", "", "", f"up to {of['largest']:.1e}")
        table.add_row(
            "  without their mean difference", "", f"{of['mean']:+.1e}", f"up to {of['largest_without_mean']:.1e}"
        )
    if "forces" in found:
        table.add_row("forces (Ha/bohr)", "", "", f"up to {found['forces']:.1e}")
    if "stress" in found:
        stress = found["stress"]
        in_gpa = stress * HARTREE_PER_BOHR3_IN_GPA
        table.add_row("stress (Ha/bohr^3)", "", "", f"up to {stress:.1e} ({in_gpa:.4f} GPa)")
    if "steps" in found:
        one, other = found["steps"]
        table.add_row("SCF steps", str(one), str(other), f"{other - one:+d}")
    if "seconds" in found:
        one, other = found["seconds"]
        ratio = f"{other / one:.2f} times A" if one > 0 else ""
        table.add_row("seconds", f"{one:.2f}", f"{other:.2f}", ratio)
    return table
