"""Loads the C++ core on first use: nothing else in the package imports `wavegrid._core`."""

import importlib
from types import ModuleType
from typing import NoReturn

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


def translate(core: ModuleType, fault: Exception) -> WavegridError:
    """Return the package's error for an exception of the core; anything unexpected is an internal fault."""
    if isinstance(fault, WavegridError):
        return fault
    if isinstance(fault, core.BadInput):
        return InputError(str(fault))
    if isinstance(fault, core.EnvironmentFault):
        return EnvironmentFault(str(fault))
    if isinstance(fault, MemoryError):
        return EnvironmentFault("out of memory; use more ranks on more nodes, a smaller cutoff or fewer bands")
    text = " ".join(str(fault).split())
    return InternalFault(text if isinstance(fault, core.Error) else f"{type(fault).__name__}: {text}")


def reraise(core: ModuleType, fault: Exception) -> NoReturn:
    """Raise the package's error for an exception of the core."""
    raise translate(core, fault) from fault
