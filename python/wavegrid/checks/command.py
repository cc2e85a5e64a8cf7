"""`wavegrid check` with `--forces`, `--egg-box` or `--converge`: what they compute, print and draw."""

import json
from functools import partial
from pathlib import Path
from types import ModuleType

from rich.console import Console

from wavegrid.checks import converge, egg_box, forces, show
from wavegrid.checks import plots as parameter_convergence
from wavegrid.checks.ranks import Ranks, energy_argument
from wavegrid.errors import EXIT_DONE, EXIT_NOT_CONVERGED
from wavegrid.input.basis.choose import from_basis
from wavegrid.input.document import Document, validated
from wavegrid.plots import files
from wavegrid.units import HARTREE_IN_EV

ATOMS, TOLERANCE = 2, "1 meV"  # where the options are left out


def check_forces(
    core: ModuleType, document: Document, ranks: int, threads: int, atoms: int, console: Console | None
) -> int:
    """Compare forces and pressure with differences of the energy; return the exit code.

    `console`: where the table goes, None for JSON on stdout.
    """
    with Ranks(core, document, ranks=ranks, threads=threads) as group:
        problem = group.job().problem
        found = forces.compare(group, atoms)
    if console is None:
        print(json.dumps(found.as_dict(), indent=1))
    else:
        show.forces(console, found, problem)
    return EXIT_DONE if found.passed else EXIT_NOT_CONVERGED


def check_egg_box(core: ModuleType, document: Document, ranks: int, threads: int, console: Console | None) -> int:
    """Move all atoms between the points; return the exit code. `console` as for `check_forces`."""
    if console is not None:
        show.positions_header(console)
    with Ranks(core, document, ranks=ranks, threads=threads) as group:
        problem = group.job().problem
        found = egg_box.positions(group, partial(show.position, console))
    if console is None:
        print(json.dumps(found.as_dict(), indent=1))
    else:
        show.egg_box_verdict(console, found, problem)
    return EXIT_DONE if found.passed else EXIT_NOT_CONVERGED


def check_convergence(
    core: ModuleType, document: Document, ranks: int, threads: int, what: str, tolerance: str, plot: Path | None,
    console: Console | None,
) -> int:  # fmt: skip
    """Run a series, show it and what it recommends; return the exit code. `console` as for `check_forces`."""
    converge.check_choice(what)
    least = energy_argument("--tolerance", tolerance) * HARTREE_IN_EV * 1e3
    if plot is not None:
        files.check(plot, document.path)
    basis = from_basis(validated(document).basis)
    three = what == basis.discretisation.setting.name and len(set(basis.values())) > 1
    width = show.SETTING_OF_THREE if three else show.SETTING
    if console is not None:
        show.header(console, width)
    with Ranks(core, document, ranks=ranks, threads=threads) as group:
        setting = converge.setting_of(group, what)
        ended = converge.runs(group, what, least, partial(show.run, console, width))
    series, chosen = ended.runs, converge.recommended(ended.runs, least)
    if plot is not None:
        parameter_convergence.save(plot, f"{document.path.stem}: {what}", setting, series, least)
    if console is None:
        content = {
            "converged": chosen is not None,
            "recommended": None if chosen is None else chosen.setting,
            "tolerance_meV_per_atom": least,
            "ended_early": None if ended.fault is None else str(ended.fault),
            "runs": [run.as_dict() for run in series],
        }
        print(json.dumps(content, indent=1))
    else:
        show.verdict(console, setting, chosen, ended, least)
    return EXIT_DONE if chosen is not None else EXIT_NOT_CONVERGED
