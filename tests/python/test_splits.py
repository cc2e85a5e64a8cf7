"""One energy, whatever the ranks, the partition, the transport, the threads."""

from pathlib import Path

import pytest
from cases import Calculation, reference

ONE_GROUP = {"kpoint_groups": 1, "band_groups": 1}  # test_any_crystal.py has other divisions

# Every rank count, every partition and transport, threads too.
SPLITS = [
    (1, "balanced", "alltoallv", 2),
    (2, "greedy", "alltoallv", 1),
    (2, "optimized", "pairwise", 1),
    (3, "greedy", "pairwise", 2),
    (4, "cyclic", "alltoallv", 1),
    (5, "balanced", "pairwise", 1),
    (6, "optimized", "alltoallv", 2),
    (7, "greedy", "pairwise", 1),
]
MORE = [
    (1, "greedy", "pairwise", 1),
    (2, "cyclic", "pairwise", 1),
    (3, "balanced", "pairwise", 1),
    (4, "balanced", "alltoallv", 1),
    (4, "optimized", "pairwise", 1),
    (5, "greedy", "alltoallv", 1),
    (7, "balanced", "alltoallv", 1),
    (7, "optimized", "pairwise", 1),
]


@pytest.mark.parametrize(
    ("ranks", "partition", "transport", "threads"),
    SPLITS + [pytest.param(*split, marks=pytest.mark.study) for split in MORE],
)
def test_metal(ranks: int, partition: str, transport: str, threads: int, tmp_path: Path) -> None:
    case = reference("abinit/al4_displaced_coarse_fd")
    calculation = Calculation.of(case)
    calculation.parallel = ONE_GROUP | {"partition": partition, "transport": transport}
    result = calculation.run(tmp_path, ranks=ranks, threads=threads)
    assert result["parallel"]["partition"] == partition
    assert result["parallel"]["transport"] == (transport if ranks > 1 else "none")
    assert result["energy"]["free"] == pytest.approx(case["energies_Ha"]["free"], abs=1e-9)


@pytest.mark.parametrize(("ranks", "partition"), [(3, "greedy"), (6, "cyclic"), (7, "balanced"), (4, "optimized")])
def test_insulator_in_a_skewed_cell(ranks: int, partition: str, tmp_path: Path) -> None:
    case = reference("abinit/si2")
    calculation = Calculation.of(case)
    calculation.parallel = ONE_GROUP | {"partition": partition}
    result = calculation.run(tmp_path, ranks=ranks)
    assert result["energy"]["free"] == pytest.approx(case["energies_Ha"]["free"], abs=1e-9)


def test_the_automatic_partition_says_what_and_why(tmp_path: Path) -> None:
    case = reference("abinit/al4_displaced_coarse_fd")
    for ranks in (1, 4, 18):
        folder = tmp_path / str(ranks)
        folder.mkdir()
        calculation = Calculation.of(case)
        calculation.parallel = ONE_GROUP
        result = calculation.run(folder, ranks=ranks)
        parallel = result["parallel"]
        assert parallel["partition"] in ("greedy", "optimized")
        assert parallel["rows"] * parallel["columns"] <= ranks
        assert parallel["partition_reason"]
        if ranks > 1:
            assert f"{parallel['partition']} {parallel['rows']} x {parallel['columns']}" in parallel["partition_reason"]
        assert result["energy"]["free"] == pytest.approx(case["energies_Ha"]["free"], abs=1e-9)


def test_more_ranks_than_planes(tmp_path: Path) -> None:
    case = reference("abinit/al4_displaced_coarse_fd")
    calculation = Calculation.of(case)
    calculation.parallel = ONE_GROUP | {"partition": "greedy"}
    result = calculation.run(tmp_path, ranks=19)
    assert result["parallel"]["rows"] == 2  # 16 planes: two sections of each, and a rank that holds sticks alone
    assert result["parallel"]["columns"] == 9
    assert result["energy"]["free"] == pytest.approx(case["energies_Ha"]["free"], abs=1e-9)
