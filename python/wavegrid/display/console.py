"""The console of a run."""

import shutil

from rich.console import Console


def make_console(*, terminal: bool | None = None, width: int | None = None, quiet: bool = False) -> Console:
    """Return the console of a run; `terminal` overrides the guess, which is wrong behind mpirun.

    Output that is no terminal has 120 columns, or more where the variable COLUMNS says so.
    """
    width = width if terminal else max(120, shutil.get_terminal_size().columns)
    return Console(force_terminal=terminal, width=width, quiet=quiet, highlight=False, emoji=False, markup=False)
