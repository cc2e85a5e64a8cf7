"""How ranks are started: counts, command lines, environments, the choice of mpirun."""

import os
from pathlib import Path

import pytest

from wavegrid import launch, rank
from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.worker import Request

OPEN_MPI = launch.Launcher("/usr/bin/mpirun", "openmpi")
HYDRA = launch.Launcher("/opt/mpirun", "hydra")


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that this process may use four cores and that no launcher or user has set anything."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 5}, raising=False)
    for name in list(os.environ):
        if name.startswith(("OMPI_", "PMIX_", "PMI_", "WAVEGRID_", "SLURM_", "OPENBLAS_")):
            monkeypatch.delenv(name)


def test_default_ranks_fill_the_usable_cores() -> None:
    assert [launch.choose_ranks(None, threads) for threads in (1, 2, 3, 4, 9)] == [4, 2, 1, 1, 1]
    assert launch.choose_ranks(7, 2) == 7


@pytest.mark.parametrize("text", ["0", "-1", "1.0", "", "x"])
def test_counts(text: str) -> None:
    with pytest.raises(InputError, match="--ranks"):
        launch.parse_count("--ranks", text)
    assert launch.parse_count("--ranks", "12") == 12


@pytest.mark.parametrize(
    ("variables", "rank", "size"),
    [
        ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "3"}, 2, 3),
        ({"PMI_RANK": "1", "PMI_SIZE": "5"}, 1, 5),
        ({"PMIX_RANK": "4"}, 4, None),
    ],
)
def test_knows_a_launcher(monkeypatch: pytest.MonkeyPatch, variables: dict, rank: int, size: int | None) -> None:
    assert not launch.under_launcher()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert launch.under_launcher()
    assert (launch.rank_hint(), launch.size_hint()) == (rank, size)


def test_commands() -> None:
    assert launch.command(None, 1, 1, ["a", "b"]) == ["a", "b"]
    assert launch.command(HYDRA, 3, 1, ["a"]) == ["/opt/mpirun", "-n", "3", "a"]
    plain = launch.command(OPEN_MPI, 4, 1, ["a"])
    assert plain == ["/usr/bin/mpirun", "--quiet", "--oversubscribe", "-n", "4", "a"]
    for ranks, threads in ((5, 1), (2, 2), (1, 4)):
        command = launch.command(OPEN_MPI, ranks, threads, ["a"])
        assert command[-3:] == ["--bind-to", "none", "a"]


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = launch.environment(OPEN_MPI, 4, 1), launch.environment(OPEN_MPI, 5, 2)
    assert few["OMPI_ALLOW_RUN_AS_ROOT"] == few["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"
    assert few["OMPI_MCA_rmaps_base_oversubscribe"] == "1"
    assert few["OMPI_MCA_btl"] == "vader,self"
    assert few["OMP_NUM_THREADS"] == few["OPENBLAS_NUM_THREADS"] == "1"
    assert "OMPI_MCA_mpi_yield_when_idle" not in few
    assert many["OMPI_MCA_mpi_yield_when_idle"] == "1"
    assert many["OPENBLAS_NUM_THREADS"] == "2"
    assert few["OMPI_MCA_pml"] == "ob1"
    assert "OMPI_MCA_btl" not in launch.environment(HYDRA, 4, 1)
    assert launch.environment(None, 1, 1)["OMPI_MCA_ess_singleton_isolated"] == "1"
    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")
    assert launch.environment(OPEN_MPI, 4, 1)["OMPI_MCA_btl"] == "tcp,self"


def test_a_rank_sets_its_threads_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # to be put back
        monkeypatch.setenv(name, "1")
    asked = Request(Path("a b.toml"), ranks=4, threads=3, explain=True, restart="x.h5", terminal=True, width=77)
    seen = []
    monkeypatch.setattr(rank, "work", lambda request: seen.append(request) or 5)
    assert rank.main(asked.to_json()) == 5
    assert seen == [asked]
    assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "3"


def test_several_nodes_keep_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "2")
    assert "OMPI_MCA_btl" not in launch.environment(OPEN_MPI, 4, 1)


def mpirun(folder: Path, name: str, answer: str) -> None:
    """Put a stand-in for an mpirun into a folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
    (folder / name).chmod(0o755)


def test_chooses_the_mpirun_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpirun(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    mpirun(tmp_path, "mpirun.mpich", "HYDRA build details:")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert launch.find_launcher("Open MPI v4.1.4") == launch.Launcher(str(tmp_path / "mpirun"), "openmpi")
    assert launch.find_launcher("MPICH Version: 4.0.2") == launch.Launcher(str(tmp_path / "mpirun.mpich"), "hydra")


def test_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFault, match=r"mpirun is not installed.*apt install openmpi-bin"):
        launch.find_launcher("Open MPI v4.1.4")
    mpirun(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    with pytest.raises(EnvironmentFault, match=r"belong to another MPI.*apt install mpich"):
        launch.find_launcher("MPICH Version: 4.0.2")


def test_warns_of_pinned_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    assert launch.environment_warnings() == []
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert "OPENBLAS_CORETYPE=Haswell" in launch.environment_warnings()[0]
