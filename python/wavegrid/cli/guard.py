"""How every command ends: normally, or with one line on stderr and an exit code."""

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from wavegrid.errors import EXIT_INTERNAL, EXIT_INTERRUPTED, WavegridError

EPILOG = "Exit codes: 0 done, 1 not converged, 2 bad input, 3 environment, 4 internal error, 130 interrupted."


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn every exception of a command into one line on stderr and its exit code."""

    @functools.wraps(command)
    def run_command(*arguments: object, **options: object) -> None:
        try:
            command(*arguments, **options)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            _fail("interrupted", EXIT_INTERRUPTED)
        except WavegridError as error:
            _fail(str(error), error.exit_code)
        except Exception as fault:
            if os.environ.get("WAVEGRID_TRACEBACK"):
                raise
            reason = " ".join(str(fault).split())
            _fail(f"internal: {type(fault).__name__}: {reason} (WAVEGRID_TRACEBACK=1 shows where)", EXIT_INTERNAL)

    return run_command


def _fail(message: str, code: int) -> None:
    print(f"error: {message}", file=sys.stderr)
    raise typer.Exit(code) from None
