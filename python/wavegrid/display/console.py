"""The console of a run."""

from rich.console import Console


def make_console(*, terminal: bool | None = None, width: int | None = None, quiet: bool = False) -> Console:
    """Return the console of a run; `terminal` overrides the guess, which is wrong behind mpirun."""
    width = width if terminal else 120
    return Console(force_terminal=terminal, width=width, quiet=quiet, highlight=False, emoji=False, markup=False)
