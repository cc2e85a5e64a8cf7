"""Loads the C++ core on first use: nothing else in the package but `engine` imports `wavegrid._core`."""

import importlib
from types import ModuleType

from wavegrid.errors import EnvironmentFault, InputError, InternalFault, WavegridError


def load() -> ModuleType:
    """Import the core on first use; set OPENBLAS_NUM_THREADS and OMP_NUM_THREADS before.

    Raises EnvironmentFault where it is not built or one of its libraries is missing.
    """
    try:
        return importlib.import_module("wavegrid._core")
    except MemoryError:
        raise EnvironmentFault("out of memory while the compiled core of wavegrid was loaded") from None
    except ImportError as fault:
        raise EnvironmentFault(f"the compiled core of wavegrid does not load ({fault}); run 'make build'") from fault


def translate(core: ModuleType | None, fault: Exception) -> WavegridError:
    """Return the package's error for an exception of the core; anything unexpected is an internal fault."""
    if isinstance(fault, WavegridError):
        return fault
    if isinstance(fault, MemoryError):
        return EnvironmentFault("out of memory; use more ranks on more nodes, a smaller cutoff or fewer bands")
    text = " ".join(str(fault).split())
    if core is not None and isinstance(fault, core.Error):
        kinds = {core.BadInput: InputError, core.EnvironmentFault: EnvironmentFault}
        return kinds.get(type(fault), InternalFault)(text)
    return InternalFault(f"{type(fault).__name__}: {text}")


def explain(fault: Exception) -> WavegridError:
    """Return the package's error for any exception, of the core or of Python."""
    try:
        core = load() if not isinstance(fault, WavegridError) else None
    except WavegridError:
        core = None
    return translate(core, fault)
