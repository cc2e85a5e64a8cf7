"""Where the processes of the program look for modules: a `random.py` of the user is none of theirs.

Python searches the current folder first after `python -m`, and wherever PYTHONPATH has an empty entry.
"""

import os
import sys


def search_current_folder_last() -> None:
    """Look for modules in the current folder after all others; to be called before anything else is imported."""
    try:
        here = os.getcwd()
    except OSError:  # it has been removed
        return
    current = [entry for entry in sys.path if entry in ("", here)]
    if current:
        sys.path[:] = [entry for entry in sys.path if entry not in current] + [here]


def python_command(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs a module by the same interpreter, without the current folder on its path."""
    return [sys.executable, "-P", "-m", module, *arguments]
