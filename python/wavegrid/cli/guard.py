"""How every command ends: normally, or with one line on stderr and an exit code."""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from wavegrid.base.text import printable
from wavegrid.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, InputError
from wavegrid.process import core_loader

EPILOG = "Exit codes: 0 done, 1 not converged, 2 bad input, 3 environment, 4 internal error, 130 interrupted."

_ARGUMENTS = ("file", "name", "shell", "first", "second", "place")  # without a dash on the command line
_LONGEST = 4000  # characters of an argument


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn every exception of a command into one line on stderr and its exit code."""

    @functools.wraps(command)
    def run_command(*arguments: object, **options: object) -> None:
        try:
            _check_arguments(options)
            command(*arguments, **options)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt:
            _fail("interrupted", EXIT_INTERRUPTED)
        except Exception as fault:
            error = core_loader.explain(fault)
            for note in getattr(error, "__notes__", ()):  # the traceback of a rank
                print(note, file=sys.stderr)
            if error is fault or error.exit_code != EXIT_INTERNAL:
                _fail(str(error), error.exit_code)
            if os.environ.get("WAVEGRID_TRACEBACK"):
                raise
            _fail(f"internal: {error} (WAVEGRID_TRACEBACK=1 shows where)", EXIT_INTERNAL)

    return run_command


def _check_arguments(options: dict[str, object]) -> None:
    """Refuse texts that would write escape codes to the terminal wherever they are shown again, and endless ones."""
    for name, value in options.items():
        text = str(value) if isinstance(value, str | Path) else ""
        option = name.upper() if name in _ARGUMENTS else f"--{name.replace('_', '-')}"
        if len(text) > _LONGEST:
            raise InputError(f"{option} {text[:40]}...: {len(text)} characters; valid: up to {_LONGEST}")
        if printable(text) != text:
            raise InputError(f"{option} {text}: holds characters that cannot be printed; valid: printable characters")


def _fail(message: str, code: int) -> None:
    print(f"error: {printable(message)}", file=sys.stderr)
    raise typer.Exit(code) from None
