"""A run that needs more memory than there is does not start."""

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import EXAMPLES, invoke, program

from wavegrid.errors import EnvironmentFault
from wavegrid.job.figures import MOTION_BYTES
from wavegrid.job.prepare import prepare
from wavegrid.launch import memory
from wavegrid.process import core_loader
from wavegrid.process.machine import PROGRAM_BYTES

FIGURES = {"ranks": 4, "bytes_per_rank": 110_000_000_000, "memory_parts": {"bands": 9e10, "mixer": 2e10}}


def files(folder: Path, **contents: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name.replace("__", ".")).write_text(content)


@pytest.fixture
def version_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that this process is in a control group of version 2: one with a limit inside one without."""
    files(tmp_path, memory__max="max\n", memory__current="9\n")
    files(tmp_path / "job", memory__max="5000000000", memory__current="4000000000", memory__stat="inactive_file 1000")
    files(tmp_path / "job" / "step", memory__max="max", memory__current="0")
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path)
    read = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda self: "0::/job/step\n" if str(self) == "/proc/self/cgroup" else read(self)
    )


@pytest.mark.usefixtures("version_2")
def test_the_tightest_control_group_counts() -> None:
    assert memory.of_node() == memory.Available(1_000_001_000, "limit of the control group")


def test_version_1_of_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    group = tmp_path / "memory" / "job"
    files(group, memory__limit_in_bytes="300", memory__usage_in_bytes="250", memory__stat="total_inactive_file 50")
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path)
    found = list(memory._of_group(tmp_path / "memory", "/job", memory._VERSION_1))
    assert found == [memory.Available(100, "limit of the control group")]


def test_says_need_and_have_and_what_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "of_node", lambda: memory.Available(24_000_000_000, "free memory of the machine"))
    with pytest.raises(EnvironmentFault) as fault:
        memory.check_node(FIGURES, 4)
    words = "4 ranks need 440.0 GB", "110.0 GB each, most of it: bands", "24.0 GB are left", "more machines"
    for word in (*words, memory.IGNORE):
        assert word in str(fault.value)
    memory.check_node(FIGURES | {"bytes_per_rank": 5_900_000_000}, 4)
    assert "`run` refuses to start here" in memory.line(FIGURES)


def test_the_limit_of_a_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (2_000_000_000 if kind == resource.RLIMIT_AS else -1, -1))
    with pytest.raises(EnvironmentFault, match=r"a rank needs 110\.\d GB.*ulimit -v.*more ranks"):
        memory.check_process(FIGURES, 1)
    memory.check_limits()
    with pytest.raises(EnvironmentFault, match=r"ulimit -v\) is 2.0 GB; the program needs 3\.\d GB"):
        memory.check_limits(threads=20)
    # This process itself may have nearly 2 GB after other tests.
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (9_000_000_000 if kind == resource.RLIMIT_AS else -1, -1))
    memory.check_process(FIGURES | {"bytes_per_rank": 50_000_000}, 1)


def test_what_is_left_for_bands_that_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "of_node", lambda: memory.Available(4_000_000_000, "free memory of the machine"))
    monkeypatch.setattr(memory, "of_process", lambda: None)
    each = memory.limit_of_rank(4, 1)
    assert each == 1_000_000_000 - PROGRAM_BYTES
    memory.check_node(FIGURES | {"bytes_per_rank": each + PROGRAM_BYTES}, 4)
    monkeypatch.setattr(memory, "of_process", lambda: memory.Available(900_000_000, "ulimit -v"))
    each = memory.limit_of_rank(4, 2)
    assert 0 < each < 900_000_000 - PROGRAM_BYTES
    memory.check_process(FIGURES | {"bytes_per_rank": each + PROGRAM_BYTES}, 2)
    monkeypatch.setattr(memory, "of_node", lambda: None)
    monkeypatch.setattr(memory, "of_process", lambda: None)
    assert memory.limit_of_rank(4, 1) is None


@pytest.mark.usefixtures("fake")
def test_earlier_geometries_count(write: Callable[..., Path]) -> None:
    moves = ("[output]", '[task]\nkind = "md"\n[md]\nsteps = 5\ntimestep = "1 fs"\n[output]')
    one, many = (
        json.loads(invoke("check", write(*changes), "--ranks", 1, "--json").stdout) for changes in ((), (moves,))
    )
    assert "geometries" not in one["memory_parts"]
    assert many["memory_parts"]["geometries"] == MOTION_BYTES + one["memory_parts"]["bands"] // 2


@pytest.mark.usefixtures("fake")
def test_check_compares(write: Callable[..., Path]) -> None:
    found = json.loads(invoke("check", write(), "--ranks", 2, "--json").stdout)["memory"]
    assert 0 < found["needed_bytes"] < found["available_bytes"]
    assert "2 ranks together need about" in invoke("check", write(), "--ranks", 2).stdout


def test_a_run_is_refused_before_it_starts(write: Callable[..., Path], fake_environment: dict) -> None:
    environment = fake_environment | {"FAKE_BYTES": "1" + 14 * "0"}
    arguments = ("run", write(), "--ranks", 2, "--output", write().parent / "out")
    answer = program(*arguments, environment=environment)
    assert (answer.returncode, answer.stdout) == (3, "")
    assert answer.stderr.startswith("error: 2 ranks need 200000.1 GB of memory")
    assert answer.stderr.count("\n") == 1
    assert not (write().parent / "out").exists()
    assert program(*arguments, "--no-memory-check", environment=environment).returncode == 0


def test_the_estimate_of_the_default_solves_no_free_atom() -> None:
    """Projectors in reciprocal space do not depend on it; iron: 30 ms to solve one, 0.4 ms for the estimate."""
    core = core_loader.load()
    job = prepare(core, EXAMPLES / "fe.toml", ranks=2)
    file = job.problem["pseudopotentials"][0]

    def shortest(call: Callable[[], object]) -> float:
        times = []
        for _ in range(3):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return min(times)

    atom = shortest(lambda: core.pseudopotential_info(file["file"], "Fe", file["valence"] or None, file["name"]))
    assert shortest(lambda: core.memory_estimate(job.problem, 2)) < atom / 3
