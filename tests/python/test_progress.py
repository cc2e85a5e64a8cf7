"""What a run shows: plain lines in a log, a live table on a terminal."""

import io

import pytest
from rich.console import Console

from wavegrid.base.text import counted, duration, megabytes
from wavegrid.display.forecast import remaining
from wavegrid.display.progress import Progress, step_cells

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
    assert lines[1].split() == ["1", "double", "-226.500000000", "-3.00", "434", "0.50"]
    assert lines[2].split() == ["2", "double", "-226.550000000", "-", "-", "1.00"]


@pytest.mark.parametrize(
    ("rounding", "shown"),
    [(0.0, "-8.167551101"), (5e-6, "-8.16755"), (1e-4, "-8.1676"), (1.01e-4, "-8.168"), (0.3, "-8"), (20.0, "-8")],
)
def test_energies_show_the_digits_that_are_known(rounding: float, shown: str) -> None:
    step = {"step": 9, "free_energy": -8.167551101, "error_estimate": 5e-10, "seconds": 1.0}
    cells = step_cells(step | ({"single_precision": True, "rounding": rounding} if rounding else {}))
    assert (cells[1], cells[2].strip()) == ("single" if rounding else "double", shown)
    assert abs(float(shown) - step["free_energy"]) <= max(rounding, 1) and len(cells[2]) == 18
    if "." in shown:
        assert cells[2].index(".") == 8  # below each other


def test_the_table_on_a_terminal_keeps_decimal_points_below_each_other() -> None:
    stream = io.StringIO()
    progress = Progress(Console(file=stream, force_terminal=True, width=100, height=24, color_system=None))
    progress.steps = [
        STEPS[0] | {"single_precision": True, "rounding": 1e-4},
        STEPS[0] | {"single_precision": False},
    ]
    progress.console.print(progress.table())
    single, double = stream.getvalue().splitlines()[1:3]
    assert single.index("-226.5") == double.index("-226.5")


def falling(count: int, factor: float, seconds: float = 2.0, **more: object) -> list[dict]:
    """Return steps whose error falls by a factor."""
    return [
        {"step": i + 1, "free_energy": -1.0, "error_estimate": factor**i, "seconds": seconds * (i + 1)} | more
        for i in range(count)
    ]


def test_what_is_left_is_said_where_the_error_falls() -> None:
    assert remaining(falling(4, 0.1), 1e-9, 60) == (6, pytest.approx(12.0))
    assert str(remaining(falling(4, 0.1), 1e-9, 60)) == "6 steps, 12 s"
    single = remaining(falling(4, 0.1, single_precision=True), 1e-4, 60)  # one more, and that one in double precision
    assert single == (2, pytest.approx(2.0 + 4.0))


@pytest.mark.parametrize(
    "steps",
    [
        falling(2, 0.1),  # too few
        falling(9, 0.9),  # too slow
        falling(9, 1.2),  # rising
        falling(4, 0.5),  # too far: 26 steps more after 4
        falling(11, 0.1),  # there
        [step | {"error_estimate": None} for step in falling(9, 0.1)],
        falling(4, 0.1, single_precision=True) + falling(1, 0.1),  # another precision
    ],
)
def test_nothing_is_said_where_it_is_not_known(steps: list[dict]) -> None:
    assert remaining(steps, 1e-9, 60) is None
    assert remaining(falling(4, 0.1), 1e-9, 9) is None  # would not converge


def at(done: int, seconds: float, groups: int = 1) -> dict:
    return {"stage": "bands", "done": done, "total": 200, "groups": groups, "seconds": seconds}


def test_kpoints_after_the_loop_are_no_steps() -> None:
    stream = io.StringIO()
    with Progress(Console(file=stream, width=120), task="bands") as progress:
        progress.step(STEPS[0])
        progress.activity({"stage": "checkpoint", "done": 0, "total": 1, "groups": 1, "seconds": 4.0})
        for done in range(201):
            progress.activity(at(done, 5.0 + done))
    lines = stream.getvalue().splitlines()[2:]
    assert len(lines) == 10
    assert lines[0].strip() == "bands: k-point 20 of 200, about 3.0 min left"
    assert lines[-1].strip() == "bands: k-point 200 of 200, 3.3 min"
    progress.activity(at(40, 9.0, groups=4))
    assert progress.status.startswith("bands: k-point 40 of 200 in each of 4 groups")


def test_the_live_display_says_what_is_going_on() -> None:
    progress = Progress(Console(file=io.StringIO(), force_terminal=True, width=100), tolerance=1e-9, max_steps=60)
    progress.steps = falling(4, 0.1)
    assert "step 5, about 6 steps, 12 s left; " in str(progress.display().renderables[1])
    progress.activity({"stage": "derivatives", "done": 0, "total": 1, "groups": 1, "seconds": 4.0})
    assert "forces and stress; " in str(progress.display().renderables[1])


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
    assert (counted(1.0, "electron"), counted(0.5, "electron")) == ("1 electron", "0.5 electrons")
    assert step_cells(STEPS[0] | {"error_estimate": float("inf")})[3] == "-"
    times = (0.04, 9.94, 9.96, 99.4, 99.6, 5969, 5971, 47 * 3600, 5 * 86400)
    words = ["0.0 s", "9.9 s", "10 s", "99 s", "1.7 min", "99.5 min", "1.7 h", "47.0 h", "5.0 days"]
    assert list(map(duration, times)) == words
