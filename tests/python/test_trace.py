"""`wavegrid run --trace`: the file holds every rank, adds up to the run's own times, and changes nothing else."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import fake_core
import pytest
from conftest import EXAMPLES, invoke, program, read_result

from wavegrid.errors import EnvironmentFault, InputError
from wavegrid.files import store
from wavegrid.plots import trace
from wavegrid.trace import summary, timeline

AL4 = EXAMPLES / "al4.toml"


@pytest.fixture(scope="module")
def al4(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the example with all ranks in one group, so that they exchange planes."""
    path = tmp_path_factory.mktemp("input") / "al4.toml"
    path.write_text(AL4.read_text() + "[parallel]\nkpoint_groups = 1\nband_groups = 1\n")
    return path


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory, al4: Path) -> tuple[dict, dict, Path]:
    """Run Al4 on 2 ranks; return result.json, the timeline and its path."""
    folder = tmp_path_factory.mktemp("trace")
    path = folder / "new" / "al4.json"
    answer = program("run", al4, "--ranks", 2, "--output", folder / "out", "--trace", path)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert f"written: {path}" in answer.stdout
    assert os.listdir(path.parent) == ["al4.json"]
    return read_result(folder / "out"), json.loads(path.read_text()), path


def test_every_rank_is_there_in_order(traced: tuple) -> None:
    _, timeline, _ = traced
    for rank in (0, 1):
        events = [event for event in timeline["traceEvents"] if event["pid"] == rank]
        names = [event["args"]["name"] for event in events if event["ph"] == "M" and "name" in event["args"]]
        assert names == [f"rank {rank} (row 0, column {rank})", "phases"]
        spans = [event for event in events if event["ph"] == "X"]
        assert spans[0]["name"] == "calculation"
        assert {"fft", "exchange", "linear_algebra", "nonlocal"} <= {span["name"] for span in spans}
        starts = [span["ts"] for span in spans]
        assert starts == sorted(starts)
        assert starts[0] >= 0
        around: list[dict] = []
        for span in spans:  # each lies inside the one around it, or after it
            while around and span["ts"] >= end(around[-1]):
                around.pop()
            assert not around or end(span) <= end(around[-1]) + 1e-3
            around.append(span)


def end(span: dict) -> float:
    return span["ts"] + span["dur"]


def test_exchanges_begin_and_end(traced: tuple) -> None:
    result, timeline, _ = traced
    for rank in (0, 1):
        mine = [event for event in timeline["traceEvents"] if event["pid"] == rank and event["ph"] in "be"]
        began = {event["id2"]["local"]: event for event in mine if event["ph"] == "b"}
        ended = {event["id2"]["local"]: event for event in mine if event["ph"] == "e"}
        assert began.keys() == ended.keys()
        assert all(began[number]["ts"] <= ended[number]["ts"] for number in began)
        assert result["parallel"]["transport"] in {event["name"] for event in mine}  # auto tries others, too
        steps = [event["name"] for event in timeline["traceEvents"] if event["pid"] == rank and event["ph"] == "X"]
        assert steps.count("pack") == steps.count("unpack") == len(began)
        assert 0 < steps.count("wait") <= len(began)  # no wait for what a test has found to be there
        sent = [entry for entry in timeline["otherData"]["traffic"] if entry[0] == rank]
        assert sum(entry[2] for entry in sent) == sum(event["args"]["bytes"] for event in began.values())
        assert sum(entry[3] for entry in sent) == sum(event["args"]["messages"] for event in began.values())


def test_traffic_of_two_ranks_is_nearly_symmetric(traced: tuple) -> None:
    # Each rank sends its sticks' points on the partner's planes and gets back its planes' points of the partner's
    # sticks; both hold as many planes and nearly as many sticks.
    result, timeline, _ = traced
    assert [entry[:2] for entry in timeline["otherData"]["traffic"]] == [[0, 1], [1, 0]]
    exchanges = [event for event in timeline["traceEvents"] if event["ph"] == "b"]
    transposes = [event for event in exchanges if event["args"]["of"] == "sticks_and_planes"]
    there, back = ([event["args"] for event in transposes if event["pid"] == rank] for rank in (0, 1))
    bytes_there, bytes_back = (sum(sent["bytes"] for sent in events) for events in (there, back))
    assert bytes_there == pytest.approx(bytes_back, rel=0.02)
    assert len(there) == len(back) == sum(sent["messages"] for sent in there)
    sent = next(entry for entry in result["traffic"] if entry["purpose"] == "sticks_and_planes")
    assert (sent["exchanges"], sent["messages"]) == (len(there), 2 * len(there))
    assert sent["bytes"] == bytes_there + bytes_back


def test_seconds_by_purpose_add_up_to_the_exchanges(traced: tuple) -> None:
    result = traced[0]
    seconds = [sent["seconds"] for sent in result["traffic"]]
    assert all(time > 0 for time in seconds)
    assert sum(seconds) == pytest.approx(result["wall_seconds"]["exchange"], abs=1e-6)


def test_phases_add_up_to_the_times_of_the_run(traced: tuple) -> None:
    result, _, path = traced
    seconds, wall = summary.read(path)["ranks"][0]["seconds"], result["wall_seconds"]
    for name in ("fft", "exchange", "linear_algebra", "nonlocal"):
        assert seconds[name] == pytest.approx(wall[name], rel=1e-3, abs=1e-5), name
    assert sum(seconds[name] for name in summary.PHASES) == pytest.approx(seconds["total"], rel=1e-6)
    assert seconds["total"] == pytest.approx(wall["total"], rel=0.1, abs=0.2)  # what Python does before is not in it


def exchange(number: int, purpose: str, begin: float, end: float) -> list[dict]:
    return [
        {"name": "ring", "ph": "b", "ts": begin, "id2": {"local": str(number)}, "args": {"of": purpose}},
        {"name": "ring", "ph": "e", "ts": end, "id2": {"local": str(number)}},
    ]


def step(name: str, begin: float, duration: float) -> dict:
    return {"name": name, "ph": "X", "cat": "step", "tid": 0, "ts": begin, "dur": duration}


def test_hidden_is_the_share_of_an_exchange_without_waiting(traced: tuple) -> None:
    # The halo's exchange begins before that of the fields and ends after it; the latter is sent in two pieces.
    halo = [*exchange(0, "halo", 0, 20), step("pack", 0, 1), step("wait", 16, 2.25), step("unpack", 19, 1)]
    fields = [*exchange(1, "fields", 2, 12), step("pack", 2, 1), step("wait", 3, 3), step("unpack", 6, 1)]
    second = [step("pack", 7, 1), step("wait", 8, 3), step("unpack", 11, 1)]
    found = summary.by_purpose([{"name": "process_name", "ph": "M"}, *halo, *fields, *second])
    assert found["halo"] == pytest.approx(
        {"exchanges": 1, "pack": 1e-6, "wait": 2.25e-6, "unpack": 1e-6, "under_way": 18e-6, "hidden": 0.875}
    )
    assert found["fields"] == pytest.approx(
        {"exchanges": 1, "pack": 2e-6, "wait": 6e-6, "unpack": 2e-6, "under_way": 6e-6, "hidden": 0}
    )
    assert summary.by_purpose([]) == {}
    for row in summary.read(traced[2])["ranks"]:
        assert all(0 <= times["hidden"] <= 1 for times in row["purposes"].values())
        assert sum(times["exchanges"] for times in row["purposes"].values()) == row["exchanges"]
        for name in summary.STEPS:
            assert sum(times[name] for times in row["purposes"].values()) == pytest.approx(row["steps"][name])


def test_the_result_is_the_same_without_a_trace(traced: tuple, al4: Path, tmp_path: Path) -> None:
    assert program("run", al4, "--ranks", 2, "--output", tmp_path, "-q").returncode == 0
    plain = read_result(tmp_path)
    for result in (plain, traced[0]):
        for name in ("wall_seconds", "finished"):
            result[name] = None
    assert plain.keys() == traced[0].keys()
    assert plain["parallel"].keys() == traced[0]["parallel"].keys()
    assert plain["energy"]["free"] == pytest.approx(traced[0]["energy"]["free"], abs=1e-10)


@pytest.mark.parametrize(
    ("rank", "groups", "name"),
    [
        (3, (1, 1, 2, 2), "rank 3 (row 1, column 1)"),
        (4, (1, 1, 2, 2), "rank 4"),
        (4, (2, 1, 1, 2), "rank 4 (k-point group 1, row 0, column 1)"),  # 3 and 2 ranks
        (2, (2, 1, 1, 2), "rank 2 (k-point group 0)"),
        (4, (2, 2, 1, 1), "rank 4 (k-point group 1, band group 1)"),
        (4, (1, 5, 1, 1), "rank 4 (band group 4)"),
    ],
)
def test_every_rank_has_its_place_as_name(rank: int, groups: tuple, name: str) -> None:
    run = dict(zip(("kpoint_groups", "band_groups", "rows", "columns"), groups, strict=True))
    assert timeline._process(rank, run | {"ranks": 5}) == name


def test_the_file_describes_the_run(traced: tuple) -> None:
    result, timeline, _ = traced
    other = timeline["otherData"]
    assert other["run"]["program"].startswith("wavegrid ")
    for name in ("ranks", "rows", "columns", "partition", "transport"):
        assert other["run"][name] == result["parallel"][name]
    assert (other["run"]["grid"], other["run"]["plane_waves"]) == (result["grid"], result["plane_waves"])
    assert (other["clock"], other["lost_events"]) == ({"hosts": 1, "error_ns": 0}, [])


def test_the_report(traced: tuple, tmp_path: Path) -> None:
    path = traced[2]
    answer = program("trace", path)
    assert answer.returncode == 0, answer.stderr
    for words in (
        f"Al4, 2 ranks, transposes by {traced[0]['parallel']['transport']}: seconds by phase",
        "MB from rank (down) to rank (across)",
        "exchanges by purpose",
        "sticks_and_planes",
        "reductions",
        "algebra",
    ):
        assert words in answer.stdout
    figures = json.loads(program("trace", path, "--json").stdout)
    assert [row["rank"] for row in figures["ranks"]] == [0, 1]
    assert figures["traffic"] == traced[1]["otherData"]["traffic"]
    pytest.importorskip("matplotlib")
    answer = program("trace", path, "--plot", tmp_path / "traffic.png")
    assert answer.returncode == 0, answer.stderr
    assert os.listdir(tmp_path) == ["traffic.png"]


def test_one_rank_sends_nothing(write: Callable[..., Path]) -> None:
    path = write().parent / "t.json"
    answer = program("run", write(), "--ranks", 1, "-q", "--output", path.parent / "out", "--trace", path)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    figures = summary.read(path)
    assert (figures["traffic"], figures["ranks"][0]["exchanges"]) == ([], 0)
    assert program("trace", path).returncode == 0


def span(name: str, start: float, duration: float) -> dict:
    return {"name": name, "ts": start, "dur": duration}


def test_nested_phases_are_subtracted() -> None:
    spans = [span("calculation", 0, 100), span("fft", 10, 50), span("exchange", 20, 10), span("exchange", 30, 20)]
    seconds = summary.exclusive([*spans, span("linear_algebra", 60, 5)])
    expected = {
        "total": 100,
        "other": 45,
        "fft": 20,
        "exchange": 30,
        "reductions": 0,
        "linear_algebra": 5,
        "nonlocal": 0,
    }
    assert {name: round(1e6 * time, 6) for name, time in seconds.items()} == expected


def test_many_ranks_and_lost_events_are_reported() -> None:
    row = {"seconds": dict.fromkeys(("total", *summary.PHASES), 1.0), "exchanges": 1}
    row["steps"] = dict.fromkeys(summary.STEPS, 0.1)
    row["purposes"] = {"halo": row["steps"] | {"exchanges": 1, "under_way": 0.4, "hidden": 0.75}}
    figures = {
        "run": {"title": "a [bold]"}, "clock": {"hosts": 2, "error_ns": 1500}, "max_events_per_rank": 10,
        "lost_events": [[3, 7]], "ranks": [row | {"rank": rank} for rank in range(20)],
        "traffic": [[rank, (rank + 1) % 20, 1000 * rank, 1] for rank in range(20)],
    }  # fmt: skip
    phases, purposes, title, pairs, *notes = summary.show(figures)
    assert (phases.row_count, purposes.row_count, pairs.row_count) == (20, 1, 20)
    assert [list(column.cells)[0] for column in purposes.columns] == [
        "halo", "1", "2.000", "2.000", "2.000", "8.000", "75%"
    ]  # fmt: skip
    assert "0.190 MB in 20 messages" in title
    assert notes[0].startswith("2 hosts: times of different hosts are comparable to 1.5 us")
    assert notes[1].startswith("rank 3: 7 events did not fit")


def test_too_many_ranks_for_a_plot(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="too many to draw"):
        trace.save({"ranks": [{}] * 5000}, tmp_path / "p.png")


@pytest.mark.parametrize("ranks", [1, 2])
def test_names_that_cannot_be_written(ranks: int, write: Callable[..., Path], fake_environment: dict) -> None:
    path = write()
    (path.parent / "notes.json").write_text('{"mine": 1}')
    for name, code, words in (
        ("/proc/nowhere/t.json", 3, "the trace cannot be written to '/proc/nowhere/t.json'"),
        (path.parent, 2, "is a directory"),
        ("/dev/null", 2, "is not a plain file"),
        (path, 2, "is the input file"),
        (path.parent / "out" / "result.json", 2, "is also written by this run as result.json"),
        (path.parent / "notes.json", 2, "is not a file of this kind"),
        ("", 2, "--trace is empty"),
    ):
        arguments = ("run", path, "--ranks", ranks, "--output", path.parent / "out", "--trace", name)
        answer = program(*arguments, environment=fake_environment)
        assert (answer.returncode, answer.stdout) == (code, "")
        assert answer.stderr.count("\n") == 1
        assert words in answer.stderr
        assert not list((path.parent / "out").glob("*"))


@pytest.mark.parametrize("name", ["write_trace", "put_in_place"])
def test_a_full_disk_leaves_the_old_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "t.json"
    path.write_text("old")
    monkeypatch.setattr(fake_core if name == "write_trace" else store, name, refuse)
    with pytest.raises(EnvironmentFault, match="No space left on device"):
        timeline.save(fake_core, None, path, "t", 0, {"rows": 1, "columns": 1})
    assert (os.listdir(tmp_path), path.read_text()) == (["t.json"], "old")


def test_a_run_without_a_trace_writes_none(write: Callable[..., Path], fake_environment: dict) -> None:
    out = write().parent / "out"
    trace = out.parent / "t.json"
    for arguments in ((), ("--trace", trace)):
        program("run", write(), "--ranks", 2, "--output", out, *arguments, environment=fake_environment)
        assert trace.exists() == bool(arguments)
    assert json.loads(trace.read_text())["otherData"]["run"]["title"] == "Al4"
    assert sorted(os.listdir(out)) == ["result.extxyz", "result.json"]


def test_files_that_are_no_timeline(tmp_path: Path) -> None:
    for text in (None, "", "{}", "[]", '{"traceEvents": [{"pid": 0}], "otherData": {}}'):
        path = tmp_path / "t.json"
        if text is not None:
            path.write_text(text)
        answer = invoke("trace", path)
        assert answer.exit_code == 2
        assert "valid: what 'wavegrid run --trace FILE' wrote" in answer.stderr
    path.write_bytes(b"\xff\xfe")
    assert invoke("trace", path).exit_code == 2
    assert invoke("trace", tmp_path).exit_code == 2
