"""Kills programs that write checkpoints, at random moments, and looks at what is left.

`python tests/python/kill_writer.py 200` does it 200 times and prints what it found; `make study-checkpoint-kill`.
"""

import argparse
import collections
import os
import random
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
from conftest import clean_environment

from wavegrid.bench.program import compiled
from wavegrid.checkpoint.verify import verify
from wavegrid.launch import mpirun
from wavegrid.process import core_loader

_PHASES = 1024
_START = 60.0  # seconds that ranks may take to start
_LONGEST = 0.4  # seconds from the start of the ranks to the kill


@dataclass
class Found:
    """What was left after the kills."""

    kills: collections.Counter = field(default_factory=collections.Counter)  # by ranks and who was killed
    generations: list[int] = field(default_factory=list)  # of checkpoint.h5 after each kill, 0 before the first
    partial: int = 0  # kills that left an unfinished file
    unannounced: int = 0  # kills between a finished write and the line that reports it


def kill_often(directory: Path, kills: int, seed: int, case: str = "tiny", tell=None) -> Found:
    """Kill `kills` writers one after the other in one directory; AssertionError where a checkpoint is lost.

    MPI leaves files of its own in the folder above.
    """
    choose = random.Random(seed)
    found = Found()
    newest = 0
    for number in range(kills):
        ranks = 1 + number % 3
        who = "all" if ranks == 1 else choose.choice(["all", "rank 0", f"rank {ranks - 1}", "mpirun and rank 0"])
        announced = _kill_one(directory, ranks, who, case, newest + 1, choose.uniform(0, _LONGEST))
        newest = _check(directory, newest, announced, found)
        found.kills[f"{ranks}: {who}"] += 1
        if tell:
            tell(number + 1, newest)
    return found


def _kill_one(directory: Path, ranks: int, who: str, case: str, first: int, delay: float) -> int:
    """Start a writer, kill it `delay` after its first line, and return the last generation that it called done."""
    log = directory / "log"
    log.unlink(missing_ok=True)
    launcher = mpirun.find_launcher(core_loader.load().versions()["mpi"]) if ranks > 1 else None
    words = ["--case", case, "--directory", str(directory), "--endless", str(first)]
    command = mpirun.command(launcher, ranks, 1, [str(compiled("bench_checkpoint")), *words])
    environment = clean_environment() | mpirun.environment(launcher, ranks, 1, directory.parent)
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, env=environment, stdout=said, stderr=said, start_new_session=True)
        try:
            pids = _started(log, child, ranks)
            time.sleep(delay)
            assert child.poll() is None, "the writer ended by itself"
        except AssertionError as fault:
            said.seek(0)
            raise AssertionError(f"{fault}: {said.read().decode(errors='replace')}") from None
        finally:
            if "pids" not in locals():
                os.killpg(child.pid, signal.SIGKILL)
        if who.startswith("rank"):
            os.kill(pids[int(who.split()[1])], signal.SIGKILL)  # mpirun ends the others
        else:
            os.killpg(child.pid, signal.SIGKILL)
            for pid in pids[:1] if who == "mpirun and rank 0" else pids:
                _kill(pid)
        child.wait(timeout=_START)
        _wait_for_end(pids)
    done = [line.split()[1] for line in log.read_text().splitlines() if line.startswith("done ")]
    return int(done[-1]) if done else 0


def _started(log: Path, child: subprocess.Popen, ranks: int) -> list[int]:
    """Wait until every rank has printed its process id; return them by rank."""
    end = time.monotonic() + _START
    while time.monotonic() < end:
        lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
        pids = {int(words[1]): int(words[3]) for words in lines if words[0] == "rank"}
        if len(pids) == ranks:
            return [pids[rank] for rank in range(ranks)]
        assert child.poll() is None, "the writer did not start"
        time.sleep(0.002)
    raise AssertionError("the writer did not start in time")


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _wait_for_end(pids: list[int]) -> None:
    """Wait until no rank runs any more; those that do not end are killed after a while."""
    patience = time.monotonic() + 3
    while any(map(_runs, pids)):
        if time.monotonic() > patience:
            for pid in pids:
                _kill(pid)
        time.sleep(0.002)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _check(directory: Path, before: int, announced: int, found: Found) -> int:
    """Check everything that a kill left; return the generation of the newest checkpoint, 0 for none."""
    newest, older = directory / "checkpoint.h5", directory / "checkpoint.1.h5"
    names = {path.name for path in directory.iterdir()} - {"log"}
    left = {name for name in names if name.startswith(".checkpoint.h5.") and name.endswith(".partial")}
    assert names <= left | {newest.name, older.name}, names
    # The new file, and perhaps a second name of the newest whole one, which takes no space.
    assert len(left) <= 2 and sum(".link-" not in name for name in left) <= 1, left
    # A newer one may be whole before it is called done.
    valid = {path: _generation(path) for path in (newest, older) if path.exists()}
    best = max(valid.values(), default=0)
    at_least = max(before, announced)
    assert best in (at_least, at_least + 1), (valid, before, announced)
    assert best == 0 or newest in valid, valid
    assert valid.get(older, 0) in (0, best - 1, best), valid
    found.partial += bool(left)
    found.unannounced += best > at_least
    found.generations.append(best)
    return best


def _generation(path: Path) -> int:
    """Verify a whole checkpoint and that every number in it is of one generation; return which."""
    assert verify(path)["intact"]
    with h5py.File(path, "r", locking=False) as file:
        group = file["wavegrid"]
        generation = int(group.attrs["steps"])
        assert float(group["energy"][()]) == -generation
        assert (group["potential"][:] == generation).all()
        counts, g = file["mf_header/kpoints/ngk"][:], file["wfns/gvecs"][:]
        c = file["wfns/coeffs"][:, 0].view(np.complex128)[..., 0]
        k, band = np.repeat(np.arange(len(counts)), counts), np.arange(len(c))[:, None]
        turns = 131 * generation + 31 * k + 7 * band + g @ [1, 5, 11]
        expected = np.exp(2j * np.pi * (turns % _PHASES) / _PHASES) / np.sqrt(np.repeat(counts, counts))
        assert np.abs(c - expected).max() < 1e-14
    return generation


def main() -> None:
    """Kill as often as the command line says and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kills", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", default="tiny", choices=["tiny", "small"])
    parser.add_argument("--directory", type=Path, default=Path("."))
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wavegrid-kill-", dir=options.directory) as folder:
        checkpoints = Path(folder) / "checkpoints"  # next to the files of MPI, which killed programs leave
        checkpoints.mkdir()
        found = kill_often(checkpoints, options.kills, options.seed, options.case, _tell)
    print(f"\n{options.kills} kills in {time.monotonic() - began:.0f} s: after each the newest checkpoint was whole")
    for kind, count in sorted(found.kills.items()):
        print(f"  {count:4d} x ranks {kind}")
    print(f"  generations written: {found.generations[-1]}; never one back")
    print(f"  kills that left an unfinished file: {found.partial}; never more than one")
    print(f"  kills right behind a finished file: {found.unannounced}")


def _tell(number: int, newest: int) -> None:
    print(f"\r{number} kills, generation {newest}", end="", flush=True)


if __name__ == "__main__":
    main()
