"""Tables 3 and 4 of Gao et al. 2016 through `wavegrid partition`: all 30 pairs; and what optimized makes of them."""

import json
from pathlib import Path

import pytest
from conftest import EXAMPLES, program

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "gao2016.json").read_text())


# Largest load over the mean that optimized has to reach.
TARGETS = {
    "al108": {8: 1.005, 16: 1.019, 24: 1.026, 36: 1.032, 48: 1.042},
    "al500": {16: 1.003, 24: 1.008, 36: 1.015, 64: 1.023, 96: 1.029, 128: 1.056, 256: 1.187, 512: 1.398},
}


@pytest.mark.parametrize("system", ["al108", "al500"])
def test_loads_equal_the_paper(system: str, tmp_path: Path) -> None:
    expected = REFERENCE[system]
    repeat, grid = [expected["supercell"]] * 3, [expected["grid"]] * 3
    path = supercell(tmp_path, system, repeat, grid)
    ranks = [key for key in expected if key.isdigit()]
    answer = program("partition", path, "--ranks", ",".join(ranks), "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    rows = {(row["ranks"], row["scheme"]): row for row in json.loads(answer.stdout)}
    assert len(rows) == 4 * len(ranks)
    for count in ranks:
        for scheme, pair in expected[count].items():
            row = rows[int(count), scheme]
            assert row["plane_waves"] == expected["plane_waves"]
            assert row["rows"] * row["columns"] <= int(count)
            assert row["mean"] == pytest.approx(row["plane_waves"] / int(count))
            assert row["imbalance"] == pytest.approx(row["max"] / row["mean"])
            if pair is not None:
                assert [row["max"], row["min"]] == pair, (count, scheme)


def supercell(folder: Path, system: str, repeat: list[int], grid: list[int]) -> Path:
    """Write an input file of a supercell of aluminium."""
    text = (EXAMPLES / "al108.toml").read_text()
    path = folder / f"{system}.toml"
    path.write_text(text.replace("[3,3,3]", str(repeat)).replace("[48,48,48]", str(grid)))
    return path


@pytest.mark.parametrize("system", ["al108", "al500"])
def test_optimized_reaches_its_targets(system: str, tmp_path: Path) -> None:
    repeat, grid = {"al108": (3, 48), "al500": (5, 80)}[system]
    path = supercell(tmp_path, system, [repeat] * 3, [grid] * 3)
    ranks = ",".join(map(str, TARGETS[system]))
    answer = program("partition", path, "--ranks", ranks, "--scheme", "optimized", "--json")
    rows = json.loads(answer.stdout)
    assert [row["ranks"] for row in rows] == list(TARGETS[system])
    for row in rows:
        assert row["imbalance"] <= TARGETS[system][row["ranks"]], row["ranks"]
        assert row["rows"] * row["columns"] == row["ranks"]


def test_all_thirty_pairs_are_there() -> None:
    systems = (REFERENCE["al108"], REFERENCE["al500"])
    loads = [value for system in systems for key, value in system.items() if key.isdigit()]
    assert sum(pair is not None for schemes in loads for pair in schemes.values()) == 30


def test_more_ranks_than_sticks(tmp_path: Path) -> None:
    answer = program("partition", EXAMPLES / "al4.toml", "--ranks", "5000", "--json")
    for row in json.loads(answer.stdout):
        assert row["min"] == 0
        assert row["max"] > 0
