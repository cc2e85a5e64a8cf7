"""The program around the core, with a stand-in core: ranks, exit codes, one message per fault, signals."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import program

MPIRUN = ["mpirun", "--oversubscribe", "-n", "3", sys.executable, "-m", "wavegrid"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_a_run_leaves_one_complete_file(ranks: int, write: Callable[..., Path], fake_environment: dict) -> None:
    out = write().parent / "out"
    for _ in range(2):  # a rerun replaces the file
        answer = program("run", write(), "--ranks", ranks, "--output", out, environment=fake_environment)
        assert (answer.returncode, answer.stderr) == (0, "")
    assert "free energy" in answer.stdout
    assert sorted(os.listdir(out)) == ["result.extxyz", "result.json"]
    result = json.loads((out / "result.json").read_text())
    assert result["title"] == "Al4"
    assert result["input"]["basis"]["ecut"] == "240 eV"
    assert {"wavegrid", "python", "mpi"} <= set(result["versions"])
    times = result["wall_seconds"]
    assert times["total"] == pytest.approx(sum(times.get(name, 0) for name in ("fft", "exchange", "other")))


def test_quiet_prints_nothing(write: Callable[..., Path], fake_environment: dict) -> None:
    answer = program("run", write(), "--quiet", environment=fake_environment, cwd=write().parent)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    assert (write().parent / "out" / "result.json").exists()


@pytest.mark.parametrize(("behaviour", "code"), [("", 0), ("unconverged", 1), ("fault", 4)])
def test_json_is_the_result_and_nothing_else(
    behaviour: str, code: int, write: Callable[..., Path], fake_environment: dict
) -> None:
    out = write().parent / "out"
    environment = fake_environment | {"FAKE_CORE": behaviour}
    answer = program("run", write(), "--ranks", 2, "--json", "--output", out, environment=environment)
    assert answer.returncode == code
    assert answer.stdout == ((out / "result.json").read_text() if code < 2 else "")
    assert answer.stderr.count("\n") == (code > 0)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize(
    ("behaviour", "code", "message"),
    [
        (
            "unconverged",
            1,
            "not converged in 3 steps: error 1.0e-06 Ha, tolerance 1.0e-07 Ha. The error still falls by a factor ",
        ),
        ("bad", 2, "error: LDA_X+LDA_X counts exchange twice"),
        ("fault", 4, "error: the wave functions are not finite"),
        ("crash", 4, "error: the calculation ended unexpectedly (signal SIGSEGV)"),
    ],
)
def test_exit_codes_and_one_message(
    ranks: int, behaviour: str, code: int, message: str, write: Callable[..., Path], fake_environment: dict
) -> None:
    environment = fake_environment | {"FAKE_CORE": behaviour}
    out = write().parent / "out"
    answer = program("run", write(), "--ranks", ranks, "-q", "--output", out, environment=environment)
    assert answer.returncode == code
    assert len(answer.stderr.splitlines()) == 1
    assert answer.stderr.startswith(message)
    assert (out / "result.json").exists() == (code == 1)


def test_a_fault_on_another_rank_ends_all(write: Callable[..., Path], fake_environment: dict) -> None:
    environment = fake_environment | {"FAKE_CORE": "fault1"}
    began = time.monotonic()
    answer = program("run", write(), "--ranks", 3, "-q", cwd=write().parent, environment=environment)
    assert answer.returncode == 4
    assert answer.stderr.splitlines() == ["error: the wave functions are not finite (rank 1)"]
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("alone", [False, True])
def test_the_traceback_of_a_rank(alone: bool, write: Callable[..., Path], fake_environment: dict) -> None:
    """Once, before the message, whether we or the user started MPI."""
    environment = fake_environment | {"FAKE_CORE": "fault1", "WAVEGRID_TRACEBACK": "1"}
    arguments = ["run", write(), "--ranks", 3, "-q", "--output", write().parent / "out"]
    answer = program(*arguments, environment=environment) if alone else mpirun(arguments, environment)
    assert answer.returncode == 4
    assert answer.stderr.count("Traceback") == 1
    assert answer.stderr.count("in _calculate") == 1
    lines = answer.stderr.splitlines()
    assert "error: the wave functions are not finite (rank 1)" in lines[10:]


def test_under_a_launcher(write: Callable[..., Path], fake_environment: dict) -> None:
    answer = mpirun(["run", write(), "--ranks", "3", "--output", write().parent / "out"], fake_environment)
    assert answer.returncode == 0
    assert answer.stdout.count("free energy (Ha)") == 1
    assert answer.stdout.count("written:") == 2
    assert answer.stdout.count("converged in 3 steps") == 1


def test_bad_input_under_a_launcher_is_reported_once(write: Callable[..., Path], fake_environment: dict) -> None:
    wrong = write(("ecut =", "ecutt ="), name="wrong.toml")
    for arguments, words in (
        (["run", wrong], "did you mean 'ecut'?"),
        (["run", write(), "--ranks", "2"], "--ranks 2 under a launcher with 3 ranks"),
    ):
        answer = mpirun(arguments, fake_environment)
        assert answer.returncode == 2
        assert answer.stderr.count("error:") == 1
        assert words in answer.stderr


def mpirun(arguments: list, environment: dict) -> subprocess.CompletedProcess:
    """Run the program as a user does who starts MPI himself."""
    command = [*MPIRUN, *map(str, arguments)]
    return subprocess.run(command, env=environment | AS_ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_no_mpirun(write: Callable[..., Path], fake_environment: dict) -> None:
    empty = write().parent / "empty"
    empty.mkdir()
    answer = program("run", write(), "--ranks", 2, environment=fake_environment | {"PATH": str(empty)})
    assert answer.returncode == 3
    assert "apt install" in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_an_unwritable_directory_is_found_before_the_start(write: Callable[..., Path], fake_environment: dict) -> None:
    answer = program("run", write(), "--output", "/proc/nowhere", environment=fake_environment)
    assert (answer.returncode, answer.stdout) == (3, "")
    assert answer.stderr.startswith("error: results cannot be written to '/proc/nowhere'")


def test_the_old_result_survives_a_fault_while_writing(write: Callable[..., Path], fake_environment: dict) -> None:
    out = write().parent / "out"
    for behaviour in ("", "full"):
        environment = fake_environment | {"FAKE_CORE": behaviour}
        answer = program("run", write(), "--ranks", 2, "--output", out, environment=environment)
    assert answer.returncode == 3
    assert "File too large" in answer.stderr
    assert sorted(os.listdir(out)) == ["result.extxyz", "result.json"]
    assert json.loads((out / "result.json").read_text())["converged"]


def test_a_part_that_fails_after_the_loop_does_not_cost_the_energy(
    write: Callable[..., Path], fake_environment: dict
) -> None:
    out = write().parent / "out"
    path = write(("[output]", '[task]\nkind = "dos"\n[output]'))
    environment = fake_environment | {"FAKE_CORE": "no_kpoints"}
    answer = program("run", path, "--ranks", 1, "--output", out, environment=environment)
    assert answer.returncode == 4
    assert answer.stderr.count("\n") == 1
    result = json.loads((out / "result.json").read_text())
    assert result["energy"]["free"] == -1.5
    assert "dos" not in result


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(ranks: int, number: int, write: Callable[..., Path], fake_environment: dict) -> None:
    out = write().parent / "out"
    command = [sys.executable, "-m", "wavegrid", "run", str(write()), "--ranks", str(ranks), "--output", str(out)]
    environment = fake_environment | {"FAKE_CORE": "slow", "PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "free energy" not in child.stdout.readline():  # the ranks are in the solver
        assert child.poll() is None
    child.send_signal(number)
    _, errors = child.communicate(timeout=30)
    assert child.returncode == 128 + number
    assert errors == "error: interrupted; no result was written\n"
    assert os.listdir(out) == []


@pytest.mark.parametrize("ranks", [1, 2])
def test_ranks_that_wait_end_with_a_refused_input(
    ranks: int, write: Callable[..., Path], fake_environment: dict
) -> None:
    folder = write().parent / "tmp"
    folder.mkdir()
    environment = fake_environment | {"TMPDIR": str(folder)}
    answer = program("run", write(("ecut", "ecat")), "--ranks", ranks, environment=environment)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert "did you mean 'ecut'?" in answer.stderr
    assert not list(folder.glob("wavegrid-*"))  # the folder that ranks share with us goes after them


def killed(environment: dict, *arguments: object) -> tuple[int, int]:
    """Kill the launcher of one rank that is in the solver; return the process numbers of both."""
    command = [sys.executable, "-m", "wavegrid", *map(str, arguments)]
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    while "free energy" not in child.stdout.readline():
        assert child.poll() is None
    (rank,) = (int(pid) for pid in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split())
    child.kill()
    child.wait()
    return child.pid, rank


def test_ranks_keep_the_lock_of_a_killed_launcher(write: Callable[..., Path], fake_environment: dict) -> None:
    out = write().parent / "out"
    arguments = ["run", write(), "--ranks", 1, "--output", out]
    environment = fake_environment | {"FAKE_CORE": "stubborn", "TMPDIR": str(out.parent)}  # it stays there
    launcher, rank = killed(environment, *arguments)
    try:
        answer = program(*arguments, environment=fake_environment)
    finally:
        os.kill(rank, signal.SIGKILL)
    assert answer.returncode == 3
    assert f"ranks left by process {launcher}" in answer.stderr


def test_a_rank_stops_after_its_step_when_its_launcher_is_killed(
    write: Callable[..., Path], fake_environment: dict
) -> None:
    out = write().parent / "out"
    environment = fake_environment | {"FAKE_CORE": "stops", "TMPDIR": str(out.parent)}
    killed(environment, "run", write(), "--ranks", 1, "--output", out)
    latest = time.monotonic() + 20
    while not (out / "result.json").exists():
        assert time.monotonic() < latest
        time.sleep(0.05)
    assert json.loads((out / "result.json").read_text())["stopped"] == "SIGTERM"


def test_help_and_unknown_commands(fake_environment: dict) -> None:
    for command in ("run", "check", "partition", "trace", "version"):
        answer = program(command, "--help", environment=fake_environment)
        assert answer.returncode == 0
        assert "Exit codes" in answer.stdout
    answer = program("chek", environment=fake_environment)
    assert answer.returncode == 2
    assert "Traceback" not in answer.stderr


def test_there_is_an_mpirun() -> None:
    assert shutil.which("mpirun")


@pytest.mark.parametrize(
    ("number", "code", "words"),
    [
        (signal.SIGTERM, 143, "interrupted"),
        (signal.SIGHUP, 129, "interrupted"),
        (signal.SIGKILL, 3, "where memory runs out"),
        (signal.SIGBUS, 3, "/dev/shm"),
    ],
)
def test_a_rank_that_a_signal_ends(
    number: int, code: int, words: str, write: Callable[..., Path], fake_environment: dict
) -> None:
    environment = fake_environment | {"FAKE_CORE": f"signal{int(number)}"}
    answer = program("run", write(), "--ranks", 3, "-q", cwd=write().parent, environment=environment)
    assert answer.returncode == code
    assert answer.stderr.count("\n") == 1
    assert words in answer.stderr


def test_srun_without_mpi_is_refused_once(write: Callable[..., Path], fake_environment: dict) -> None:
    for task in range(2):
        environment = fake_environment | {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": str(task)}
        answer = program("run", write(), cwd=write().parent, environment=environment)
        assert (answer.returncode, answer.stdout) == (3, "")
        assert answer.stderr.count("srun started 2 tasks") == (task == 0)


@pytest.mark.parametrize("arguments", [["check", "in.toml"], ["version"], ["schema", "result"], ["check", "no.toml"]])
def test_commands_under_a_launcher_print_once(
    arguments: list[str], write: Callable[..., Path], fake_environment: dict
) -> None:
    ranks = ["--ranks", 3] if "in.toml" in arguments else []
    alone = program(*arguments, *ranks, cwd=write().parent, environment=fake_environment)
    ours = []
    for rank in range(3):
        environment = fake_environment | {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "3"}
        ours.append(program(*arguments, cwd=write().parent, environment=environment))
    assert {answer.returncode for answer in ours} == {alone.returncode}
    free = re.compile("this machine has .* left")
    assert free.sub("", ours[0].stdout) == free.sub("", alone.stdout)
    assert ours[0].stderr == alone.stderr
    assert {answer.stdout + answer.stderr for answer in ours[1:]} == {""}
    assert "\x1b" not in ours[0].stdout
