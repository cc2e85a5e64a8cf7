"""Inputs of the studies of benchmarks/, which run seldom: all are accepted, and written for the other codes."""

import subprocess
import sys
from pathlib import Path

import pytest

CONVERGENCE = Path(__file__).parents[2] / "benchmarks" / "convergence"


@pytest.mark.skipif(not Path("/usr/share/abinit/psp").is_dir(), reason="needs Debian's abinit-data")
def test_the_convergence_study_writes_all_inputs(tmp_path: Path) -> None:
    command = [sys.executable, CONVERGENCE / "run.py", "--inputs", tmp_path / "inputs"]
    subprocess.run(command, check=True, capture_output=True)
    systems = {path.stem for path in (CONVERGENCE / "systems").glob("*.toml")}
    assert {path.parent.parent.name for path in tmp_path.glob("inputs/*/*/pw.in")} == systems
