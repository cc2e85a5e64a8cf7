"""Python files of the user in the current folder are not executed, whatever their names."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import clean_environment, program

from wavegrid.process import module_path

LIBRARY = (
    "abc argparse array ast asyncio base64 bisect calendar collections contextlib copy csv ctypes dataclasses datetime "
    "decimal email enum errno fcntl fractions functools glob hashlib heapq importlib inspect io ipaddress itertools "
    "json keyword logging math mmap numbers operator os pathlib pickle platform queue random re resource select "
    "selectors shutil signal site socket ssl stat statistics string struct subprocess sysconfig tempfile test textwrap "
    "threading time token traceback types typing unicodedata uuid warnings weakref zipfile zlib"
).split()
PACKAGES = "ase h5py matplotlib numpy pydantic rich scipy spglib typer xxhash dftd3 dftd4 mpi4py".split()
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture
def folder(write: Callable[..., Path]) -> Path:
    """Return the folder of an input file, with a file for each name that ends a program which executes it."""
    home = write().parent
    for name in (*LIBRARY, *PACKAGES, "sitecustomize", "usercustomize", "energies"):
        (home / f"{name}.py").write_text(f"raise SystemExit('{name}.py of the user was executed')\n")
    return home


@pytest.mark.parametrize(
    "command",
    [["run", "--ranks", 1], ["run", "--ranks", 2], ["check"]],
    ids=lambda words: " ".join(map(str, words)),
)
def test_no_file_of_the_current_folder_is_executed(
    command: list[object], folder: Path, fake_environment: dict[str, str]
) -> None:
    main = [sys.executable, "-P", "-m", "wavegrid", command[0], "in.toml", *map(str, command[1:])]
    answer = subprocess.run(
        main, cwd=folder, env=fake_environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")


def test_nor_under_the_mpirun_of_the_user(folder: Path, fake_environment: dict[str, str]) -> None:
    main = ["mpirun", "--oversubscribe", "-n", "2", sys.executable, "-P", "-m", "wavegrid", "run", "in.toml"]
    environment = fake_environment | AS_ROOT
    answer = subprocess.run(main, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_nor_by_the_ranks_of_a_session(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    script = tmp_path_factory.mktemp("scripts") / "session.py"
    script.write_text(
        "from ase.build import molecule\nimport wavegrid\n"
        'atoms = molecule("H2", cell=[6, 6, 6], pbc=True)\n'
        'electrons = {"xc": "LDA-PZ", "pseudopotentials": "gth-lda"}\n'
        'with wavegrid.Session(ranks=2, basis={"ecut": "4 Ha"}, electrons=electrons) as session:\n'
        "    print(session.solve(atoms).converged)\n"
    )
    answer = subprocess.run(
        [sys.executable, script], cwd=folder, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stdout) == (0, "True\n"), answer.stderr


@pytest.mark.parametrize("way", ["module", "PYTHONPATH"])
def test_what_python_itself_does_not_load_is_found_elsewhere(
    way: str, write: Callable[..., Path], fake_environment: dict[str, str]
) -> None:
    """Where the current folder is on the module path: before the program can act, Python has loaded some modules."""
    home = write().parent
    for name in ("random", "json", "calendar", "statistics", "queue", *PACKAGES):
        (home / f"{name}.py").write_text("raise SystemExit('executed')\n")
    environment = fake_environment
    if way == "PYTHONPATH":  # as left by PYTHONPATH=$PYTHONPATH:folder
        environment = fake_environment | {"PYTHONPATH": f"{fake_environment['PYTHONPATH']}{os.pathsep}"}
    answer = program("run", "in.toml", "--ranks", 2, cwd=home, environment=environment)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_the_current_folder_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path, expected in (
        (["", "/a", "/b"], ["/a", "/b", str(tmp_path)]),
        ([str(tmp_path), "/a", "", "/b"], ["/a", "/b", str(tmp_path)]),
        (["/a", "/b"], ["/a", "/b"]),
    ):
        monkeypatch.setattr(sys, "path", path)
        module_path.search_current_folder_last()
        assert path == expected
