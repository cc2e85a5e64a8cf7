"""A rank of a session: answers what the socket of `rank_pool` asks for, until that is closed."""

import json
import pickle
import signal
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from wavegrid.errors import EXIT_ENVIRONMENT, InputError
from wavegrid.files.store import as_json
from wavegrid.launch import rank_socket
from wavegrid.launch.in_process_ranks import InProcessRanks
from wavegrid.launch.ranks import State
from wavegrid.launch.shared_folder import SOCKET, STATE, open_private
from wavegrid.model.reports import Step
from wavegrid.process import core_loader, gc_tuning
from wavegrid.rank.process import RankProcess


def serve() -> int:
    """Serve until the socket is closed; return the exit code. Collective."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the program that asks
    process = RankProcess(grace=0.0)  # that program ends the ranks when one reports a fault
    assert process.shared is not None
    with rank_socket.connect(process.shared / SOCKET, process.rank) as connection:
        # Two streams: what one has read ahead is lost when it writes.
        requests, answers = connection.makefile("r", encoding="utf-8"), connection.makefile("w", encoding="utf-8")
        try:
            server = _Server(process, requests, answers)
            gc_tuning.resume()
            for line in requests:
                server.answer(json.loads(line))
        except (BrokenPipeError, ConnectionResetError):
            # The program that asked is gone, perhaps in the middle of a solution: the other ranks wait for this one.
            return process.abort(EXIT_ENVIRONMENT)
        except Exception as fault:
            return process.end_all(fault)
        server.close()
        process.stop_mpi()
    return 0


class _Ended(Exception):
    """Ends a solution, on all ranks, because the program that asked wants no further step."""


class _Server:
    """Answers the requests that all ranks get: rank 0 in lines, all ranks with files of their state."""

    def __init__(self, process: RankProcess, requests: TextIO, answers: TextIO) -> None:
        assert process.shared is not None
        self._requests, self._answers = requests, answers
        self._rank, self._shared, self._core = process.rank, process.shared, process.start_mpi()
        self._ranks = InProcessRanks(self._core, process.size, complete=self._rank == 0)

    def answer(self, request: Any) -> None:
        """Solve, or write the state."""
        try:
            answer = self._write_state(request["state"]) if "state" in request else self._solve(request)
        except (self._core.BadInput, InputError) as fault:  # on all ranks
            answer = {"refused": str(core_loader.translate(self._core, fault))}
        except _Ended:
            answer = {"ended": True}
        self._send(answer)

    def _solve(self, request: Any) -> Mapping[str, Any]:
        if request["observed"]:
            return self._ranks.answer(request, self._show_step)
        return self._ranks.answer(request, self._send_step if self._rank == 0 else None)

    def _send_step(self, step: Step) -> None:
        self._send({"step": step}, json.dumps)

    def _show_step(self, step: Step) -> None:
        """Report a step and answer what is asked about it, until the solution is to go on or to end."""
        self._send_step(step)
        while "go_on" not in (request := self._next_request()):
            self.answer(request)
        if not request["go_on"]:
            raise _Ended

    def _next_request(self) -> Any:
        if not (line := self._requests.readline()):
            raise ConnectionResetError
        return json.loads(line)

    def _write_state(self, kind: State) -> Mapping[str, Any]:
        unfinished = self._shared / f".{STATE}.{self._rank}"
        with open_private(unfinished) as file:
            pickle.dump(self._ranks.state(kind)[0], file)
        unfinished.rename(self._shared / f"{STATE}.{self._rank}")
        return {}

    def _send(self, answer: Mapping[str, Any], text: Callable[[dict[str, Any]], str] = as_json) -> None:
        """Write one line, on rank 0."""
        if self._rank == 0:
            self._answers.write(text(dict(answer)).replace("\n", "") + "\n")
            self._answers.flush()

    def close(self) -> None:
        """Free the session. Collective."""
        self._ranks.close()
