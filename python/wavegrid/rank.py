"""A rank that our own launcher has started. It reads no command line and so spares itself the libraries for that."""

import sys

from wavegrid.worker import Request, work

if __name__ == "__main__":
    sys.exit(work(Request.from_json(sys.argv[1])))
