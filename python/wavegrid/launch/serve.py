"""A rank of `rank_pool`: solves what its socket asks for, until that is closed."""

from wavegrid.model.reports import Step
from wavegrid.process import module_path

module_path.search_current_folder_last()  # PYTHONPATH may have it

import json
import pickle
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from wavegrid.errors import EXIT_ENVIRONMENT, InputError
from wavegrid.files.store import as_json
from wavegrid.launch import mpirun, rank_socket
from wavegrid.launch.rank_pool import SOCKET, STATE, Solver
from wavegrid.launch.shared_folder import FAULT, open_private, traceback_of, write_report
from wavegrid.process import core_loader


def main(shared: Path) -> int:
    """Serve until the socket is closed; return the exit code. Collective."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the program that asks
    rank = mpirun.rank_hint()
    with rank_socket.connect(shared / SOCKET, rank) as connection:
        stream = connection.makefile("rw", encoding="utf-8")
        core: Any = None
        try:
            core = core_loader.load()
            core.end_all_at_faults(str(shared / f"{FAULT}.{rank}"), rank)
            _, size = core.mpi_start()
            mpirun.check_size(size)
            solver = Solver(core, complete=rank == 0)
            for line in stream:
                try:
                    result = _answer(solver, json.loads(line), shared, stream if rank == 0 else None, rank)
                except (core.BadInput, InputError) as fault:  # on all ranks
                    result = {"refused": str(core_loader.translate(core, fault))}
                if rank == 0:
                    stream.write(as_json(result).replace("\n", "") + "\n")  # one line
                    stream.flush()
        except (BrokenPipeError, ConnectionResetError):
            # The program that asked is gone, perhaps in the middle of a solution: the other ranks wait for this one.
            if core is not None:
                core.mpi_abort(EXIT_ENVIRONMENT)
            return EXIT_ENVIRONMENT
        except Exception as fault:
            error = core_loader.translate(core, fault)
            write_report(shared, rank, error.exit_code, str(error), traceback_of(fault))
            if core is not None:
                core.mpi_abort(error.exit_code)
            return error.exit_code
        solver.close()
        core.mpi_stop()
    return 0


def _answer(solver: Solver, request: dict[str, Any], shared: Path, stream: TextIO | None, rank: int) -> dict[str, Any]:
    """Return the answer to a request; parts of the state go into a file of each rank."""
    if "state" not in request:
        return solver.solve(request, partial(_send_step, stream) if stream else None)
    unfinished = shared / f".{STATE}.{rank}"
    with open_private(unfinished) as file:
        pickle.dump(solver.state(request["state"]), file)
    unfinished.rename(shared / f"{STATE}.{rank}")
    return {}


def _send_step(stream: TextIO, step: Step) -> None:
    """Tell the program that asked of an SCF step."""
    stream.write(json.dumps({"step": step}) + "\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
