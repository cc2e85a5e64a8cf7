"""Memory per rank: what `check` predicts is what a run takes."""

import json
import re
from pathlib import Path

import pytest
from conftest import program, read_result
from feature_inputs import POTENTIALS
from test_al108 import aluminium


@pytest.mark.parametrize(
    ("ranks", "eigensolver", "partition", "band_groups"),
    [
        (1, "davidson", "auto", 1),
        (3, "lobpcg", "balanced", 1),
        pytest.param(2, "rmm-diis", "greedy", 1, marks=pytest.mark.study),
        pytest.param(2, "rmm-diis", "greedy", 2, marks=pytest.mark.study),
        pytest.param(1, "chebyshev", "auto", 1, marks=pytest.mark.study),
    ],
)
def test_prediction_is_true_to_a_tenth(
    ranks: int, eigensolver: str, partition: str, band_groups: int, tmp_path: Path
) -> None:
    calculation = aluminium(2)  # 32 atoms; with so many bands and plane waves arrays dominate
    calculation.ecut, calculation.grid, calculation.bands = 20.0, [48, 48, 48], 200
    calculation.scf = {"eigensolver": eigensolver, "max_steps": 2}
    calculation.parallel = {"partition": partition, "kpoint_groups": 1, "band_groups": band_groups}
    path = tmp_path / "in.toml"
    path.write_text(calculation.text(1e-7))

    answer = program("check", path, "--ranks", ranks, "--json")
    assert answer.returncode == 0, answer.stderr
    figures = json.loads(answer.stdout)
    parts = figures["memory_parts"]
    assert {"program", "plane_waves", "projectors", "transform", "exchange", "grid", "bands", "mixer"} <= parts.keys()
    assert sum(parts.values()) == figures["bytes_per_rank"]
    assert (parts["exchange"] > 0) == (ranks > 1)
    assert parts["program"] < 0.5 * figures["bytes_per_rank"]

    program("run", path, "--ranks", ranks, "--output", tmp_path / "out", "--quiet")  # ends unconverged
    memory = read_result(tmp_path / "out")["memory"]
    assert memory["predicted_mib_per_rank"] == pytest.approx(figures["bytes_per_rank"] / 2**20, abs=0.1)
    assert memory["peak_mib_per_rank"] == pytest.approx(memory["predicted_mib_per_rank"], rel=0.1), parts


@pytest.mark.parametrize(
    ("dataset", "eigensolver"),
    [
        ("Al-paw.UPF", "lobpcg"),
        pytest.param("Al.UPF", "davidson", marks=pytest.mark.study),
        pytest.param("Al.UPF", "chebyshev", marks=pytest.mark.study),
    ],
)
def test_prediction_with_an_overlap_is_true(dataset: str, eigensolver: str, tmp_path: Path) -> None:
    """At many k-points S of the bands makes up a quarter of all."""
    path = tmp_path / "in.toml"
    path.write_text(
        f"""[structure]
cell = [[7.6, 0, 0], [0, 7.7, 0], [0, 0, 7.6]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Al", 0, 0, 0], ["Al", 0.5, 0.5, 0.02], ["Al", 0.5, 0.01, 0.5], ["Al", 0.01, 0.5, 0.5]]
[basis]
ecut = "18 Ha"
[electrons]
xc = "PBE"
pseudopotentials = {{ Al = "{POTENTIALS / "ultrasoft" / dataset}" }}
bands = 30
kpoints = {{ mesh = [4, 4, 4] }}
smearing = {{ kind = "gaussian", width = "0.01 Ha" }}
[scf]
eigensolver = "{eigensolver}"
max_steps = 3
"""
    )
    program("run", path, "--ranks", 1, "--output", tmp_path / "out", "--quiet")  # ends unconverged
    memory = read_result(tmp_path / "out")["memory"]
    assert memory["peak_mib_per_rank"] == pytest.approx(memory["predicted_mib_per_rank"], rel=0.1)


@pytest.mark.parametrize(
    ("ranks", "band_groups"),
    [(2, 2), pytest.param(1, 1, marks=pytest.mark.study), pytest.param(2, 1, marks=pytest.mark.study)],
)
def test_prediction_of_a_mesh_is_true(ranks: int, band_groups: int, tmp_path: Path) -> None:
    calculation = aluminium(2)
    calculation.bands = 160
    calculation.scf = {"max_steps": 1}
    calculation.parallel = {"band_groups": band_groups}
    basis = '[basis]\nmethod = "realspace"\nspacing = "0.55 bohr"\n'
    path = tmp_path / "in.toml"
    path.write_text(re.sub(r"\[basis\]\n(?:[^\[\n].*\n)*", basis, calculation.text(1e-7)))

    program("run", path, "--ranks", ranks, "--output", tmp_path / "out", "--quiet")  # ends unconverged
    memory = read_result(tmp_path / "out")["memory"]
    # The prediction includes that the Chebyshev filter stagnates and LOBPCG finishes, which needs more.
    assert 0.8 < memory["peak_mib_per_rank"] / memory["predicted_mib_per_rank"] < 1.1


MOVING = """\
[structure]
cell = [[10.8, 0, 0], [0, 10.8, 0], [0, 0, 10.8]]
unit = "bohr"
atoms = [["He", 0, 0, 0], ["He", 0.5, 0.5, 0.45]]
coordinates = "fractional"
[basis]
method = "realspace"
spacing = "0.27 bohr"
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
bands = 60
[scf]
energy_tolerance = "1e-3 Ha"
[task]
kind = "{kind}"
[{kind}]
{moves}
"""
DYNAMICS = 'steps = 4\ntimestep = "0.5 fs"\ntemperature = "300 K"'
RELAXATION = 'max_steps = 5\nforce_tolerance = "1e-5 Ha/bohr"'


@pytest.mark.parametrize(
    ("kind", "moves"),
    [
        pytest.param("md", DYNAMICS, id="md"),
        pytest.param("relax", RELAXATION, id="relax", marks=pytest.mark.study),
    ],
)
def test_the_bands_of_earlier_geometries_count(kind: str, moves: str, tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(MOVING.format(kind=kind, moves=moves))
    program("run", path, "--ranks", 1, "--output", tmp_path / "out", "--quiet")
    memory = read_result(tmp_path / "out")["memory"]
    assert memory["peak_mib_per_rank"] == pytest.approx(memory["predicted_mib_per_rank"], rel=0.1)


def test_more_ranks_need_less_each(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(aluminium(3).text(1e-7))
    needs = []
    for ranks in (1, 2, 8, 64):
        answer = program("check", path, "--ranks", ranks, "--json")
        needs.append(json.loads(answer.stdout)["bytes_per_rank"])
    assert needs == sorted(needs, reverse=True)
    assert needs[0] > 3 * needs[-1]  # the program itself, some 52 MiB, does not shrink
