"""A rank of `resident`: solves what its socket asks for, until that is closed."""

import json
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from wavegrid import core_loader
from wavegrid.launch import mpirun
from wavegrid.launch.resident import SOCKET, Solver
from wavegrid.launch.shared_folder import FAULT, write_report
from wavegrid.results.store import as_json


def main(shared: Path) -> int:
    """Serve until the socket is closed; return the exit code. Collective."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the program that asks
    rank = mpirun.rank_hint()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(shared / SOCKET))
        stream = connection.makefile("rw", encoding="utf-8")
        stream.write(f"{rank}\n")
        stream.flush()
        core: Any = None
        try:
            core = core_loader.load()
            core.end_all_at_faults(str(shared / f"{FAULT}.{rank}"), rank)
            _, size = core.mpi_start()
            mpirun.check_size(size)
            solver = Solver(core)
            for line in stream:
                try:
                    result = solver.solve(json.loads(line))
                except core.BadInput as fault:  # on all ranks
                    result = {"refused": str(core_loader.translate(core, fault))}
                if rank == 0:
                    stream.write(as_json(result).replace("\n", "") + "\n")  # one line
                    stream.flush()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the program that asked is gone
        except Exception as fault:
            error = core_loader.translate(core, fault)
            write_report(shared, rank, error.exit_code, str(error))
            if core is not None:
                core.mpi_abort(error.exit_code)
            return error.exit_code
        solver.close()
        core.mpi_stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
