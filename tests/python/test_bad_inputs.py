"""Every bad input ends with exit code 2 or 3 and one line that names file and line or argument; nothing is written."""

import os
import re
import time
from pathlib import Path

import bad_files
import bad_inputs
import pytest

from wavegrid.cli.main import app

CASES = {case.name: case for case in (*bad_inputs.of_the_model(), *bad_files.every())}
_MOST_SECONDS = 5.0  # of the processor: the tests share it


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(arguments: tuple[str, ...]) -> int:
    """Call the command line in this process and return its exit code."""
    try:
        app(list(arguments))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


@pytest.mark.parametrize("name", CASES)
def test_is_refused(name: str, tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    case = CASES[name]
    bad_inputs.make(case, tmp_path)
    before = sorted(os.listdir(tmp_path))
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
    assert sorted(os.listdir(tmp_path)) == before
