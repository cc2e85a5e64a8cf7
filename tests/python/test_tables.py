"""Tables 3 and 4 of Gao et al. 2016 through `wavegrid partition`: all 30 pairs, from the compiled core."""

import json
from pathlib import Path

import pytest
from conftest import EXAMPLES, program

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "gao2016.json").read_text())


@pytest.mark.parametrize("system", ["al108", "al500"])
def test_loads_equal_the_paper(system: str, tmp_path: Path) -> None:
    expected = REFERENCE[system]
    repeat, grid = [expected["supercell"]] * 3, [expected["grid"]] * 3
    text = (EXAMPLES / "al108.toml").read_text()
    text = text.replace("[3,3,3]", str(repeat)).replace("[48,48,48]", str(grid))
    path = tmp_path / f"{system}.toml"
    path.write_text(text)
    ranks = [key for key in expected if key.isdigit()]
    answer = program("partition", path, "--ranks", ",".join(ranks), "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    rows = {(row["ranks"], row["scheme"]): row for row in json.loads(answer.stdout)}
    assert len(rows) == 3 * len(ranks)
    for count in ranks:
        for scheme, pair in expected[count].items():
            row = rows[int(count), scheme]
            assert row["plane_waves"] == expected["plane_waves"]
            assert row["rows"] * row["columns"] <= int(count)
            assert row["mean"] == pytest.approx(row["plane_waves"] / int(count))
            assert row["imbalance"] == pytest.approx(row["max"] / row["mean"])
            if pair is not None:
                assert [row["max"], row["min"]] == pair, (count, scheme)


def test_all_thirty_pairs_are_there() -> None:
    systems = (REFERENCE["al108"], REFERENCE["al500"])
    loads = [value for system in systems for key, value in system.items() if key.isdigit()]
    assert sum(pair is not None for schemes in loads for pair in schemes.values()) == 30


def test_more_ranks_than_sticks(tmp_path: Path) -> None:
    answer = program("partition", EXAMPLES / "al4.toml", "--ranks", "5000", "--json")
    for row in json.loads(answer.stdout):
        assert row["min"] == 0
        assert row["max"] > 0
