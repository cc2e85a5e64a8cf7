"""Tasks of many geometries or fields: killed in the middle, and continued on other numbers of ranks."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import test_born
import test_reaction_path
import test_vibrations
import test_wannier
from conftest import clean_environment, program, read_result, wait_for_the_lock
from series_runs import text

Values = Callable[[Path, dict], object]
OFTEN = '[output]\ncheckpoint = { every = "1 steps" }\n'


@dataclass
class Case:
    """An input, where a run is killed, from what it continues, and what both runs must have in common."""

    content: str
    started: Callable[[Path], bool]  # of the folder of a run: whether enough is there for a kill in the middle
    onward: str  # file to continue from
    values: Values
    tolerance: float = 1e-3
    prepare: Callable[[Path], None] = lambda _: None


def frames(count: int) -> Callable[[Path], bool]:
    """Return whether so many geometries are solved."""
    name = "trajectory.extxyz"
    return lambda out: (out / name).exists() and (out / name).read_bytes().count(b"Lattice") >= count


def one_field(out: Path) -> bool:
    """Return whether the first of three fields is done."""
    try:
        return len(json.loads((out / "born.json").read_text())["fields"]) >= 1
    except (OSError, ValueError):
        return False


def overlaps(out: Path, _: dict) -> list[float]:
    """Return levels, and of the occupied bands what no choice of bands among equal levels changes."""
    levels = np.loadtxt(out / "wannier90.eig")[:, 2]
    _, blocks = test_wannier.matrices(out / "wannier90.mmn")
    return [*levels, *np.linalg.svd(blocks[..., :4, :4], compute_uv=False).ravel()]


CASES = {
    "wannier": Case(
        test_wannier.SILICON.replace("SYMMETRY", "true") + f'{OFTEN}[wannier]\nprojections = ["Si:s"]\nlast_band = 4\n',
        lambda out: (out / "checkpoint.h5").exists(), "checkpoint.h5", overlaps, 1e-4,
    ),
    "eos": Case(
        text("[eos]\nvolumes = [0.9, 0.95, 1.0, 1.05, 1.1]\n", basis="grid = [18, 18, 18]\n"),
        frames(2), "trajectory.extxyz", lambda _, result: result["equation_of_state"]["fit"]["volume"], 2e-2,
    ),
    "born": Case(
        test_born.text(), one_field, "checkpoint.h5", lambda _, result: result["born"]["charges"], 2e-4
    ),
    "elastic": Case(
        text("[elastic]\nstrain = 0.01\n"), frames(2), "trajectory.extxyz",
        lambda _, result: result["elastic"]["constants_GPa"], 0.05,
    ),
    "vibrations": Case(
        test_vibrations.DIMER, frames(4), "trajectory.extxyz",
        lambda _, result: result["vibrations"]["modes"][0]["frequency_per_cm"], 0.5,
    ),
    "neb": Case(
        test_reaction_path.AMMONIA.replace("20 Ha", "10 Ha").replace("0.2 eV", "3 eV"), frames(3), "trajectory.extxyz",
        lambda _, result: result["reaction_path"]["barrier_eV"], 1e-3, test_reaction_path.write_final,
    ),
    "phonon": Case(
        text("[phonon]\nmesh = [5, 5, 5]\n", structure="supercell = [2, 1, 1]\n"), frames(1), "trajectory.extxyz",
        lambda _, result: result["phonons"]["bands"]["frequencies_THz"], 2e-2,
    ),
}  # fmt: skip


def killed(path: Path, out: Path, case: Case) -> None:
    """Run on two ranks and kill the program once enough is there."""
    command = [sys.executable, "-m", "wavegrid", "run", path, "--ranks", "2", "--output", out]
    child = subprocess.Popen(list(map(str, command)), env=clean_environment(), stdout=subprocess.DEVNULL)
    until = time.monotonic() + 240
    while not case.started(out) and child.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    for process in [child.pid, *below(child.pid)]:  # the launcher alone would have its ranks end their step
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    child.wait(timeout=60)
    wait_for_the_lock(out)
    assert case.started(out)


def below(process: int) -> list[int]:
    """Return the processes that a process has started, and those below them."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [one for child in map(int, children) for one in (child, *below(child))]


@pytest.mark.parametrize("name", CASES)
def test_a_killed_task_continues_on_other_ranks(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    if name == "phonon" and importlib.util.find_spec("phonopy") is None:
        pytest.skip("no phonopy")
    case.prepare(tmp_path)
    path, out = tmp_path / "in.toml", tmp_path / "out"
    path.write_text(case.content)
    killed(path, out, case)
    assert not (out / "result.json").exists()
    again = program("run", path, "--output", out, "--ranks", 3, "--restart", out / case.onward)
    assert again.returncode == 0, again.stderr + again.stdout
    whole = program("run", path, "--output", tmp_path / "whole", "--ranks", 1)
    assert whole.returncode == 0, whole.stderr
    found, expected = (np.array(case.values(one, read_result(one))) for one in (out, tmp_path / "whole"))
    assert found == pytest.approx(expected, abs=case.tolerance)
