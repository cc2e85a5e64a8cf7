"""`wavegrid bench fft`: what it measures, what it refuses, what it does without SpFFT or with a program that fails."""

import json
from pathlib import Path

import pytest
from conftest import clean_environment, invoke, program

import wavegrid
from wavegrid.bench import fft as bench
from wavegrid.bench.request import Layout, read_request

TINY = ("bench", "fft", "--case", "16:5", "--repeats", "1")


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: None):
    """Return a function that puts a shell script in the place of the compiled program."""
    for name in ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"):
        monkeypatch.delenv(name, raising=False)

    def put(script: str) -> None:
        path = tmp_path / "bench_fft"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(bench, "compiled", lambda _: path)

    return put


def row(library: str, milliseconds: float) -> str:
    content = {"mode": "gamma", "bands": 2, "library": library, "ms_per_band": milliseconds}
    content |= {"ratio_to_dense": 0.5, "work_to_dense": 0.3}
    return f"echo '{json.dumps(content)}'"


def test_json_has_a_row_for_everything_asked() -> None:
    answer = program(*TINY, "--ranks", "1,2", "--bands", "1,3", "--json")
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    rows = json.loads(answer.stdout)
    libraries = {row["library"] for row in rows}
    assert libraries - {"spfft"} == {"wavegrid", "wavegrid single", "fftw"}
    assert len(rows) == 2 * 2 * 2 * len(libraries)
    for one in rows:
        assert list(one) == list(bench.KEYS)
        assert (one["case"], one["n"], one["radius"], one["threads"]) == ("16:5", 16, 5.0, 1)
        assert 0 < one["ms_per_band"] < 1000
        assert 0 < one["work_to_dense"] < (0.5 if one["mode"] == "gamma" else 1)
        assert one["ratio_to_dense"] == 1 if one["library"] == "fftw" else one["ratio_to_dense"] > 0
    places = {(one["mode"], one["bands"], one["ranks"], one["library"]) for one in rows}
    assert len(places) == len(rows)


def test_small_is_the_grids_of_primitive_cells_on_one_rank() -> None:
    asked = read_request("small", None, None, None, "complex", "greedy", "3")
    assert [case.n for case in asked.cases] == [12, 15, 16, 18, 20, 24, 25, 27, 30, 32, 36]
    assert all(4 * case.radius + 1 == case.n for case in asked.cases)
    assert (asked.bands, asked.layouts) == ([4, 8, 16], [Layout(1, 1)])
    assert read_request("small", "2", None, "7", "complex", "greedy", "3").bands == [7]


def test_table_and_plot(tmp_path: Path) -> None:
    plot = tmp_path / "ratios.svg"
    wide = clean_environment() | {"COLUMNS": "160"}  # with SpFFT the table has more columns than a pipe is wide
    answer = program(*TINY, "--threads", 1, "--mode", "gamma", "--bands", "2", "--plot", plot, environment=wide)
    assert answer.returncode == 0, answer.stderr
    for words in ("cores", "the least of 1", "16:5", "gamma", "wavegrid ms", f"written: {plot}"):
        assert words in answer.stdout.replace("\n", "")
    assert plot.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--case", "47"], ["--case 47", "128b", "N:RADIUS"]),
        (["--case", "48,16:x"], ["--case 16:x", "two numbers"]),
        (["--case", "16:8"], ["--case 16:8", "to below 8"]),
        (["--case", "16:nan"], ["--case 16:nan", "to below 8"]),
        (["--case", "2:1"], ["--case 2:1", "4 to 1024"]),
        (["--ranks", "0"], ["--ranks 0", "1, 2, 3"]),
        (["--threads", "1,two"], ["--threads two", "1, 2, 3"]),
        (["--bands", "1,"], ["--bands", "1, 2, 3"]),
        (["--mode", "gama"], ["--mode gama", "complex", "did you mean 'gamma'"]),
        (["--scheme", "greedi"], ["--scheme greedi", "did you mean 'greedy'"]),
        (["--repeats", "-1"], ["--repeats -1", "1, 2, 3"]),
        (["--plot", "ratios.jpg"], ["--plot ratios.jpg", ".png"]),
        (["--plot", "nowhere/ratios.png"], ["--plot nowhere/ratios.png", "existing directory"]),
    ],
)
def test_bad_input(options: list[str], words: list[str], fake: None) -> None:
    answer = invoke("bench", "fft", *options)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    for word in words:
        assert word in answer.stderr


def test_starts_its_ranks_itself(fake: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    answer = invoke(*TINY)
    assert answer.exit_code == 2
    assert "without mpirun" in answer.stderr


def test_without_spfft_its_rows_are_left_out(stand_in) -> None:
    stand_in(f"""echo '{{"spfft": ""}}'; {row("wavegrid", 0.1)}; {row("wavegrid single", 0.05)}; {row("fftw", 0.2)}""")
    answer = invoke(*TINY, "--ranks", "1")
    assert answer.exit_code == 0, answer.stderr
    assert "spfft ms" not in answer.stdout
    assert "SpFFT was not installed" in answer.stdout
    assert {one["library"] for one in json.loads(invoke(*TINY, "--ranks", "1", "--json").stdout)} == {
        "wavegrid",
        "wavegrid single",
        "fftw",
    }


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("echo 'error: they disagree by 1e-3' >&2; echo banner; exit 4", 4, "16:5 on 1 rank: they disagree by 1e-3"),
        ("echo 'error: no memory' >&2; exit 3", 3, "no memory"),
        ("exit 9", 4, "exit code 9"),
    ],
)
def test_a_failing_program_is_reported_in_one_line(stand_in, script: str, code: int, words: str) -> None:
    stand_in(script)
    answer = invoke(*TINY, "--ranks", "1")
    assert answer.exit_code == code
    assert answer.stderr.count("\n") == 1
    assert words in answer.stderr


def test_says_that_the_program_is_not_built(monkeypatch: pytest.MonkeyPatch, fake: None, tmp_path: Path) -> None:
    monkeypatch.setattr(wavegrid, "__file__", str(tmp_path / "__init__.py"))
    answer = invoke(*TINY, "--ranks", "1")
    assert answer.exit_code == 3
    assert "make build" in answer.stderr
