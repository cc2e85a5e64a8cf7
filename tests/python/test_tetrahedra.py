"""Occupations and densities of states by tetrahedra."""

from pathlib import Path

import numpy as np
import pytest
from conftest import invoke, program, read_result

from wavegrid.model.core_result import TetrahedronTable
from wavegrid.results import tetrahedra

ALUMINIUM = """\
[structure]
cell = [[0, 3.8, 3.8], [3.8, 0, 3.8], [3.8, 3.8, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Al", 0, 0, 0]]
[basis]
ecut = "6 Ha"
grid = [16, 16, 16]
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = { mesh = [6, 6, 6] }
smearing = { kind = "tetrahedra" }
[symmetry]
use = true
[scf]
energy_tolerance = "1e-8 Ha"
[task]
kind = "scf"
"""
SILICON = (
    ALUMINIUM.replace('["Al", 0, 0, 0]', '["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]')
    .replace("3.8", "5.13")
    .replace("[6, 6, 6]", "[4, 4, 4]")
    .replace('smearing = { kind = "tetrahedra" }', "")
    .replace('"scf"', '"dos"\nbroadening = "tetrahedra"')
    .replace("grid = [16, 16, 16]", "")
)


def run(folder: Path, text: str, *changes: tuple[str, str], ranks: int = 1) -> dict:
    """Run an input with changes and return its result.json."""
    folder.mkdir()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "in.toml").write_text(text)
    answer = program("run", folder / "in.toml", "--output", folder / "out", "--ranks", ranks, "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


@pytest.mark.parametrize("kind", ["tetrahedra", "tetrahedra-opt"])
def test_aluminium_is_the_same_with_and_without_symmetry_and_on_any_ranks(tmp_path: Path, kind: str) -> None:
    smearing = ('"tetrahedra"', f'"{kind}"')
    found = run(tmp_path / "one", ALUMINIUM, smearing)
    assert found["energy"]["entropy"] == 0
    assert found["energy"]["extrapolated"] == found["energy"]["free"]
    assert np.sum(found["occupations"]) == pytest.approx(3, abs=1e-9)
    for name, changes, ranks in (
        ("whole", [("use = true", "use = false")], 3),
        ("three", [], 3),
        ("spin", [("xc =", 'spin = "collinear"\ninitial_magnetic_moments = { Al = 0.1 }\nxc =')], 2),
    ):
        other = run(tmp_path / name, ALUMINIUM, smearing, *changes, ranks=ranks)
        assert other["energy"]["free"] == pytest.approx(found["energy"]["free"], abs=2e-7)
        assert other["fermi_level"] == pytest.approx(found["fermi_level"], abs=2e-6)


def test_a_gap_has_no_states(tmp_path: Path) -> None:
    result = run(tmp_path / "run", SILICON, ranks=2)
    dos = result["dos"]
    energies, states = np.array(dos["energies"]), np.array(dos["density_of_states"][0])
    below = np.array(dos["integrated_density_of_states"][0])
    gap = result["band_gap"]
    inside = (energies > gap["valence_band_maximum"] + 1e-9) & (
        energies < gap["valence_band_maximum"] + gap["fundamental"] - 1e-9
    )
    assert inside.sum() > 5
    assert (states[inside] == 0).all()
    assert below[inside] == pytest.approx(np.full(inside.sum(), 8), abs=1e-9)
    steps = np.diff(energies)
    integral = np.concatenate([[0], np.cumsum(steps * (states[1:] + states[:-1]) / 2)])
    assert integral == pytest.approx(below, abs=0.05)
    assert dos["broadening"] == {"kind": "tetrahedra", "width": 0.0}
    parts = sum(np.array(o["density_of_states"][0]) for atom in dos["projections"]["atoms"] for o in atom["orbitals"])
    assert (parts <= states + 1e-4).all()
    occupied = energies < gap["valence_band_maximum"]
    assert parts[occupied].sum() > 0.9 * states[occupied].sum()


def test_of_a_metal_the_fermi_level_has_the_electrons_below(tmp_path: Path) -> None:
    result = run(tmp_path / "run", ALUMINIUM, ('"scf"', '"dos"\npoints = 501'))
    dos = result["dos"]
    at_fermi = np.interp(result["fermi_level"], dos["energies"], dos["integrated_density_of_states"][0])
    assert at_fermi == pytest.approx(3, abs=2e-2)
    assert dos["electrons_at_fermi_level"] == pytest.approx(3, abs=1e-9)
    assert len(dos["energies"]) == 501


def test_bands_of_one_tetrahedron() -> None:
    levels = np.array([0.0, 1.0, 2.0, 4.0]).reshape(1, 4, 1)
    table = TetrahedronTable(points=np.arange(4)[None], factors=np.eye(4), shares=[1.0])
    energies = np.linspace(-1, 5, 6001)
    ((place, below, density),) = tetrahedra.bands(levels, table, energies)
    assert place == (0, 0)
    assert below[-1] == pytest.approx(1) and below[0] == 0
    assert np.gradient(below, energies) == pytest.approx(density.sum(axis=0), abs=2e-3)
    assert (levels[0, :, 0] @ density) == pytest.approx(energies * density.sum(axis=0), abs=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "tetrahedra"', 'kind = "tetrahedra", width = "0.1 eV"', "width with kind"),
        ('kind = "tetrahedra"', 'kind = "cold"', 'kind = "cold" without width'),
        ("mesh = [6, 6, 6]", "list = [[0, 0, 0], [0.5, 0, 0]]", "tetrahedra need a mesh of k-points"),
        ("kpoints = { mesh = [6, 6, 6] }", "", "tetrahedra need a mesh of k-points"),
        ('"scf"', '"dos"\nwidth = "0.1 eV"', 'width with "tetrahedra"'),
        ("[scf]", '[scf]\nmethod = "direct"', 'method = "direct" with smearing'),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in ALUMINIUM
    text = ALUMINIUM.replace(old, new)
    if "list" in new or not new:
        text = text.replace("use = true", "use = false")
    (tmp_path / "in.toml").write_text(text)
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2
    assert message in answer.stderr
