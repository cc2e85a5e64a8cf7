"""Refused memory ends all ranks with one message and exit code 3; `make test-allocations` refuses every allocation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import refuse_memory
from conftest import clean_environment
from refuse_memory import Case

needs_library = pytest.mark.skipif(not refuse_memory.LIBRARY.exists(), reason="'make build-all' makes the library")


@needs_library
def test_a_refused_allocation_ends_all_ranks(tmp_path: Path) -> None:
    case = Case()
    numbers = refuse_memory.sites(case, tmp_path)
    assert len(numbers) > 500
    for at in (numbers[0], *numbers[150 :: len(numbers) // 3]):
        outcome = refuse_memory.run(case, tmp_path, at)
        assert outcome.is_good, (at, outcome)
    assert ".wavegrid.lock" not in os.listdir(tmp_path / "out")


def mpirun(limit: int, arguments: list[str], folder: Path) -> subprocess.CompletedProcess:
    """Run the program on 3 ranks as a user starts them, the second one with a limit of its memory in kB."""
    program = [sys.executable, "-m", "wavegrid", *arguments]
    limited = ["bash", "-c", f'ulimit -v {limit}; exec "$@"', "limited", *program]
    ranks = [["-n", "1", *words] for words in (program, limited, program)]
    command = ["mpirun", "--oversubscribe", *ranks[0], ":", *ranks[1], ":", *ranks[2]]
    environment = clean_environment() | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(("limit", "words"), [(100_000, "ulimit -v"), (600_000, "ulimit -v")])
def test_one_of_three_ranks_with_too_little_memory(limit: int, words: str, tmp_path: Path) -> None:
    """OpenBLAS would ask for its buffer for ever, and the other ranks would wait."""
    path = tmp_path / "in.toml"
    path.write_text(refuse_memory._INPUT.format(transport="auto", deterministic="false"))
    answer = mpirun(limit, ["run", str(path), "--output", str(tmp_path / "out")], tmp_path)
    assert answer.returncode == 3
    first = answer.stderr.splitlines()[0]
    assert first.startswith("error: the limit of memory")
    assert words in first
    assert first.endswith("(rank 1)")
    assert answer.stderr.count("error: ") == 1


@pytest.mark.parametrize("command", [["version"], ["run", "in.toml", "--ranks", "1"], ["check", "in.toml"]])
def test_a_limit_below_the_libraries(command: list[str], tmp_path: Path) -> None:
    words = [sys.executable, "-m", "wavegrid", *command]
    limited = ["bash", "-c", 'ulimit -v 300000; exec "$@"', "limited", *words]
    answer = subprocess.run(limited, env=clean_environment(), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (3, "")
    assert answer.stderr.startswith("error: the limit of memory (ulimit -v) is 307 MB; the program needs")
    assert answer.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == []
