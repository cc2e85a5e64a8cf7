"""What a run shows: plain lines in a log, a live table on a terminal."""

import io

import pytest
from rich.console import Console

from wavegrid.launch.progress import Progress, step_cells
from wavegrid.text import counted, megabytes

STEPS = [
    {"step": 1, "free_energy": -226.5, "error_estimate": 1e-3, "seconds": 0.5, "h_applications": 434},
    {"step": 2, "free_energy": -226.55, "error_estimate": None, "seconds": 1.0},
    {"step": 3, "free_energy": -226.554, "error_estimate": 0.0, "seconds": 1.5, "h_applications": 868},
]


def test_plain_lines_are_complete_and_aligned() -> None:
    stream = io.StringIO()
    with Progress(Console(file=stream, width=120)) as progress:
        for step in STEPS:
            progress.step(step)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1
    assert lines[1].split() == ["1", "-226.500000000", "-3.00", "434", "0.50"]
    assert lines[2].split() == ["2", "-226.550000000", "-", "-", "1.00"]


def test_live_table_ends_with_every_step_and_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")  # on a dumb terminal the table is not live
    stream = io.StringIO()
    with Progress(Console(file=stream, force_terminal=True, width=80, height=24)) as progress:
        for step in STEPS:
            progress.step(step)
    text = stream.getvalue()
    assert "-226.554000000" in text
    assert text.rstrip().endswith("\x1b[?25h")


def test_the_live_table_fits_the_screen() -> None:
    progress = Progress(Console(file=io.StringIO(), force_terminal=True, width=80, height=12))
    progress.steps = [STEPS[0] | {"step": number} for number in range(1, 61)]
    assert progress.table().row_count <= 12


@pytest.mark.parametrize(("count", "text"), [(0, "1 MB"), (12_300_000, "12 MB"), (2_500_000_000, "2.5 GB")])
def test_sizes(count: int, text: str) -> None:
    assert megabytes(count) == text


def test_numbers_and_odd_estimates() -> None:
    assert (counted(1, "rank"), counted(2, "rank")) == ("1 rank", "2 ranks")
    assert step_cells(STEPS[0] | {"error_estimate": float("inf")})[2] == "-"
