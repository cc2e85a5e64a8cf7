"""`wavegrid bench boxes`: what it measures and what it refuses."""

import json

import pytest
from conftest import invoke, program

from wavegrid.bench import boxes as bench
from wavegrid.bench.boxes_request import METHODS

SMALL = ("bench", "boxes", "--boxes", "4", "--size", "6", "--repeats", "1")


def test_json_has_a_row_for_every_method_and_threads_may_call_mpi_at_once() -> None:
    answer = program(*SMALL, "--layout", "1x1,2x2", "--deterministic", "--json")
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    rows = json.loads(answer.stdout)
    planned = ("planned_union", "planned_union, deterministic")
    names = [(1, name, "in_turn") for name in (*planned, *METHODS[1:])]
    names += [(2, name, "in_turn") for name in (*planned, *METHODS[1:])]
    names += [(2, name, "at_once") for name in ("flush", "flush_local")]
    found = [(row["threads"], row["method"], row["calls"]) for row in rows if row["operation"] == "deposit"]
    assert found == names
    for row in rows:
        assert list(row) == list(bench.KEYS)
        assert row["difference"] < 1e-14  # all methods gave the same
        assert (row["messages"] > 0) == (row["ranks"] > 1)


def test_table_of_the_fibril() -> None:
    answer = program("bench", "boxes", "--case", "onetep-small", "--layout", "2x1", "--repeats", "1")
    assert answer.returncode == 0, answer.stderr
    for word in ("214 boxes", "fibril", "planned_union", "two_sided", "one-sided component", "deposit"):
        assert word in answer.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--case", "onetp"], ["--case onetp", "did you mean 'onetep'"]),
        (["--boxes", "0"], ["--boxes 0", "1, 2, 3"]),
        (["--overlap", "none"], ["--overlap none", "0.01 to 1000"]),
        (["--layout", "4"], ["--layout 4", "4x1,2x2"]),
        (["--layout", "2x0"], ["--layout 0", "1, 2, 3"]),
        (["--method", "flus"], ["--method flus", "did you mean 'flush'"]),
        (["--transport", "share"], ["--transport share", "did you mean 'shared'"]),
    ],
)
def test_bad_input(options: list[str], words: list[str], fake: None) -> None:
    answer = invoke("bench", "boxes", *options)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    for word in words:
        assert word in answer.stderr
