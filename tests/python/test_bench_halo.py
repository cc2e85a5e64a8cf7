"""`wavegrid bench halo`: every case on small meshes, and bad options."""

import json
from pathlib import Path

import pytest
from conftest import invoke, program

from wavegrid.bench import halo


def test_measured_cases() -> None:
    options = ("--ranks", "1,3", "--edge", "9", "--width", "2", "--order", "4", "--repeats", "1")
    answer = program("bench", "halo", *options, "--transport", "pairwise,shared", "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    rows = json.loads(answer.stdout)
    of = {case: [row for row in rows if row["context"] == case] for case in ("neighbours", "stencil", "overlap")}
    assert len(rows) == sum(map(len, of.values()))
    assert [row["ranks"] for row in of["stencil"]] == [1, 3]
    assert all(row["ns_per_value"] > 0 and row["share_of_bound"] > 0 for row in of["stencil"])
    assert [(row["ranks"], row["transport"]) for row in of["overlap"]] == [
        (ranks, name) for ranks in (1, 3) for name in ("pairwise", "shared")
    ]
    assert all((row["ghosts"] > 0) == (row["ranks"] > 1) for row in of["overlap"])
    assert all(0 <= row["hidden"] <= 1 for row in of["overlap"])
    assert {row["ranks"] for row in of["neighbours"]} == {3}
    assert {row["bytes"] for row in of["neighbours"]} == {8 * 8**k for k in range(6)} | {1 << 20}


def test_octopus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halo, "RADIUS", 8.0)
    monkeypatch.setattr(halo, "HALF_LENGTH", 12.0)
    words = ("bench", "halo", "--case", "octopus", "--parts", "2,4,8,16,32", "--order", "2,6")
    answer = invoke(*words, "--plot", tmp_path / "octopus.png", "--json")
    assert answer.exit_code == 0, answer.output
    rows = json.loads(answer.stdout)
    assert [(row["order"], row["parts"]) for row in rows] == [(o, p) for o in (2, 6) for p in (2, 4, 8, 16, 32)]
    for row in rows:
        assert row["model"] == pytest.approx(row["ghosts_mean"], rel=0.25)
        assert row["ghosts_max"] >= row["ghosts_mean"]
        assert 1 <= row["neighbours_mean"] <= row["neighbours_max"] < row["parts"]
        assert row["printed_us"] > 0
        assert row["per_message_us"] > 0
    assert (tmp_path / "octopus.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--case", "octopuss"], "did you mean 'octopus'?"),
        (["--order", "5"], "valid: 2, 4, 6, 8, 10, 12"),
        (["--edge", "1000"], "valid: 4 to 256"),
        (["--transport", "pairwize"], "did you mean 'pairwise'?"),
        (["--plot", "x.png"], "valid: with --case octopus"),
    ],
)
def test_bad_options(arguments: list[str], message: str) -> None:
    answer = program("bench", "halo", *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr
