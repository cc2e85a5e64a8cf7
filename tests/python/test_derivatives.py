"""Forces and stress of whole calculations: against ABINIT where bands are converged further than test_crystals.py does
(which has the other cases, and symmetry), on any split, and what is printed of them.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result
from test_crystals import CRYSTALS, check_derivatives

from wavegrid.model.core_result import CoreResult
from wavegrid.results import derivative_tables, derivatives
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_PER_BOHR3_IN_GPA

# Two silicons that no operation but the identity maps, in a skewed cell.
SILICON = """\
[structure]
cell = [[0, 5.13, 5.13], [5.3, 0.1, 5.0], [5.13, 5.4, 0.2]]
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.27, 0.24, 0.23]]
coordinates = "fractional"
[basis]
ecut = "4 Ha"
grid = [16, 16, 16]
[electrons]
xc = "PBE"
pseudopotentials = "gth-pbe"
kpoints = {{ list = [[0.1, 0.2, 0.3], [-0.3, 0.15, 0.45]] }}
smearing = {{ kind = "cold", width = "0.01 Ha" }}
bands = 8
[scf]
energy_tolerance = "{tolerance} Ha"
max_steps = {steps}
precision = "double"
[output]
forces = true
stress = true
checkpoint = false
[parallel]
{parallel}
"""


def silicon(*, steps: int = 60, parallel: str = "", tolerance: str = "1e-8") -> str:
    """Return the input."""
    return SILICON.format(steps=steps, parallel=parallel, tolerance=tolerance)


def run(text: str, folder: Path, *options: object, code: int = 0) -> tuple[dict, str]:
    """Run an input and return result.json and what was printed."""
    folder.mkdir(exist_ok=True)
    path = folder / "in.toml"
    path.write_text(text)
    answer = program("run", path, "--output", folder / "out", *options)
    assert answer.returncode == code, answer.stderr
    return read_result(folder / "out"), answer.stdout


def array(result: dict, kind: str) -> np.ndarray:
    """Return the total of forces or stress."""
    return np.array(result[kind]["total"])


@pytest.mark.parametrize(
    ("name", "tolerance", "forces", "stress"),
    [("al111_slab_441", "1e-14", 3e-9, 1e-10), ("si2_dojo_pbe_222", "1e-13", 5e-9, 3e-10)],
)
def test_abinit_closely(name: str, tolerance: str, forces: float, stress: float, tmp_path: Path) -> None:
    text = (CRYSTALS / name / "case.toml").read_text().replace('"../', f'"{CRYSTALS}/').replace("1e-10", tolerance)
    result, _ = run(text + "[output]\nforces = true\nstress = true\n", tmp_path)
    check_derivatives(name, result, forces, stress)


def test_the_correction_helps_where_the_density_is_rough(tmp_path: Path) -> None:
    text = (CRYSTALS / "al111_slab_441/case.toml").read_text().replace("1e-10", "1e-6")
    result, _ = run(text + "[output]\nforces = true\n", tmp_path)
    exact = json.loads((CRYSTALS / "al111_slab_441/derivatives.json").read_text())["forces_Ha_per_bohr"]
    error = array(result, "forces") - np.array(exact)
    without = error - np.array(result["forces"]["terms"]["scf_correction"])
    assert np.abs(error).max() < 0.3 * np.abs(without).max()


TRIPLET = """\
[structure]
cell = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]
unit = "bohr"
atoms = [["H", 0, 0, 0], ["H", 1.5, 0.3, 0.2]]
coordinates = "cartesian"
[basis]
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
spin = "collinear"
total_magnetisation = 2
initial_magnetic_moments = [0.5, 0.5]
[scf]
energy_tolerance = "{tolerance} Ha"
[output]
forces = true
stress = true
checkpoint = false
"""


@pytest.mark.parametrize("basis", ['ecut = "6 Ha"', 'method = "realspace"\nspacing = "0.5 bohr"'])
def test_a_spin_without_electrons_has_no_weight(basis: str, tmp_path: Path) -> None:
    """What mixing leaves of its density is worth 9e-4 Ha/bohr in the correction where both spins count alike."""
    rough, _ = run(TRIPLET.format(basis=basis, tolerance="1e-9"), tmp_path)
    exact, _ = run(TRIPLET.format(basis=basis, tolerance="1e-12"), tmp_path)
    assert array(rough, "forces") == pytest.approx(array(exact, "forces"), abs=5e-6)
    assert array(rough, "stress") == pytest.approx(array(exact, "stress"), abs=1e-7)
    if "ecut" in basis:  # pw.x 6.7
        assert array(rough, "forces")[1] == pytest.approx([0.062891555, 0.01240072, 0.008229505], abs=5e-6)


SPLITS = [
    (3, "kpoint_groups = 2\nband_groups = 1"),
    (4, "kpoint_groups = 1\nband_groups = 2\nrows = 2\ncolumns = 1"),
]


def test_every_parallel_layout_gives_the_same(tmp_path: Path) -> None:
    alone, _ = run(silicon(), tmp_path)
    for ranks, parallel in SPLITS:
        split, _ = run(silicon(parallel=parallel), tmp_path, "--ranks", ranks)
        assert array(split, "forces") == pytest.approx(array(alone, "forces"), abs=1e-12)
        assert array(split, "stress") == pytest.approx(array(alone, "stress"), abs=1e-13)


def test_what_is_printed(tmp_path: Path) -> None:
    result, screen = run(silicon(steps=3), tmp_path, code=1)
    assert "forces (Ha/bohr), not converged" in screen
    assert "stress (GPa), not converged" in screen
    assert result["forces"]["elements"] == ["Si", "Si"]
    forces, stress = (np.sum(list(result[kind]["terms"].values()), axis=0) for kind in ("forces", "stress"))
    assert forces == pytest.approx(array(result, "forces") + np.array(result["forces"]["net"]) / 2, abs=1e-14)
    assert stress == pytest.approx(array(result, "stress"), abs=1e-14)
    assert result["forces"]["largest"] == pytest.approx(np.linalg.norm(array(result, "forces"), axis=1).max())
    pressure = -np.trace(array(result, "stress")) / 3
    assert result["stress"]["pressure"] == pytest.approx(pressure)
    assert result["stress"]["pressure_GPa"] == pytest.approx(pressure * HARTREE_PER_BOHR3_IN_GPA)
    assert f"{result['stress']['pressure_GPa']:.4f}" in screen
    assert f"Si 2 {result['forces']['total'][1][0]:.7f}" in " ".join(screen.split())


def test_of_many_atoms_the_largest_forces_are_shown() -> None:
    total = [[1e-3 * n, 0.0, 0.0] for n in range(100)]
    forces = {"total": total, "net": [0.0] * 3}
    result = CoreResult.read({"forces": forces, "converged": True, "error_estimate": np.inf})
    derivatives.complete(result, ["Al"] * 100)
    (table,) = derivative_tables.tables(result)
    names = list(table.columns[0].cells)
    assert names[:2] == ["Al 100", "Al 99"]
    assert names[-2:] == ["and 76 smaller ones", "net, taken off"]
    assert derivative_tables.tables(CoreResult.read({"converged": True})) == []


def test_the_estimated_error_of_forces(tmp_path: Path) -> None:
    """It is no less than half the error, and of its order, where the density is rough and where it is not."""
    exact = array(run(silicon(tolerance="1e-13"), tmp_path)[0], "forces")
    for tolerance in ("1e-5", "1e-7"):
        result, screen = run(silicon(tolerance=tolerance), tmp_path)
        error = np.linalg.norm(array(result, "forces") - exact, axis=1).max()
        assert error / 2 < result["forces"]["error_estimate"] < 30 * error
        assert result["forces"]["error_estimate"] == pytest.approx((result["error_estimate"] / 2) ** 0.5)
        assert "estimated error" in screen


def test_silicon_of_eight_atoms(tmp_path: Path) -> None:
    """5.431 Angstrom, an atom moved 0.1 bohr along x; the force on it is -0.0077776 in ABINIT, -0.0077780 in pw.x."""
    edge = 5.431 / BOHR_IN_ANGSTROM
    fcc = np.array([[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    sites = np.concatenate([fcc, fcc + 0.25])
    sites[0, 0] += 0.1 / edge
    text = f"""
[structure]
cell = {(edge * np.eye(3)).tolist()}
unit = "bohr"
atoms = {json.dumps([["Si", *site] for site in sites.tolist()])}
coordinates = "fractional"
[basis]
ecut = "15 Ha"
grid = [36, 36, 36]
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
[scf]
energy_tolerance = "1e-10 Ha"
[output]
forces = true
checkpoint = false
"""
    result, _ = run(text, tmp_path, "--ranks", 2)
    assert result["energy"]["free"] == pytest.approx(-31.35911254, abs=1e-8)
    assert result["forces"]["total"][0] == pytest.approx([-0.0077778, 0, 0], abs=1e-6)
