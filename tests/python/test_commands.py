"""`check`, `partition` and `version` with the compiled core."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import EXAMPLES, program


def test_check_tells_what_would_run() -> None:
    answer = program("check", EXAMPLES / "al108.toml", "--ranks", 6, "--json")
    assert answer.returncode == 0, answer.stderr
    figures = json.loads(answer.stdout)
    assert figures["atoms"] == 108
    assert figures["electrons"] == 324
    assert figures["bands"] == 217
    assert figures["plane_waves"] == 7602
    assert figures["grid"] == [48, 48, 48]
    assert (figures["ranks"], figures["rows"], figures["columns"]) == (6, 3, 2)
    assert 1e6 < figures["bytes_per_rank"] < 1e10
    assert any("smaller than the default" in note for note in figures["notes"])


def test_check_prints_the_same_for_people() -> None:
    answer = program("check", EXAMPLES / "al108.toml")
    assert answer.returncode == 0, answer.stderr
    for words in ("108 atoms", "324 electrons", "217 bands", "7602 plane waves", "48 x 48 x 48", "note: grid"):
        assert words in answer.stdout


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[16,16,16]", "[10,16,16]", ["too small for the cutoff", ":10:"]),
        ("LDA_XC_TETER93", "LDA_XC_TETER39", ["nearest names", "LDA_XC_TETER93"]),
        ('"gth-lda"', '"gth-lda-q11"', ["gth-lda-q3", ":13:"]),
    ],
)
def test_the_core_agrees_on_what_is_valid(old: str, new: str, words: list, write: Callable[..., Path]) -> None:
    answer = program("check", write((old, new)))
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    for word in words:
        assert word in answer.stderr


def test_a_pseudopotential_file_of_the_user(write: Callable[..., Path]) -> None:
    table = Path(__file__).parents[2] / "python" / "wavegrid" / "data" / "pseudopotentials" / "gth-lda.gth"
    path = write(('"gth-lda"', '{ Al = "my.gth" }'))
    (path.parent / "my.gth").write_text(table.read_text())
    assert program("check", path).returncode == 0
    (path.parent / "my.gth").write_text("nonsense\n")
    answer = program("check", path)
    assert (answer.returncode, f"{path}:13:" in answer.stderr) == (2, True)


def test_partition_prints_a_table() -> None:
    answer = program("partition", EXAMPLES / "al108.toml", "--ranks", "8", "--scheme", "balanced,greedy")
    assert answer.returncode == 0
    assert "1018" in answer.stdout
    assert "946" in answer.stdout
    assert "cyclic" not in answer.stdout


def test_version_names_the_libraries() -> None:
    versions = json.loads(program("version", "--json").stdout)
    assert "wavegrid" in versions
    assert "mpi" in versions


def test_the_small_example_runs(tmp_path: Path) -> None:
    answer = program("run", EXAMPLES / "al4.toml", "--ranks", 2, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    result = json.loads((tmp_path / "al4" / "result.json").read_text())
    # 4.05 Angstrom and 0.2 eV instead of the reference's bohr and Hartree move F by less than 1e-5 Ha
    assert abs(result["energy"]["free"] + 8.16755206) < 1e-5
