"""A rank of `rank_pool`: solves what its socket asks for, until that is closed."""

from wavegrid.model.reports import Step
from wavegrid.process import module_path

module_path.search_current_folder_last()  # PYTHONPATH may have it

import json
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from wavegrid.errors import EXIT_ENVIRONMENT, InputError
from wavegrid.files.store import as_json
from wavegrid.launch import mpirun, rank_socket
from wavegrid.launch.rank_pool import SOCKET, STATE
from wavegrid.launch.shared_folder import FAULT, open_private, traceback_of, write_report
from wavegrid.launch.solver import Solver
from wavegrid.process import core_loader


def main(shared: Path) -> int:
    """Serve until the socket is closed; return the exit code. Collective."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the program that asks
    rank = mpirun.rank_hint()
    with rank_socket.connect(shared / SOCKET, rank) as connection:
        # Two streams: what one has read ahead is lost when it writes.
        requests, answers = connection.makefile("r", encoding="utf-8"), connection.makefile("w", encoding="utf-8")
        core: Any = None
        try:
            core = core_loader.load()
            core.end_all_at_faults(str(shared / f"{FAULT}.{rank}"), rank)
            _, size = core.mpi_start()
            mpirun.check_size(size)
            server = _Server(core, requests, answers, shared, rank)
            for line in requests:
                server.answer(json.loads(line))
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
        server.close()
        core.mpi_stop()
    return 0


class _Ended(Exception):
    """Ends a solution, on all ranks, because the program that asked wants no further step."""


class _Server:
    """Answers the requests that all ranks get: rank 0 in lines, all ranks with files of their state."""

    def __init__(self, core: Any, requests: TextIO, answers: TextIO, shared: Path, rank: int) -> None:
        self._core, self._requests, self._answers = core, requests, answers
        self._shared, self._rank = shared, rank
        self._solver = Solver(core, complete=rank == 0)

    def answer(self, request: dict[str, Any]) -> None:
        """Solve, or write the state."""
        try:
            answer = self._write_state(request["state"]) if "state" in request else self._solve(request)
        except (self._core.BadInput, InputError) as fault:  # on all ranks
            answer = {"refused": str(core_loader.translate(self._core, fault))}
        except _Ended:
            answer = {"ended": True}
        self._send(answer)

    def _solve(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["observed"]:
            return self._solver.solve(request, self._show_step)
        return self._solver.solve(request, self._send_step if self._rank == 0 else None)

    def _send_step(self, step: Step) -> None:
        self._send({"step": step}, json.dumps)

    def _show_step(self, step: Step) -> None:
        """Report a step and answer what is asked about it, until the solution is to go on or to end."""
        self._send_step(step)
        while "go_on" not in (request := self._next_request()):
            self.answer(request)
        if not request["go_on"]:
            raise _Ended

    def _next_request(self) -> dict[str, Any]:
        if not (line := self._requests.readline()):
            raise ConnectionResetError
        request: dict[str, Any] = json.loads(line)
        return request

    def _write_state(self, kind: str) -> dict[str, Any]:
        unfinished = self._shared / f".{STATE}.{self._rank}"
        with open_private(unfinished) as file:
            pickle.dump(self._solver.state(kind), file)
        unfinished.rename(self._shared / f"{STATE}.{self._rank}")
        return {}

    def _send(self, answer: dict[str, Any], text: Callable[[dict[str, Any]], str] = as_json) -> None:
        """Write one line, on rank 0."""
        if self._rank == 0:
            self._answers.write(text(answer).replace("\n", "") + "\n")
            self._answers.flush()

    def close(self) -> None:
        """Free the session. Collective."""
        self._solver.close()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
