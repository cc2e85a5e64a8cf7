"""wavegrid: parallel plane-wave density-functional theory.

The numerical work is done by the C++ core (`wavegrid._core`), which `wavegrid.core_loader` imports on first use:
importing the package is fast, and the environment of the numerical libraries can be set before they load.

- `api`: `run`, `Session`, `load` and `Result`, which are also names of this package
- `engine`: partitions, exchange plans and the FFT of wave functions for programs with mpi4py
- `cli`: the command, one module per subcommand
- `input`: input file, its schema, the problem for the core
- `input_warnings`: warnings and notes on valid inputs
- `launch`: starting the ranks, what each of them executes, the display during a run
- `results`: result.json, its schema, tables and files
- `checkpoint`, `trace`, `partition`, `bench`: the subcommands of these names
- `plots`: all plots
- `html_report`, `comparison`, `checks`: the subcommands report, compare and check
"""

from typing import TYPE_CHECKING, Any

from wavegrid.errors import EnvironmentFault, InputError, InternalFault, WavegridError

if TYPE_CHECKING:
    from wavegrid.api.result import Result, load
    from wavegrid.api.run import run
    from wavegrid.api.session import Session

__all__ = [
    "EnvironmentFault",
    "InputError",
    "InternalFault",
    "Result",
    "Session",
    "WavegridError",
    "__version__",
    "load",
    "run",
]

__version__ = "0.1.0"

_PLACES = {"Result": "result", "Session": "session", "load": "result", "run": "run"}  # in wavegrid.api


def __getattr__(name: str) -> Any:
    """Import on first use what needs large libraries: the command shares this package."""
    if name not in _PLACES:
        raise AttributeError(f"module 'wavegrid' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"wavegrid.api.{_PLACES[name]}"), name)
