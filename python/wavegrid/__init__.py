"""wavegrid: parallel plane-wave density-functional theory.

The numerical work is done by the C++ core (`wavegrid._core`), which `wavegrid.core_loader` imports on first use:
importing the package is fast, and the environment of the numerical libraries can be set before they load.

- `cli`: the command, one module per subcommand
- `input`: input file, its schema, the problem for the core
- `plausibility`: warnings and notes on valid inputs and on results
- `launch`: starting the ranks, what each of them executes, the display during a run
- `results`: result.json, its schema, tables and files
- `checkpoint`, `trace`, `partition`, `bench`: the subcommands of these names
- `plots`: all plots
"""

from wavegrid.errors import EnvironmentFault, InputError, InternalFault, WavegridError

__all__ = ["EnvironmentFault", "InputError", "InternalFault", "WavegridError", "__version__"]

__version__ = "0.1.0"
