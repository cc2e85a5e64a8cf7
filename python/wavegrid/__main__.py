"""The program `wavegrid`, also `python -m wavegrid`: what has to be done before anything large is imported.

A process with too little memory ends here, with one line: later, libraries would ask for it without end, or crash.
"""

from wavegrid.process import module_path

module_path.search_current_folder_last()

import contextlib
import os
from typing import NoReturn

from wavegrid.errors import EXIT_ENVIRONMENT, EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_NOT_CONVERGED, EnvironmentFault
from wavegrid.process import gc_tuning, stdio


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    from wavegrid.launch import mpirun

    rank = mpirun.rank_hint()
    stdio.guard(silent=rank > 0, terminal=False if mpirun.under_launcher() else None)
    try:
        from wavegrid.launch import memory

        memory.check_limits()
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's own would start a thread for each core
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would search all installed packages for some
        gc_tuning.postpone()
        from wavegrid.cli.main import app

        app()
        code: object = EXIT_INTERNAL  # not reached
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:  # while it loads
        code = EXIT_INTERRUPTED
    except EnvironmentFault as fault:
        code = _refuse(str(fault), rank)
    except (MemoryError, ImportError, OSError) as fault:
        code = _refuse(f"the program does not load ({' '.join(str(fault).split()) or 'out of memory'})", rank)
    stdio.leave(stdio.finish(code if isinstance(code, int) else EXIT_NOT_CONVERGED if code else 0))


def _refuse(reason: str, rank: int) -> int:
    """Print the fault of this process, which others need not share."""
    with contextlib.suppress(OSError):
        os.write(2, f"error: {reason}{f' (rank {rank})' if rank else ''}\n".encode())
    return EXIT_ENVIRONMENT


if __name__ == "__main__":
    main()
