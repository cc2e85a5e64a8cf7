"""A rank that our own launcher has started. It reads no command line and so spares itself the libraries for that."""

import sys

from wavegrid.launch import mpirun
from wavegrid.launch.worker import Request, work


def main(text: str) -> int:
    """Do what the request in `text` asks of this rank and return its exit code. Collective."""
    request = Request.from_json(text)
    mpirun.set_threads(request.threads)  # other nodes do not get the launcher's environment
    return work(request)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
