"""`wavegrid bench halo`: every case on small meshes, and bad options."""

import json
from pathlib import Path

import pytest
from conftest import EXAMPLES, invoke, program

from wavegrid.bench import chain, halo
from wavegrid.process import machine


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


@pytest.fixture
def small_cylinder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halo, "RADIUS", 8.0)
    monkeypatch.setattr(halo, "HALF_LENGTH", 12.0)


@pytest.mark.usefixtures("small_cylinder")
def test_octopus(tmp_path: Path) -> None:
    words = ("bench", "halo", "--case", "octopus", "--parts", "2,4,8,16,24,32", "--order", "2,6")
    answer = invoke(*words, "--plot", tmp_path / "octopus.png", "--json")
    assert answer.exit_code == 0, answer.output
    *rows, fit = json.loads(answer.stdout)
    assert [(row["order"], row["parts"]) for row in rows] == [(o, p) for o in (2, 6) for p in (2, 4, 8, 16, 24, 32)]
    for row in rows:
        assert row["ghosts_max"] >= row["ghosts_mean"]
        assert 1 <= row["neighbours_mean"] <= row["neighbours_max"] < row["parts"]
        if row["parts"] == 2:  # one message each, of nearly as many points
            assert row["per_message_us"] == pytest.approx(row["printed_us"], rel=0.1)
    fitted = [row for row in rows if row["parts"] >= 16]
    errors = [abs(row["model"] / row["ghosts_mean"] - 1) for row in fitted]
    assert fit["context"] == "octopus fit"
    assert len(fit["coefficients"]) == 4
    assert fit["largest_relative_error"] == pytest.approx(max(errors))
    assert max(errors) < 0.25
    assert (tmp_path / "octopus.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("small_cylinder")
def test_estimates_for_the_network_of_a_machine_file(tmp_path: Path) -> None:
    # A file of bench machine; without overhead and gap, which are then those of the paper's network.
    machine = tmp_path / "machine.toml"
    machine.write_text("latency = 1e-3\nbandwidth = 1e9\n")
    words = ("bench", "halo", "--case", "octopus", "--parts", "2,3", "--order", "2", "--machine", machine)
    for more, overhead, gap in (("", 1e-6, 2e-6), ("overhead = 1e-4\ngap = 2e-4\n", 1e-4, 2e-4)):
        machine.write_text(machine.read_text() + more)
        answer = invoke(*words, "--json")
        assert answer.exit_code == 0, answer.output
        for row in json.loads(answer.stdout):
            around = row["neighbours_mean"]
            printed = 1e-3 + overhead * around + gap * (around - 1) + around * 8e-9 * row["ghosts_mean"]
            assert row["printed_us"] == pytest.approx(1e6 * printed)
            # The slowest part has at most as many messages and ghosts as any.
            most = row["neighbours_max"]
            bound = 1e-3 + overhead * most + gap * (most - 1) + 8e-9 * row["ghosts_max"]
            assert 1e3 < row["per_message_us"] <= 1e6 * bound * (1 + 1e-12)


def test_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "SPACING", 0.6)
    monkeypatch.setattr(chain, "MOLECULES", 1)
    monkeypatch.setattr(machine, "usable_cores", lambda: 2)
    words = ("bench", "halo", "--case", "chain", "--ranks", "1,3", "--transport", "pairwise")
    one, _, three, polling = json.loads(invoke(*words, "--json").stdout)
    assert (three["overlap"], polling["overlap"]) == ("off", "polling")
    assert (one["ranks"], one["oversubscribed"], one["halo"], one["other_exchanges"]) == (1, False, 0, 0)
    assert (three["ranks"], three["oversubscribed"], three["transport"]) == (3, True, "pairwise")
    assert one["points"] == three["points"] > 1000
    parts = [three[name] for name in ("halo", "other_exchanges", "reductions")]
    assert min(parts) > 0
    assert three["communication"] == pytest.approx(sum(parts))
    assert three["communication"] < 1
    words = ("bench", "halo", "--case", "chain", "--ranks", "3")
    assert "oversubscribed" in invoke(*words).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--case", "octopuss"], "did you mean 'octopus'?"),
        (["--order", "5"], "valid: 2, 4, 6, 8, 10, 12"),
        (["--edge", "1000"], "valid: 4 to 256"),
        (["--transport", "pairwize"], "did you mean 'pairwise'?"),
        (["--plot", "x.png"], "valid: with --case octopus"),
        (["--machine", "x.toml"], "x.toml: no such file"),
        (["--machine", str(EXAMPLES / "al4.toml")], "unknown key"),
        (["--case", "chain", "--ranks", "0"], "--ranks 0"),
    ],
)
def test_bad_options(arguments: list[str], message: str) -> None:
    answer = program("bench", "halo", *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert message in answer.stderr
