"""Runs the compiled benchmark of checkpoints for every number of ranks and collects its output."""

import contextlib
import itertools
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from wavegrid.base.text import counted
from wavegrid.bench.checkpoint_request import Request
from wavegrid.bench.program import Measured, Row, Run, compiled, in_turn, launcher_of, versions, words
from wavegrid.errors import EnvironmentFault
from wavegrid.process import machine

KEYS = (
    "case", "ranks", "kpoint_groups", "aggregators", "buffer_mib", "what", "method", "seconds", "spread",
    "ratio_to_raw", "extra_mib_per_rank", "bytes", "machine",
)  # fmt: skip


class Result(Measured):
    """Seconds; rows have KEYS, and of writes the seconds of each part."""

    keys = KEYS


def measure(request: Request) -> Result:
    """Measure everything that the request names, with progress on a terminal's stderr."""
    result = Result(versions(), os.getloadavg()[0])
    launcher = launcher_of(result.versions, max(request.ranks))
    here = machine.describe()
    with _folder(request.directory) as folder:

        def start(case: str, ranks: int) -> None:
            def take(content: Row) -> None:
                result.rows.append({"case": case, "ranks": ranks, "machine": here} | content)

            Run(case, ranks, 1, take).start(_words(request, case, ranks, folder), launcher)

        in_turn(
            (f"{case}: {counted(ranks, 'rank')}", partial(start, case, ranks))
            for case, ranks in itertools.product(request.cases, request.ranks)
        )
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
    return [str(compiled("bench_checkpoint")), *words(options)]
