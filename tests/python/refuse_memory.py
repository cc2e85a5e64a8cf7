"""Runs in each of which one allocation of one rank is refused: they must end, with one message and exit code 3.

python tests/python/refuse_memory.py                 # every call stack of an allocation, on rank 1 of 2
python tests/python/refuse_memory.py --every 20      # a sample
python tests/python/refuse_memory.py --jobs 8        # runs at the same time; they wait more than they compute
python tests/python/refuse_memory.py --transport shared --ranks 3 --rank 0
python tests/python/refuse_memory.py --at 1234       # one of them, to look at it
"""

import argparse
import dataclasses
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from conftest import clean_environment

LIBRARY = Path(__file__).parents[2] / "build" / "release" / "tests" / "refuse_memory.so"
TIME_LIMIT = 120.0  # seconds; an undisturbed run takes one or two
EXPECTED = (0, 3)  # some failures are tolerated: HDF5 and FFTW then do with less

_INPUT = """\
[structure]
cell = [[7.65,0,0],[0,7.65,0],[0,0,7.65]]
unit = "bohr"
atoms = [["Al",0,0,0],["Al",0,0.5,0.5],["Al",0.5,0,0.5],["Al",0.5,0.5,0]]
coordinates = "fractional"
[basis]
ecut = "3 Ha"
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
smearing = {{ kind = "fermi-dirac", width = "0.2 eV" }}
[scf]
energy_tolerance = "1e-2 Ha"
[parallel]
transport = "{transport}"
deterministic = {deterministic}
band_groups = 1
[output]
checkpoint = {{ every = "1 step" }}
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """What runs, and the rank whose allocation is refused."""

    transport: str = "one_sided"
    deterministic: bool = True
    ranks: int = 2
    rank: int = 1


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a run ended; no exit code: it had to be killed."""

    exit_code: int | None
    errors: list[str]
    seconds: float

    @property
    def is_good(self) -> bool:
        """Whether it ended as a fault has to: with one line on stderr if at all."""
        return self.exit_code in EXPECTED and len(self.errors) == (self.exit_code != 0)


def _arguments(case: Case, folder: Path) -> list[str]:
    """Write the input file into a folder; return the command line."""
    path = folder / "in.toml"
    path.write_text(_INPUT.format(transport=case.transport, deterministic=str(case.deterministic).lower()))
    return ["run", str(path), "--ranks", str(case.ranks), "--quiet", "--output", str(folder / "out")]


def _environment(case: Case, at: int) -> dict[str, str]:
    refuse = {"LD_PRELOAD": str(LIBRARY), "REFUSE_RANK": str(case.rank), "REFUSE_AT": str(at)}
    return clean_environment() | refuse


def run(case: Case, folder: Path, at: int, sites: Path | None = None) -> Outcome:
    """Run the case with allocation number `at` refused (0: none), in a folder for its files."""
    environment = _environment(case, at)
    if sites is not None:
        environment["REFUSE_SITES"] = str(sites)
    command = [sys.executable, "-m", "wavegrid", *_arguments(case, folder)]
    began = time.monotonic()
    child = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        errors = child.communicate(timeout=TIME_LIMIT)[1].splitlines()
    except subprocess.TimeoutExpired:
        child.terminate()  # ends its ranks
        child.communicate()
        return Outcome(None, [], time.monotonic() - began)
    return Outcome(child.returncode, errors, time.monotonic() - began)


@dataclasses.dataclass(frozen=True)
class _Started:
    """A run of the sweep."""

    at: int
    folder: Path
    began: float


def sweep(case: Case, folder: Path, numbers: list[int], jobs: int) -> Iterator[tuple[int, Outcome]]:
    """Run the case once for each number, `jobs` at the same time; yield number and outcome as they end.

    The runs are forked from this process, which has imported what the launcher imports: half of the time of a run.
    """
    for module in ("wavegrid._core", "wavegrid.cli.main", "wavegrid.job.prepare"):
        importlib.import_module(module)
    waiting, running = list(reversed(numbers)), dict[int, _Started]()
    free = [folder / str(n) for n in range(jobs)]
    for one in free:
        one.mkdir()
    while waiting or running:
        while waiting and free:
            started = _Started(waiting.pop(), free.pop(), time.monotonic())
            running[_fork(case, started)] = started
        for pid, started in list(running.items()):
            if (outcome := _outcome(pid, started)) is not None:
                del running[pid]
                free.append(started.folder)
                yield started.at, outcome
        time.sleep(0.02)


def _fork(case: Case, started: _Started) -> int:
    """Start a run in a child process; return its process id."""
    from wavegrid.cli.main import app

    arguments = _arguments(case, started.folder)
    if (pid := os.fork()) != 0:
        return pid
    os.dup2(os.open(started.folder / "errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    environment = _environment(case, started.at)
    os.environ.clear()
    os.environ.update(environment)
    code = 4
    try:
        app(arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.stderr.flush()
        os._exit(code)


def _outcome(pid: int, started: _Started) -> Outcome | None:
    """Return how a run ended, None while it goes on; one that takes too long is ended."""
    seconds = time.monotonic() - started.began
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended == pid:
        errors = (started.folder / "errors").read_text(errors="replace").splitlines()
        return Outcome(os.waitstatus_to_exitcode(status), errors, seconds)
    if seconds < TIME_LIMIT:
        return None
    os.kill(pid, signal.SIGTERM)  # ends its ranks
    os.waitpid(pid, 0)
    return Outcome(None, [], seconds)


def sites(case: Case, folder: Path) -> list[int]:
    """Return the numbers of the allocations with which a call stack occurs for the first time."""
    path = folder / "sites"
    outcome = run(case, folder, 0, path)
    assert outcome.exit_code == 0, outcome
    return [int(line) for line in path.read_text().split()]


def main() -> int:
    """Refuse the allocations that the command line asks for; print each outcome that is not good."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", default=Case.transport)
    parser.add_argument("--fast", action="store_true", help="not deterministic")
    parser.add_argument("--ranks", type=int, default=Case.ranks)
    parser.add_argument("--rank", type=int, default=Case.rank)
    parser.add_argument("--every", type=int, default=1, help="of the call stacks")
    parser.add_argument("--at", type=int, help="this allocation only")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1), help="runs at the same time")
    asked = parser.parse_args()
    case = Case(asked.transport, not asked.fast, asked.ranks, asked.rank)
    bad = 0
    with tempfile.TemporaryDirectory() as made:
        numbers = [asked.at] if asked.at is not None else sites(case, Path(made))[:: asked.every]
        print(f"{len(numbers)} allocations of rank {case.rank}", flush=True)
        codes: dict[int | None, int] = {}
        for done, (at, outcome) in enumerate(sweep(case, Path(made), numbers, asked.jobs), 1):
            if done % 250 == 0:
                print(f"{done} done", flush=True)
            codes[outcome.exit_code] = codes.get(outcome.exit_code, 0) + 1
            if not outcome.is_good or asked.at is not None:
                bad += not outcome.is_good
                print(f"allocation {at}: {outcome}", flush=True)
        print(f"exit codes and how often: {codes}; {bad} not as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
