#!/usr/bin/env python3
"""Parts of the library on simulated clusters, compared with what was published.

    make study-scale
    .venv/bin/python benchmarks/simulated/run.py --studies al108,boxes --json scale.json

SimGrid runs the library's own plans and transports; messages take time, computing takes none unless a study says so.
All times are simulated, none is measured. Tables go to standard output, progress to standard error. If a study fails,
the others go on, its name is printed at the end and the exit code is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import castep
import cp2k
import gao
import local_orbitals
import octopus
import onetep
import propagation
import scf
from cluster import PROGRAM, SimulationError, processor_seconds

# In the order in which they start: the longest ones first, so that both cores are busy until the end.
STUDIES: dict[str, Callable[[bool], Any]] = {
    "loop": scf.loop,
    "castep": castep.run,
    "halo": octopus.run,
    "halo-in-time": propagation.run,
    "boxes": onetep.run,
    "local-orbitals": local_orbitals.run,
    "padded-fft": cp2k.fft,
    "padded-messages": cp2k.messages,
    "set-up": scf.set_up,
    "al500": partial(gao.run, "al500"),
    "al108": partial(gao.run, "al108"),
}


@dataclass(frozen=True)
class Outcome:
    """What a study printed, its figures, why it failed if it did, and the seconds of a core that it took."""

    text: str
    found: Any
    fault: str
    processor: float


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", default=",".join(STUDIES))
    parser.add_argument("--full", action="store_true", help="also what takes long")
    parser.add_argument("--jobs", type=int, default=2, help="studies at the same time; each simulation needs one core")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    if not PROGRAM.exists():
        print(f"{PROGRAM} is missing: make study-scale builds it", file=sys.stderr)
        return 3
    names = arguments.studies.split(",")
    for name in names:
        if name not in STUDIES:
            print(f'--studies: unknown "{name}"; valid: {", ".join(STUDIES)}', file=sys.stderr)
            return 2
    start = time.monotonic()
    outcomes = run_all(names, arguments.full, arguments.jobs)
    used = sum(one.processor for one in outcomes.values())
    print(f"all studies: {time.monotonic() - start:.0f} s, {used:.0f} s of a core")
    if arguments.json:
        arguments.json.write_text(json.dumps({name: outcomes[name].found for name in names}, indent=1) + "\n")
    failed = [name for name in names if outcomes[name].fault]
    for name in failed:
        print(f"study {name} failed: {outcomes[name].fault}", file=sys.stderr)
    return 1 if failed else 0


def run_all(names: list[str], full: bool, jobs: int) -> dict[str, Outcome]:
    """Run the studies, several at a time, and print each as soon as it has ended."""
    outcomes: dict[str, Outcome] = {}
    with ProcessPoolExecutor(jobs) as pool:
        running: dict[Future[Outcome], str] = {pool.submit(study, name, full): name for name in names}
        for one in as_completed(running):
            name = running[one]
            outcomes[name] = one.result()
            print(outcomes[name].text, flush=True)
            state = "failed" if outcomes[name].fault else "done"
            print(f"[{len(outcomes)} of {len(names)}] {name}: {state}", file=sys.stderr, flush=True)
    return outcomes


def study(name: str, full: bool) -> Outcome:
    """Run a study; its simulations print their progress."""
    start, before = time.monotonic(), processor_seconds()
    text, found, fault = io.StringIO(), None, ""
    with contextlib.redirect_stdout(text):
        try:
            found = STUDIES[name](full)
        except SimulationError as error:
            fault = str(error)
        except Exception as error:  # a fault of one study must not end the others
            fault = f"{type(error).__name__}: {error}"
        used = processor_seconds() - before
        print(f"({name}: {time.monotonic() - start:.0f} s, {used:.0f} s of a core)")
    return Outcome(text.getvalue(), found, fault, used)


if __name__ == "__main__":
    sys.exit(main())
