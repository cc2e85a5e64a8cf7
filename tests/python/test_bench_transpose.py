"""`wavegrid bench transpose`: what it measures, what it refuses, what it does with a program that fails."""

import itertools
import json
from pathlib import Path

import pytest
from conftest import invoke, program

from wavegrid.bench import transpose as bench
from wavegrid.bench.transpose_request import CONTEXTS, TRANSPORTS

TINY = ("bench", "transpose", "--case", "16:5", "--ranks", "2", "--block", "4", "--repeats", "1")


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    """Return what the command prints for a tiny case."""
    answer = program(*TINY, "--partition", "balanced", "--json")
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    return json.loads(answer.stdout)


def test_json_has_a_row_for_every_context_and_transport(rows: list[dict]) -> None:
    places = [(row["context"], row["transport"]) for row in rows]
    assert places == list(itertools.product(CONTEXTS, TRANSPORTS))
    for row in rows:
        assert list(row) == list(bench.KEYS)
        assert (row["case"], row["ranks"]) == ("16:5", 2)
        assert 0 < row["median_us"] < 1e6
        assert 0 <= row["spread_us"] < 1e6


def test_auto_took_one_transport_in_both_contexts(rows: list[dict]) -> None:
    chosen = [row for row in rows if row["chosen"]]
    assert [row["context"] for row in chosen] == list(CONTEXTS)
    assert chosen[0]["transport"] == chosen[1]["transport"]


def test_only_the_padded_transport_pads(rows: list[dict]) -> None:
    volumes = {(row["bytes"], row["messages"]) for row in rows if row["transport"] != "alltoall_padded"}
    assert len(volumes) == 1
    (volume, messages) = volumes.pop()
    assert 0 < messages <= 4 * 2  # out and back through at most two transposes, each rank to its one partner
    for row in rows:
        assert (row["padding"] > 0) == (row["bytes"] > volume)
        assert row["bytes"] * (1 - row["padding"]) == pytest.approx(volume, rel=1e-5)


def test_the_choice_of_auto_is_always_measured() -> None:
    answer = program(*TINY, "--transport", "one_sided_get", "--context", "isolated", "--json")  # auto never tries it
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert [row["chosen"] for row in rows] == [False, True]
    assert rows[0]["transport"] == "one_sided_get"
    assert rows[1]["transport"] != "one_sided_get"


def test_table_and_plot(tmp_path: Path) -> None:
    plot = tmp_path / "times.svg"
    answer = program(*TINY, "--transport", "pairwise,shared", "--plot", plot)
    assert answer.returncode == 0, answer.stderr
    said = answer.stdout.replace("\n", "")
    for words in ("cores", "medians of 1", "16:5", "pairwise", "auto took", "overlap = ", f"written: {plot}"):
        assert words in said
    assert plot.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--case", "al109"], ["--case al109", "cp2k", "N:RADIUS"]),
        (["--case", "al108,16:x"], ["--case 16:x", "two numbers"]),
        (["--case", "16:8"], ["--case 16:8", "to below 8"]),
        (["--ranks", "2,1"], ["--ranks 1", "nothing is transposed", "2, 3"]),
        (["--ranks", "two"], ["--ranks two", "1, 2, 3"]),
        (["--transport", "alltoal"], ["--transport alltoal", "neighbor", "did you mean 'alltoallv'"]),
        (["--partition", "greedi"], ["--partition greedi", "auto", "did you mean 'greedy'"]),
        (["--context", "isolated,fft"], ["--context fft", "isolated, scf"]),
        (["--block", "0"], ["--block 0", "1, 2, 3"]),
        (["--repeats", "-1"], ["--repeats -1", "1, 2, 3"]),
        (["--plot", "times.jpg"], ["--plot times.jpg", ".png"]),
    ],
)
def test_bad_input(options: list[str], words: list[str], fake: None) -> None:
    answer = invoke("bench", "transpose", *options)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    for word in words:
        assert word in answer.stderr


def test_a_failing_program_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: None) -> None:
    for name in ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"):
        monkeypatch.delenv(name, raising=False)
    script = tmp_path / "bench_transpose"
    script.write_text("#!/bin/sh\necho 'error: no window' >&2; exit 3\n")
    script.chmod(0o755)
    monkeypatch.setattr(bench, "compiled", lambda _: script)
    answer = invoke(*TINY)
    assert answer.exit_code == 3
    assert answer.stderr.count("\n") == 1
    assert "case 16:5 on 2 ranks: no window" in answer.stderr
