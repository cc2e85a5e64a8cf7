"""A process that is a rank: MPI begins, and an error on one rank ends all of them with one message.

Our own launcher prints what a rank reports and ends the others. Without it rank 0 prints the message at once; another
rank waits some seconds for rank 0 (most errors occur on all ranks), then prints it itself; the rank that printed it
aborts the job. Faults that no exception reports end all ranks in the core (`end_all_at_faults`).
"""

import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from wavegrid.base.text import printable
from wavegrid.errors import EXIT_ENVIRONMENT, EnvironmentFault
from wavegrid.files.store import process_token
from wavegrid.launch import mpirun
from wavegrid.launch.shared_folder import FAULT, STARTED, traceback_of, write_private, write_report
from wavegrid.process import core_loader

_BEFORE_OTHERS = 0.2  # seconds by which our message precedes those of MPI


def _shared_folder() -> Path | None:
    folder = os.environ.get(mpirun.WORKER)
    return Path(folder) if folder else None


@dataclass
class RankProcess:
    """This rank, and how far it has come."""

    grace: float = 3.0  # seconds that the other ranks wait for rank 0 to report an error that they share
    rank: int = field(default_factory=mpirun.rank_hint)
    size: int = 1
    core: ModuleType | None = None
    in_mpi: bool = False
    shared: Path | None = field(default_factory=_shared_folder)  # with our own launcher, if that started this rank
    began: float = field(default_factory=time.perf_counter)

    @property
    def token(self) -> str:
        """What distinguishes the unfinished files of this run from those of others."""
        return self.shared.name if self.shared else process_token()

    def report(self, name: str, text: str) -> None:
        """Write a file for our own launcher; where its directory is not in reach, it has mpirun's exit code only."""
        if self.shared is None or not self.shared.is_dir():
            return
        try:
            write_private(self.shared / name, text)
        except OSError as fault:
            raise EnvironmentFault(f"'{self.shared}' cannot be written: {fault.strerror}; set TMPDIR") from None

    def start_mpi(self) -> ModuleType:
        """Load the core and start MPI; return the core. Collective."""
        core = core_loader.load()
        core.end_all_at_faults(str(self.shared / f"{FAULT}.{self.rank}") if self.shared else "", self.rank)
        self.core = core
        rank, size = core.mpi_start()
        self.report(STARTED, "")
        self.in_mpi, self.began = True, time.perf_counter()
        mpirun.check_size(size)  # before: an MPI of another make takes every process for rank 0
        self.rank, self.size = rank, size
        return core

    def stop_mpi(self) -> None:
        """Stop MPI. Collective."""
        assert self.core is not None
        self.core.mpi_stop()
        self.in_mpi = False

    def end_all(self, fault: Exception) -> int:
        """Report an error once and end every rank; returns only where the core has not been loaded."""
        code = EXIT_ENVIRONMENT
        try:
            code = self._report_fault(fault)
        except MemoryError:
            os.write(2, b"error: out of memory\n")
        except Exception:  # while the fault was reported: what counts is that all ranks end
            os.write(2, b"error: the fault of a rank could not be reported\n")
        return self.abort(code)

    def abort(self, code: int) -> int:
        """End every rank; returns only where the core has not been loaded."""
        if self.core is not None:
            self.core.mpi_abort(code)
        return code

    def _report_fault(self, fault: Exception) -> int:
        """Have the message printed, by our launcher or here, and return the exit code."""
        error = core_loader.translate(self.core, fault)
        message = printable(f"{error} (rank {self.rank})" if self.rank else str(error))
        where = traceback_of(fault)
        if write_report(self.shared, self.rank, error.exit_code, message, where):
            time.sleep(self.grace if self.in_mpi else 0.0)
            return error.exit_code
        if self.rank != 0:
            time.sleep(self.grace)
        print(f"{where}error: {message}", file=sys.stderr, flush=True)
        time.sleep(_BEFORE_OTHERS if self.in_mpi and self.size > 1 else 0.0)
        return error.exit_code
