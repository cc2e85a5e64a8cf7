"""What calculations need is counted, not timed: a change that needs more work has to say so in the history."""

import importlib.util
from pathlib import Path

import pytest

_PROGRAM = importlib.util.spec_from_file_location("counts", Path(__file__).parents[2] / "benchmarks/counts/run.py")
counting = importlib.util.module_from_spec(_PROGRAM)
_PROGRAM.loader.exec_module(counting)

# Rounding differs between kernels of the BLAS, and a solver may then need a step more or less for some band.
_MARGIN = 1.05


@pytest.mark.skipif(not counting.COUNTER.exists(), reason="'make build-all' makes the library that counts allocations")
@pytest.mark.parametrize("case", counting.CASES)
def test_no_case_needs_more_than_before(case: str, tmp_path: Path) -> None:
    found, before = counting.counts(case, tmp_path), counting.newest()[case]
    more = {name: (found[name], before[name]) for name in before if found[name] > _MARGIN * before[name]}
    assert not more, f"{case} needs more (now, before): {more}; benchmarks/counts/run.py --append records it"
