"""wavegrid: parallel plane-wave density-functional theory.

The numerical work is done by the C++ core (`wavegrid._core`), which `process.core_loader` imports on first use:
importing the package is fast, and the environment of the numerical libraries can be set before they load.

- `api`: `run`, `Session`, `load` and `Result`, which are also names of this package; `ase`: a calculator
- `engine`: partitions, exchange plans and the FFT of wave functions for programs with mpi4py
- `cli`: the command, one module per subcommand
- the others in the order of python/layers.toml: `base`, `input`, `job`, `launch`, `results`, `rank`, ...
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
