"""Programs killed while they write leave a whole checkpoint; `make study-checkpoint-kill` does it 200 times."""

from pathlib import Path

import pytest
from kill_writer import kill_often


@pytest.mark.parametrize("seed", [1])
def test_no_kill_loses_a_checkpoint(seed: int, tmp_path: Path) -> None:
    found = kill_often(tmp_path, 12, seed)
    assert sum(found.kills.values()) == 12
    assert found.generations == sorted(found.generations)
    assert found.generations[-1] > 12
