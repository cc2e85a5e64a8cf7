"""Every bad input ends with exit code 2 or 3 and one line that names file and line or argument; nothing is written."""

import os
import re
import time
from pathlib import Path

import bad_files
import bad_inputs
import pytest
import typer.main
from conftest import program

from wavegrid.cli.main import app
from wavegrid.job.prepare import prepare
from wavegrid.process import core_loader

CASES = {case.name: case for case in (*bad_inputs.of_the_model(), *bad_files.every())}
GROUPS = sorted({name.split()[0] for name in CASES})  # by the key: a test for each case takes as long as its case
COMMAND = typer.main.get_command(app)  # made once: `app` makes all commands anew for each call
_MOST_SECONDS = 15.0  # of the processor, which other programs slow down: no input may hang


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(arguments: tuple[str, ...]) -> int:
    """Call the command line in this process and return its exit code."""
    try:
        COMMAND(list(arguments))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


def refuse(case: bad_inputs.Case, folder: Path, capfd: pytest.CaptureFixture) -> None:
    """Assert that a case is refused as it has to be."""
    bad_inputs.make(case, folder)
    before = sorted(os.listdir(folder))
    began = time.process_time()
    code = call(case.arguments)
    seconds = time.process_time() - began
    out, err = capfd.readouterr()
    if case.valid:
        assert (code, err) == (0, "")
        return
    assert code in (2, 3), (code, out, err)
    assert out == ""
    assert re.fullmatch(r"error: [^\n]+\n", err), err
    assert len(err) < 2500
    if case.line is not None:
        assert re.match(rf"error: in\.toml:{case.line or '[0-9]+'}: ", err), err
    for word in case.words:
        assert word in err
    assert seconds < _MOST_SECONDS
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("group", GROUPS)
def test_is_refused(group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture) -> None:
    wrong = []
    for name, case in CASES.items():
        if name.split()[0] != group:
            continue
        folder = tmp_path / str(len(os.listdir(tmp_path)))
        folder.mkdir()
        monkeypatch.chdir(folder)
        try:
            refuse(case, folder, capfd)
        except AssertionError as fault:
            wrong.append(f"{name}: {fault}")
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize(
    "name",
    ["basis.ecut huge", "deep lists", "structure file a.cif short row", "kpoints list far away", "cutoff 1e6 Ha"],
)
def test_the_command_itself_refuses_it(name: str, command: str, tmp_path: Path) -> None:
    bad_inputs.make(CASES[name], tmp_path)
    before = sorted(os.listdir(tmp_path))
    answer = program(command, "in.toml", "--ranks", 2, cwd=tmp_path)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert re.fullmatch(r"error: in\.toml:\d+: [^\n]+\n", answer.stderr)
    assert sorted(os.listdir(tmp_path)) == before


PROBLEMS = {
    "bands": (2**40, "'bands'|number of bands"),
    "threads": (2**40, "'threads' of the problem is 1099511627776; valid: a whole number of 32 bits"),
    "max_steps": ("many", "'max_steps' of the problem is 'many'"),
    "ecut": (float("nan"), "cutoff must be positive and finite"),
    "energy_tolerance": (float("nan"), "the energy tolerance .* is nan; valid"),
    "grid": ([5000, 5000, 5000], "the FFT grid is 5000 x 5000 x 5000; valid"),
    "charge": (1e300, r"the charge is 1e\+300; valid"),
    "cell": ([[1e100, 0, 0], [0, 1e100, 0], [0, 0, 1e100]], "length of a cell vector"),
    "atoms": ([[0, 0, 0]], "an atom of the problem has 3 values"),
    "spins": (3, "the number of spin channels is 3; valid: from 1 to 2"),
    "initial_magnetic_moments": ([1e9, 0, 0, 0], "an initial magnetic moment"),
    "kpoints": ({"mesh": [1000, 1000, 1000], "shift": [0, 0, 0]}, "the k-point mesh has 1000000000 points"),
}


@pytest.mark.parametrize("key", PROBLEMS)
def test_the_core_checks_what_python_programs_give_it(key: str, tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(bad_inputs.document({}))
    core = core_loader.load()
    settings = prepare(core, path).problem
    value, words = PROBLEMS[key]
    with pytest.raises(core.BadInput, match=words):
        core.describe(settings | {key: value})
