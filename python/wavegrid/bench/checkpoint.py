"""Runs the compiled benchmark of checkpoints for every number of ranks and collects its output."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from wavegrid.base.text import counted
from wavegrid.bench.checkpoint_request import Request
from wavegrid.bench.program import Run, compiled, versions, words
from wavegrid.errors import EnvironmentFault
from wavegrid.launch import mpirun
from wavegrid.process import machine

KEYS = (
    "case", "ranks", "kpoint_groups", "aggregators", "buffer_mib", "what", "method", "seconds", "spread",
    "ratio_to_raw", "extra_mib_per_rank", "bytes", "machine",
)  # fmt: skip


@dataclass
class Result:
    """What was measured, by which versions."""

    versions: dict[str, str]
    load: float  # threads at work on this machine in the minute before
    rows: list[dict[str, Any]] = field(default_factory=list)  # with KEYS, and of writes the seconds of each part

    def json_rows(self) -> list[dict[str, Any]]:
        """Return the rows with KEYS alone."""
        return [{key: row[key] for key in KEYS} for row in self.rows]


def program() -> Path:
    """Return the compiled benchmark."""
    return compiled("bench_checkpoint")


def measure(request: Request) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Result(versions(), os.getloadavg()[0])
    launcher = mpirun.find_launcher(result.versions.get("mpi", "")) if max(request.ranks) > 1 else None
    here = machine.describe()
    console = Console(stderr=True)
    with (
        _folder(request.directory) as folder,
        Progress(console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task("", total=len(request.cases) * len(request.ranks))
        for case in request.cases:
            for ranks in request.ranks:
                progress.update(task, description=f"{case}: {counted(ranks, 'rank')}")
                take = partial(_take, result.rows, {"case": case, "ranks": ranks, "machine": here})
                Run(case, ranks, 1, take).start(_words(request, case, ranks, folder), launcher)
                progress.advance(task)
    return result


@contextlib.contextmanager
def _folder(directory: Path) -> Iterator[Path]:
    """Make a folder of our own there and remove it in the end."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        made = tempfile.TemporaryDirectory(prefix="wavegrid-bench-", dir=directory, ignore_cleanup_errors=True)
    except OSError as fault:
        raise EnvironmentFault(f"cannot write to {directory}: {fault.strerror}; give another --directory") from None
    with made as path:
        yield Path(path)


def _take(rows: list[dict[str, Any]], start: dict[str, Any], content: dict[str, Any]) -> None:
    rows.append(start | content)


def _words(request: Request, case: str, ranks: int, folder: Path) -> list[str]:
    """Return the command line of the program."""
    aggregators = dict.fromkeys(min(count, ranks) for count in request.aggregators)
    options = {
        "--case": case,
        "--directory": str(folder),
        "--aggregators": ",".join(map(str, aggregators)),
        "--buffer": ",".join(map(str, request.buffers)),
        "--kpoint-groups": str(min(request.kpoint_groups, ranks)),
        "--repeats": str(request.repeats),
    }
    return [str(program()), *words(options)]
