"""`wavegrid bench checkpoint`: what it measures, what it refuses, what it does with a program that fails."""

import itertools
import json
from pathlib import Path

import pytest
from conftest import invoke, program

from wavegrid.bench import checkpoint as bench

SMALL = ("bench", "checkpoint", "--case", "small", "--repeats", "1")
METHODS = ("raw", "aggregated", "root")


def test_json_has_a_row_for_every_method(tmp_path: Path) -> None:
    answer = program(*SMALL, "--ranks", "1,2", "--directory", tmp_path / "new", "--json")
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    rows = json.loads(answer.stdout)
    places = [(row["ranks"], row["method"], row["what"]) for row in rows]
    assert places == list(itertools.product((1, 2), METHODS, ("write", "read")))
    for row in rows:
        assert list(row) == list(bench.KEYS)
        assert 20e6 < row["bytes"] < 30e6
        assert 0 < row["seconds"] < 60
        assert row["method"] != "raw" or row["ratio_to_raw"] == 1
        assert 0 < row["extra_mib_per_rank"] < 64
        assert row["machine"]["cores"] > 0
    assert list((tmp_path / "new").iterdir()) == []  # nothing is left behind


def test_all_settings_are_measured(tmp_path: Path) -> None:
    settings = ("--aggregators", "1,2,4", "--buffer", "1,16", "--kpoint-groups", "2")
    answer = program(*SMALL, "--ranks", "3", "--directory", tmp_path, *settings, "--json")
    assert answer.returncode == 0, answer.stderr
    found = [
        (row["buffer_mib"], row["aggregators"])
        for row in json.loads(answer.stdout)
        if (row["method"], row["what"]) == ("aggregated", "write")
    ]
    assert found == list(itertools.product((1, 16), (1, 2, 3)))  # there are no more than ranks


def test_table(tmp_path: Path) -> None:
    answer = program(*SMALL, "--ranks", "1", "--directory", tmp_path)
    assert answer.returncode == 0, answer.stderr
    for words in ("cores", "medians of 1", "25 MB", "aggregated", "ratio", "auto"):
        assert words in answer.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--case", "smal"], ["--case smal", "al2x2", "did you mean 'small'"]),
        (["--ranks", "2,0"], ["--ranks 0", "1, 2, 3"]),
        (["--aggregators", "1,x"], ["--aggregators x", "1, 2, 3"]),
        (["--buffer", "0"], ["--buffer 0", "1, 2, 3"]),
        (["--kpoint-groups", "none"], ["--kpoint-groups none", "1, 2, 3"]),
        (["--repeats", "-1"], ["--repeats -1", "1, 2, 3"]),
    ],
)
def test_bad_input(options: list[str], words: list[str], fake: None) -> None:
    answer = invoke("bench", "checkpoint", *options)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    for word in words:
        assert word in answer.stderr


def test_a_directory_that_cannot_be_made_is_reported_in_one_line(tmp_path: Path, fake: None) -> None:
    (tmp_path / "file").write_text("")
    answer = invoke(*SMALL, "--ranks", "1", "--directory", tmp_path / "file")
    assert answer.exit_code == 3
    assert answer.stderr.count("\n") == 1
    assert "another --directory" in answer.stderr
