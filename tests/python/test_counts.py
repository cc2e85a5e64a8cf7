"""What calculations need is counted, not timed: a change that needs more work has to say so in the history."""

import importlib.util
from pathlib import Path

import pytest

_PROGRAM = importlib.util.spec_from_file_location("counts", Path(__file__).parents[2] / "benchmarks/counts/run.py")
counting = importlib.util.module_from_spec(_PROGRAM)
_PROGRAM.loader.exec_module(counting)

# Rounding differs between processors, so that the loop may need one step more. What a run measures to choose, such as a
# transport, allocates too.
_MARGIN, _MARGIN_OF_ALLOCATIONS = 1.05, 2.0


@pytest.mark.skipif(not counting.COUNTER.exists(), reason="'make build-all' makes the library that counts allocations")
@pytest.mark.parametrize("case", counting.CASES)
def test_no_case_needs_more_than_before(case: str, tmp_path: Path) -> None:
    found, before = counting.counts(case, tmp_path), counting.newest()[case]
    margins = dict.fromkeys(before, _MARGIN + 1 / before["scf_steps"])
    margins["allocations_per_step"] = _MARGIN_OF_ALLOCATIONS
    more = {name: (found[name], before[name]) for name in before if found[name] > margins[name] * before[name]}
    assert not more, f"{case} needs more (now, before): {more}; benchmarks/counts/run.py --append records it"
