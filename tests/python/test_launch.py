"""How ranks are started: counts, command lines, environments, the choice of mpirun."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.launch import mpirun
from wavegrid.launch.request import Request
from wavegrid.rank import program

OPEN_MPI = mpirun.Launcher("/usr/bin/mpirun", "openmpi")
HYDRA = mpirun.Launcher("/opt/mpirun", "hydra")


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that this process may use four cores and that no launcher or user has set anything."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 5}, raising=False)
    for name in list(os.environ):
        if name.startswith(("OMPI_", "PMIX_", "PMI_", "WAVEGRID_", "SLURM_", "OPENBLAS_")):
            monkeypatch.delenv(name)


def test_default_ranks_fill_the_usable_cores() -> None:
    assert [mpirun.choose_ranks(None, threads) for threads in (1, 2, 3, 4, 9)] == [4, 2, 1, 1, 1]
    assert mpirun.choose_ranks(7, 2) == 7


@pytest.mark.parametrize("text", ["0", "-1", "1.0", "", "x"])
def test_counts(text: str) -> None:
    with pytest.raises(InputError, match="--ranks"):
        mpirun.parse_count("--ranks", text)
    assert mpirun.parse_count("--ranks", "12") == 12


@pytest.mark.parametrize(
    ("variables", "rank", "size"),
    [
        ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "3"}, 2, 3),
        ({"PMI_RANK": "1", "PMI_SIZE": "5"}, 1, 5),
        ({"PMIX_RANK": "4"}, 4, None),
    ],
)
def test_knows_a_launcher(monkeypatch: pytest.MonkeyPatch, variables: dict, rank: int, size: int | None) -> None:
    assert not mpirun.under_launcher()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert mpirun.under_launcher()
    assert (mpirun.rank_hint(), mpirun.size_hint()) == (rank, size)


def test_commands() -> None:
    assert mpirun.command(None, 1, 1, ["a", "b"]) == ["a", "b"]
    assert mpirun.command(HYDRA, 3, 1, ["a"]) == ["/opt/mpirun", "-n", "3", "a"]
    plain = mpirun.command(OPEN_MPI, 4, 1, ["a"])
    assert plain == ["/usr/bin/mpirun", "--quiet", "--oversubscribe", "-n", "4", "a"]
    for ranks, threads in ((5, 1), (2, 2), (1, 4)):
        command = mpirun.command(OPEN_MPI, ranks, threads, ["a"])
        assert command[-3:] == ["--bind-to", "none", "a"]


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = mpirun.environment(OPEN_MPI, 4, 1, "/own"), mpirun.environment(OPEN_MPI, 5, 2, "/own")
    assert few["OMPI_ALLOW_RUN_AS_ROOT"] == few["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"
    assert few["OMPI_MCA_rmaps_base_oversubscribe"] == "1"
    assert few["OMPI_MCA_btl"] == "vader,self"
    assert few["OMP_NUM_THREADS"] == few["OPENBLAS_NUM_THREADS"] == "1"
    assert "OMPI_MCA_mpi_yield_when_idle" not in few
    assert many["OMPI_MCA_mpi_yield_when_idle"] == "1"
    assert many["OPENBLAS_NUM_THREADS"] == many["MKL_NUM_THREADS"] == many["BLIS_NUM_THREADS"] == "2"
    assert few["OMPI_MCA_pml"] == "ob1"
    assert "OMPI_MCA_btl" not in mpirun.environment(HYDRA, 4, 1, "/own")
    alone = mpirun.environment(None, 1, 1, Path("/own"))
    assert alone["OMPI_MCA_ess_singleton_isolated"] == "1"
    assert few["OMPI_MCA_orte_tmpdir_base"] == alone["OMPI_MCA_orte_tmpdir_base"] == "/own"
    monkeypatch.setenv("OMPI_MCA_btl", "tcp,self")
    assert mpirun.environment(OPEN_MPI, 4, 1, "/own")["OMPI_MCA_btl"] == "tcp,self"


def test_a_rank_sets_its_threads_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):  # to be put back
        monkeypatch.setenv(name, "1")
    asked = Request(Path("a b.toml"), ranks=4, threads=3, explain=True, restart="x.h5", terminal=True, width=77)
    seen = []
    monkeypatch.setattr(program, "work", lambda request: seen.append(request) or 5)
    assert program.main(asked.to_json()) == 5
    assert seen == [asked]
    assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "3"


def test_several_nodes_keep_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "2")
    assert "OMPI_MCA_btl" not in mpirun.environment(OPEN_MPI, 4, 1, "/own")


def fake_mpirun(folder: Path, name: str, answer: str) -> None:
    """Put a stand-in for an mpirun into a folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
    (folder / name).chmod(0o755)


def test_chooses_the_mpirun_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_mpirun(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    fake_mpirun(tmp_path, "mpirun.mpich", "HYDRA build details:")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert mpirun.find_launcher("Open MPI v4.1.4") == mpirun.Launcher(str(tmp_path / "mpirun"), "openmpi")
    assert mpirun.find_launcher("MPICH Version: 4.0.2") == mpirun.Launcher(str(tmp_path / "mpirun.mpich"), "hydra")


def test_a_folder_that_is_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As /bin on Debian: Open MPI would look for its installation in /."""
    (tmp_path / "usr").mkdir()
    (tmp_path / "bin").symlink_to(tmp_path / "usr")
    fake_mpirun(tmp_path / "usr", "mpirun", "mpirun (Open MPI) 4.1.4")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert mpirun.find_launcher("Open MPI v4.1.4").path == str(tmp_path / "usr" / "mpirun")


def test_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFault, match=r"mpirun is not installed.*apt install openmpi-bin"):
        mpirun.find_launcher("Open MPI v4.1.4")
    fake_mpirun(tmp_path, "mpirun", "mpirun (Open MPI) 4.1.4")
    with pytest.raises(EnvironmentFault, match=r"belong to another MPI.*apt install mpich"):
        mpirun.find_launcher("MPICH Version: 4.0.2")


def test_warns_of_pinned_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mpirun.environment_warnings() == []
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert "OPENBLAS_CORETYPE=Haswell" in mpirun.environment_warnings()[0]


def test_ranks_import_little() -> None:
    """A rank starts half a second earlier without the libraries of the command line, the input and the plots."""
    slow = {"ase", "h5py", "matplotlib", "numpy", "pydantic", "typer"}
    code = "import sys, wavegrid.rank.program; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not slow & set(answer.stdout.split())


@pytest.mark.parametrize(
    ("variables", "tasks"),
    [
        ({"SLURM_NTASKS": "4", "SLURM_PROCID": "0"}, None),  # a batch script
        ({"SLURM_NTASKS": "4"}, None),
        ({"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, None),
        ({"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0"}, 4),
        ({"SLURM_NTASKS": "3", "SLURM_PROCID": "2"}, 3),
    ],
)
def test_srun_without_mpi(monkeypatch: pytest.MonkeyPatch, variables: dict, tasks: int | None) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert mpirun.step_tasks() == tasks
    if tasks is None:
        mpirun.check_launcher()
        return
    assert mpirun.rank_hint() == int(variables["SLURM_PROCID"])
    with pytest.raises(EnvironmentFault, match=rf"srun started {tasks} tasks.*--mpi=pmix"):
        mpirun.check_launcher()
    for name in ("PMI_FD", "PMIX_NAMESPACE", "OMPI_COMM_WORLD_SIZE"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "1")
            mpirun.check_launcher()
    monkeypatch.setenv("PMIX_RANK", "0")
    with pytest.raises(EnvironmentFault, match=rf"started {tasks} ranks, but MPI counts 1"):
        mpirun.check_size(1)
    mpirun.check_size(tasks)
