"""A rank that our own process has started. It has no command line and does not import the libraries for one."""

import gc
import sys

from wavegrid.process import module_path

module_path.search_current_folder_last()  # PYTHONPATH may have it
gc.disable()  # until the job is here: imports leave nothing to collect

from wavegrid.launch import mpirun
from wavegrid.launch.request import Request
from wavegrid.process import stdio
from wavegrid.rank.worker import work


def main(text: str) -> int:
    """Do this rank's part of the run that `text` requests, or without one of a session. Collective; the exit code."""
    if not text:
        from wavegrid.rank.serve import serve

        return serve()
    request = Request.from_json(text)
    mpirun.set_threads(request.threads)  # other nodes do not get the launcher's environment
    return work(request)


if __name__ == "__main__":
    stdio.guard()
    stdio.leave(main(sys.argv[1]))
