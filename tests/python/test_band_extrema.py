"""Extrema of bands next to the edges of the gap, and tensors of effective masses."""

from pathlib import Path

import numpy as np
import pytest
from conftest import invoke, program, read_result

from wavegrid.crystal import band_extrema
from wavegrid.model.core_result import CoreResult

CELL = np.array([[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]])
RECIPROCAL = 2 * np.pi * np.linalg.inv(CELL).T
VALLEY = np.array([0.05, 0.31, 0.22])  # 1/bohr
AXES = np.linalg.qr(np.array([[1.0, 0.3, 0.2], [0.1, 1, 0.4], [-0.3, 0.2, 1]]))[0]
MASSES = np.array([0.11, 0.4, 1.3])


def model(kpoints: list[list[float]]) -> list:
    """A valence band whose two states meet at the origin, and a conduction band with a valley, not quite a parabola."""
    k = np.array(kpoints) @ RECIPROCAL
    squares = (k**2).sum(axis=1)
    along = (k - VALLEY) @ AXES.T
    conduction = 0.03 + np.tanh((along**2 / (2 * MASSES)).sum(axis=1)) + 0.3 * along[:, 0] ** 3
    levels = np.stack([-2.0 * squares, -0.4 * squares, conduction], axis=1)
    return [levels.tolist()]


def of_model(start: list[float], occupied: int = 2) -> list[dict]:
    points = [[0.0, 0.0, 0.0], start]
    levels = model(points)
    path = {"kpoints": [[*one, 0.0] for one in points], "eigenvalues": levels}
    occupations = [[[2.0] * occupied + [0.0] * (3 - occupied)] * 2]
    result = {"kpoints": path["kpoints"], "eigenvalues": levels, "occupations": occupations, "path": path}
    found = band_extrema.of_gap(CoreResult.read(result), CELL.tolist(), [True] * 3, model)
    return [one.content() for one in found]


def test_a_valley_off_the_path_is_found() -> None:
    valence, conduction = of_model((VALLEY @ CELL.T / (2 * np.pi) + [0.02, 0.01, -0.015]).round(3).tolist())
    assert (conduction["edge"], conduction["band"], conduction["converged"]) == ("conduction", 3, True)
    assert np.array(conduction["kpoint"]) @ RECIPROCAL == pytest.approx(VALLEY, abs=1e-4)
    assert conduction["energy"] == pytest.approx(0.03, abs=1e-7)
    order = [2, 1, 0]
    assert conduction["masses"] == pytest.approx(MASSES[order][::-1], rel=2e-3)
    assert np.abs((np.array(conduction["axes"]) * AXES).sum(axis=1)) == pytest.approx(np.ones(3), abs=2e-2)
    assert valence["kpoint"] == [0, 0, 0] and valence["converged"]
    assert (valence["states"], "masses" in valence) == (2, False)  # states that meet have no tensor


def test_a_metal_has_none() -> None:
    assert of_model([0.1, 0.2, 0.3], occupied=3) == []


SILICON = """\
[structure]
cell = [[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
[basis]
ecut = "8 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = { mesh = [3, 3, 3], path = "XG", points = 9 }
[task]
extrema = true
"""


def test_the_valley_of_silicon(tmp_path: Path) -> None:
    """Next to Gamma-X, the long axis along it; the same on two ranks."""
    (tmp_path / "in.toml").write_text(SILICON)
    found = []
    for ranks in (1, 2):
        answer = program("run", tmp_path / "in.toml", "--output", tmp_path / str(ranks), "--ranks", ranks)
        assert answer.returncode == 0, answer.stderr
        found.append(read_result(tmp_path / str(ranks))["bands"]["extrema"])
    valence, conduction = found[0]
    assert (valence["states"], valence["kpoint"], valence["converged"]) == (3, [0, 0, 0], True)
    assert conduction["converged"] and 0.38 < max(conduction["kpoint"]) < 0.45
    assert conduction["masses"][0] == pytest.approx(conduction["masses"][1], abs=2e-2)
    assert 0.15 < conduction["masses"][0] < 0.22 and 0.8 < conduction["masses"][2] < 1.1
    assert max(np.abs(conduction["axes"][2])) == pytest.approx(1, abs=1e-2)
    assert found[1][1]["masses"] == pytest.approx(conduction["masses"], abs=1e-3)


def test_where_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "in.toml").write_text(SILICON.replace("LDA-PZ", "PBE0"))
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2 and "extrema of bands; valid: extrema = false" in answer.stderr
    (tmp_path / "in.toml").write_text(SILICON.replace(', path = "XG", points = 9', ""))
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2 and '\'extrema\' with kind = "scf"; valid: with kind = "bands"' in answer.stderr
