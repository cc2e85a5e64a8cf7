"""wavegrid.engine under mpirun: plans, transforms, errors, an mpi4py for another MPI library."""

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import clean_environment

from wavegrid.launch import mpirun
from wavegrid.process import core_loader

# mpi4py is not imported here: ASE would then start MPI in the process of the tests, and their programs would take
# themselves for ranks.


@pytest.mark.parametrize("checks", ["engine_checks.py", "operator_checks.py"])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_engine(ranks: int, checks: str, tmp_path: Path) -> None:
    launcher = mpirun.find_launcher(core_loader.load().versions()["mpi"])
    program = [sys.executable, str(Path(__file__).with_name(checks))]
    environment = mpirun.environment(launcher, ranks, 1, tmp_path) | clean_environment()
    answer = subprocess.run(
        mpirun.command(launcher, ranks, 1, program),
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (answer.returncode, answer.stdout) == (0, f"checked on {ranks} ranks\n"), answer.stderr
