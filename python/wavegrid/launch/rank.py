"""A rank that our own launcher has started. It has no command line and does not import the libraries for one."""

import gc
import sys

gc.disable()  # until the job is here: imports leave nothing to collect

from wavegrid import stdio  # noqa: E402
from wavegrid.launch import mpirun  # noqa: E402
from wavegrid.launch.request import Request  # noqa: E402
from wavegrid.launch.worker import work  # noqa: E402


def main(text: str) -> int:
    """Do what the request in `text` asks of this rank and return its exit code. Collective."""
    request = Request.from_json(text)
    mpirun.set_threads(request.threads)  # other nodes do not get the launcher's environment
    return work(request)


if __name__ == "__main__":
    stdio.guard()
    stdio.leave(main(sys.argv[1]))
