"""Helpers of the Python tests: an input file to spoil, a stand-in core, the program as a user calls it."""

import functools
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import fake_core
import jsonschema
import pytest
from typer.testing import CliRunner, Result
from warm_program import WarmProgram

import wavegrid
from wavegrid.cli.main import app
from wavegrid.process import core_loader

EXAMPLES = Path(__file__).parents[2] / "examples"

GOOD = """\
title = "Al4"
[structure]
cell = [[4.05,0,0],[0,4.05,0],[0,0,4.05]]
unit = "angstrom"
atoms = [["Al",0,0,0],["Al",0,0.5,0.5],
         ["Al",0.5,0,0.5],["Al",0.5,0.5,0]]
coordinates = "fractional"
[basis]
ecut = "240 eV"
grid = [16,16,16]
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
bands = 10
smearing = { kind = "fermi-dirac", width = "0.2 eV" }
[scf]
eigensolver = "rmm-diis"
energy_tolerance = "1e-7 Ha"
[parallel]
partition = "auto"
transport = "auto"
[output]
directory = "out"
"""


LONG = tomllib.loads((Path(__file__).parent / "long_tests.toml").read_text())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as long what `make test` leaves out."""
    found: Counter[str] = Counter()
    for item in items:
        name = item.nodeid.split("[")[0].removeprefix("tests/python/")
        found[name] += 1
        if name in LONG and found[name] > LONG[name]:
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session", autouse=True)
def _own_wisdom(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep FFTW's wisdom of all tests in a folder of theirs, apart from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAVEGRID_CACHE", str(tmp_path_factory.mktemp("wisdom")))
        yield


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the compiled core by `fake_core` in this process."""
    monkeypatch.setattr(core_loader, "load", lambda: fake_core)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes GOOD with replacements and returns the file."""

    def write_input(*changes: tuple[str, str], name: str = "in.toml") -> Path:
        text = GOOD
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text)
        return path

    return write_input


def wait_for_the_lock(directory: Path) -> None:
    """Wait until the ranks of a killed launcher have ended."""
    import fcntl

    with (directory / ".wavegrid.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def invoke(*arguments: object) -> Result:
    """Call the command line in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def fake_environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which every Python process, ranks included, finds `fake_core` as the core."""
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(
        f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\n"
        "import fake_core\nsys.modules['wavegrid._core'] = fake_core\n"
    )
    path = os.pathsep.join(filter(None, [str(hook), os.environ.get("PYTHONPATH", "")]))
    return clean_environment() | {"PYTHONPATH": path}


def clean_environment() -> dict[str, str]:
    """Return this environment without a launcher's or the launcher's own variables; tests run at the same time."""
    mine = ("OMPI_COMM_WORLD", "PMIX_", "PMI_", "WAVEGRID_", "OPENBLAS_CORETYPE")
    kept = ("WAVEGRID_CACHE",)
    yielding = {"OMPI_MCA_mpi_yield_when_idle": "1"}
    return yielding | {name: value for name, value in os.environ.items() if name in kept or not name.startswith(mine)}


@functools.cache
def schema(name: str) -> jsonschema.Draft7Validator:
    """Return the validator of a shipped JSON schema, "input" or "result"."""
    content = json.loads((Path(wavegrid.__file__).parent / "data" / f"{name}.schema.json").read_text())
    return jsonschema.Draft7Validator(content)


def read_result(folder: Path) -> dict:
    """Return the result.json of a folder, which has to follow its schema."""
    result = json.loads((folder / "result.json").read_text())
    schema("result").validate(result)
    return result


def program(*arguments: object, environment: dict[str, str] | None = None, **options) -> subprocess.CompletedProcess:
    """Run `wavegrid` as a process and return its exit code and output.

    Without an environment or options of `subprocess.run`, but for a folder, the process is a copy of one that has
    imported the program.
    """
    words = [str(argument) for argument in arguments]
    if environment is None and options.keys() <= {"cwd"}:
        environment = clean_environment()
        if (warm := _warm_program()).fits(environment):
            return warm.run(words, environment, str(options.get("cwd", os.getcwd())), timeout=300)
    command = [sys.executable, "-m", "wavegrid", *words]
    environment = clean_environment() if environment is None else environment
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False, **options)


@functools.cache
def _warm_program() -> WarmProgram:
    return WarmProgram(clean_environment())
