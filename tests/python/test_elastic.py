"""The task "elastic": symmetry, fit and averages of elastic constants, and whole runs."""

from pathlib import Path

import numpy as np
import pytest
from series_runs import continued, refused, run_text, text

from wavegrid.crystal import symmetry
from wavegrid.model.core_result import CoreResult
from wavegrid.model.series import ElasticConstants, StrainedCell
from wavegrid.results import elasticity, result_warnings

CELLS = {  # lattice vectors, and for each crystal class the number of constants and of strains
    "cubic": ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], 3, [0, 3]),
    "hexagonal": ([[1, 0, 0], [-0.5, 0.75**0.5, 0], [0, 0, 1.6]], 5, [0, 3, 2]),
    "tetragonal": ([[1, 0, 0], [0, 1, 0], [0, 0, 1.6]], 6, [0, 3, 2, 5]),
    "orthorhombic": ([[1, 0, 0], [0, 1.3, 0], [0, 0, 1.6]], 9, [0, 3, 2, 5, 1, 4]),
    "triclinic": ([[1, 0.1, 0], [0.2, 1.3, 0], [0.3, 0.4, 1.6]], 21, [0, 3, 2, 5, 1, 4]),
}


def rotations(cell: list[list[float]]) -> list[np.ndarray]:
    vectors = np.array(cell, dtype=float)
    found = symmetry.of_crystal(cell, ["Al"], [[0.0, 0.0, 0.0]], None)
    return [(np.linalg.inv(vectors) @ np.array(one) @ vectors).T for one in found]


@pytest.mark.parametrize("name", CELLS)
def test_the_strains_determine_the_constants(name: str) -> None:
    cell, constants, strains = CELLS[name]
    basis = elasticity.symmetric_constants(rotations(cell))
    assert len(basis) == constants
    assert elasticity.strains_needed(basis) == strains
    true = np.einsum("n,nij->ij", np.random.default_rng(1).normal(size=constants), basis)
    assert np.allclose(true, true.T)
    slopes = np.array([true[:, one] for one in strains])
    found = elasticity.fit(basis, strains, slopes)
    assert np.allclose(found.constants, true) and found.scatter < 1e-12
    noisy = elasticity.fit(basis, strains, slopes + 0.1 * np.ones_like(slopes))
    assert noisy.scatter > 0.01 or constants == 21


def test_the_class_of_a_crystal_is_in_its_constants() -> None:
    basis = elasticity.symmetric_constants(rotations(CELLS["hexagonal"][0]))
    c = np.einsum("n,nij->ij", np.arange(1.0, 6.0), basis)
    assert c[5, 5] == pytest.approx((c[0, 0] - c[0, 1]) / 2) and c[3, 3] == pytest.approx(c[4, 4])


def test_averages_of_copper() -> None:
    """C11 168.3, C12 122.1, C44 75.7 GPa: bounds from their definitions for cubic crystals."""
    c = np.zeros((6, 6))
    c[:3, :3] = 122.1
    c[range(3), range(3)], c[range(3, 6), range(3, 6)] = 168.3, 75.7
    found = elasticity.averages(c)
    assert found.bulk == pytest.approx((412.5 / 3,) * 3)
    reuss = 5 * (168.3 - 122.1) * 75.7 / (4 * 75.7 + 3 * (168.3 - 122.1))
    assert found.shear[:2] == pytest.approx(((168.3 - 122.1 + 3 * 75.7) / 5, reuss))
    assert found.young == pytest.approx(2 * found.shear[2] * (1 + found.poisson))
    along = elasticity.young_along(c, np.array([[1, 0, 0], [1, 1, 1] / np.sqrt(3)]))
    assert along == pytest.approx([46.2 * 412.5 / 290.4, 9 * 137.5 * 75.7 / (412.5 + 75.7)])
    assert elasticity.stability(c)[0] == pytest.approx(168.3 - 122.1)
    c[0, 0] = 100.0
    assert elasticity.stability(c)[0] < 0


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("elastic")
    return folder, run_text(folder, text("[elastic]\nstrain = 0.01\n"))


def test_silicon_has_three_constants_by_two_strains(solved: tuple[Path, dict]) -> None:
    folder, result = solved
    part = result["elastic"]
    assert part["independent"] == 3 and part["stable"]
    assert [cell["component"] for cell in part["cells"]] == ["", "xx", "xx", "yz", "yz"]
    assert all(cell["relaxed"] for cell in part["cells"])
    c, clamped = np.array(part["constants_GPa"]), np.array(part["clamped_constants_GPa"])
    assert np.allclose(c, c.T) and c[0, 0] == pytest.approx(c[2, 2]) and c[3, 3] == pytest.approx(c[5, 5])
    assert 130 < c[0, 0] < 200 and 40 < c[0, 1] < 90
    assert clamped[3, 3] > c[3, 3] + 10  # the sublattices move against each other
    assert clamped[0, 0] == pytest.approx(c[0, 0])
    assert part["bulk_modulus_GPa"][2] == pytest.approx((c[0, 0] + 2 * c[0, 1]) / 3)
    assert "C11" in result["screen"].splitlines()[-1] and "stable" in result["screen"].splitlines()[-1]
    table = np.genfromtxt(folder / "out/elastic.csv", delimiter=",", skip_header=2, usecols=range(1, 7))
    assert np.allclose(table, c)
    assert (folder / "out/elastic.png").read_bytes().startswith(b"\x89PNG")


def test_a_run_that_was_cut_continues_on_other_ranks(solved: tuple[Path, dict]) -> None:
    folder, whole = solved
    found = continued(folder, folder / "cut", 4, ranks=2)  # within the first relaxation
    ours, expected = (np.array(one["elastic"]["constants_GPa"]) for one in (found, whole))
    assert np.abs(ours - expected).max() < 0.05


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    mesh = text("[elastic]\n").replace('ecut = "5 Ha"', 'method = "realspace"\nspacing = "0.5 bohr"')
    assert 'the task "elastic" is not available with [basis] method = "realspace"' in refused(tmp_path, mesh)
    assert "strain = 0.1" in refused(tmp_path, text("[elastic]\nstrain = 0.1\n"))
    assert "with [task] kind" in refused(tmp_path, text('[elastic]\n[task]\nkind = "eos"\n'))


def test_what_constants_bring_warnings_of() -> None:
    cell = StrainedCell(component="", strain=0.0, stress_GPa=[2.0] * 3, relaxed=False)
    part = ElasticConstants(cells=[cell], stable=False)
    names = [one.name for one in result_warnings.remarks({"smearing": {}}, CoreResult(elastic=part))]
    assert names == ["elastic_constants_under_stress", "strained_cells_not_relaxed", "crystal_not_stable"]
