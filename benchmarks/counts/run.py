#!/usr/bin/env python3
"""What five calculations need, counted: H applications, FFTs, messages and bytes, allocations per SCF step.

    .venv/bin/python benchmarks/counts/run.py             # a table, compared with the newest line of history.jsonl
    .venv/bin/python benchmarks/counts/run.py --append    # adds a line for this version, with a --note that says why

A count does not depend on the load of the machine, and hardly on its kind, so that `make test` can compare it
(tests/python/test_counts.py): a change that needs more has to say so in history.jsonl. Two ranks of one thread each.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HISTORY = HERE / "history.jsonl"
CASES = tuple(sorted(path.stem for path in HERE.glob("*.toml")))
COUNTER = ROOT / "build/release/tests/refuse_memory.so"
_EARLY = 2  # steps of the shorter run; what it allocates is taken off


class RunError(Exception):
    """A calculation ended in another way than it should."""


def counts(case: str, folder: Path) -> dict[str, float]:
    """Return what a case needs; its files go to `folder`."""
    few = f"max_steps = {_EARLY}"
    _run(case, folder, "first", few)  # FFTW makes its plans and keeps them
    early = _run(case, folder, "early", few)[1]
    result, calls = _run(case, folder, "whole")
    steps = result["scf_steps"]
    return {
        "scf_steps": steps,
        "h_applications": result["h_applications"],
        "ffts": result["ffts"],
        "messages": sum(sent["messages"] for sent in result["traffic"]),
        "bytes": sum(sent["bytes"] for sent in result["traffic"]),
        "allocations_per_step": round((calls - early) / (steps - _EARLY), 1),
    }


def _run(case: str, folder: Path, name: str, scf: str = "") -> tuple[dict, int]:
    """Run a case; return its result and the number of allocations of rank 0."""
    path, out, total = folder / f"{name}.toml", folder / name, folder / f"{name}.allocations"
    path.write_text(re.sub(r"^\[scf\]$", f"[scf]\n{scf}", (HERE / f"{case}.toml").read_text(), flags=re.MULTILINE))
    mine = ("OMPI_COMM_WORLD", "PMIX_", "PMI_", "WAVEGRID_")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(mine)}
    environment |= {"LD_PRELOAD": str(COUNTER), "REFUSE_RANK": "0", "REFUSE_AT": "0", "REFUSE_TOTAL": str(total)}
    words = ["run", str(path), "--ranks", "2", "--threads", "1", "--quiet", "--output", str(out)]
    command = [sys.executable, "-m", "wavegrid", *words]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    expected = 1 if scf else 0  # the shorter run does not converge
    if answer.returncode != expected:
        raise RunError(f"{case}, {name}: exit code {answer.returncode}\n{answer.stderr}")
    return json.loads((out / "result.json").read_text()), int(total.read_text())


def newest() -> dict[str, dict[str, float]]:
    """Return the counts of all cases in the newest line of the history."""
    return json.loads(HISTORY.read_text().splitlines()[-1])["counts"]


def main() -> int:
    """Print the counts of all cases, and append them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--append", action="store_true", help="add a line to history.jsonl")
    parser.add_argument("--note", default="", help="what has changed, for that line")
    options = parser.parse_args()
    if not COUNTER.exists():
        sys.exit(f"error: {COUNTER} is missing; run 'make build-all'")
    found = {}
    before = newest() if HISTORY.exists() else {}
    print("| case | " + " | ".join(name.replace("_", " ") for name in _columns()) + " |")
    print("|---|" + "---|" * len(_columns()))
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="counts-") as folder:
            found[case] = counts(case, Path(folder))
        print(f"| {case} | " + " | ".join(_cell(found[case], before.get(case, {}), name) for name in _columns()) + " |")
    if options.append:
        line = {"date": datetime.now(UTC).date().isoformat(), "version": _version(), "note": options.note}
        with HISTORY.open("a") as history:
            history.write(json.dumps(line | {"counts": found}) + "\n")
    return 0


def _columns() -> tuple[str, ...]:
    return ("scf_steps", "h_applications", "ffts", "messages", "bytes", "allocations_per_step")


def _cell(now: dict[str, float], before: dict[str, float], name: str) -> str:
    last = before.get(name)
    return f"{now[name]:,}" + (f" (before {last:,})" if last is not None and last != now[name] else "")


def _version() -> str:
    answer = subprocess.run(["git", "describe", "--always"], cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
