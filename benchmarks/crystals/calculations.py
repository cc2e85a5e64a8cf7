"""Inputs of the studies as dictionaries, and how they are run."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests/reference/crystals"
WAVEGRID = ROOT / ".venv/bin/wavegrid"
A_AL = 7.6533909  # bohr
FCC_SITES = [[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
TOLERANCE = "1e-10 Ha"


def stored(name: str) -> dict:
    """Return the input of a case of tests/reference/crystals."""
    return tomllib.loads((CASES / name / "case.toml").read_text())


def reference(name: str) -> dict:
    """Return what ABINIT and pw.x found for it."""
    return json.loads((CASES / name / "reference.json").read_text())


def aluminium() -> dict:
    """Return Al4 at the cutoff of the paper, which the other examples share."""
    return {
        "structure": {
            "cell": [[A_AL, 0, 0], [0, A_AL, 0], [0, 0, A_AL]],
            "unit": "bohr",
            "coordinates": "fractional",
            "atoms": [["Al", *site] for site in FCC_SITES],
        },
        "basis": {"ecut": "8.8309 Ha", "grid": [16, 16, 16]},
        "electrons": {
            "xc": "LDA_XC_TETER93",
            "pseudopotentials": "gth-lda",
            "smearing": {"kind": "fermi-dirac", "width": "0.00735 Ha"},
        },
        "scf": {"energy_tolerance": TOLERANCE},
    }


def changed(case: dict, **sections: dict) -> dict:
    """Return the case with keys of its sections replaced; None removes a key."""
    answer = copy.deepcopy(case)
    for section, keys in sections.items():
        merged = answer.get(section, {}) | keys
        answer[section] = {key: value for key, value in merged.items() if value is not None}
    return answer


def toml(value: object) -> str:
    """Return a value as TOML; JSON's numbers, texts and lists are TOML's too."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


def document(case: dict) -> str:
    """Return the input file of a case."""
    lines = []
    for section, keys in case.items():
        lines += [f"[{section}]", *(f"{key} = {toml(value)}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"


def run(case: dict, ranks: int = 1, seconds: float = 1800) -> dict:
    """Run a case by the command and return its result.json. Raises RuntimeError where it did not converge."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    with tempfile.TemporaryDirectory(prefix="crystals_") as folder:
        path = Path(folder) / "in.toml"
        path.write_text(document(case))
        command = [WAVEGRID, "run", path, "--ranks", str(ranks), "--output", f"{folder}/out", "--quiet"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{done.stdout}{done.stderr}\n{path.read_text()}")
        return json.loads((Path(folder) / "out/result.json").read_text())


def each(function: Callable, items: Iterable, jobs: int) -> list:
    """Return function(item) of each item, `jobs` at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))


def markdown(head: str, rows: list[list[str]]) -> str:
    """Return a table; `head` has its columns apart by |."""
    columns = head.split("|")
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(word.strip() for word in line) + " |" for line in lines)
