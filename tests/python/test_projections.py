"""Projections onto the atoms: by projwfc.x 6.7 with the same files, and what Python makes of the core's shares."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate
from cases import REFERENCE
from conftest import invoke, program, read_result

from wavegrid.model.core_result import CoreResult
from wavegrid.model.spectra import Projections
from wavegrid.results import dos, projections
from wavegrid.units import HARTREE_IN_EV

CASE = REFERENCE / "projections"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a run of the reference's case on two ranks."""
    place = tmp_path_factory.mktemp("projections")
    text = (CASE / "case.toml").read_text()
    (place / "case.toml").write_text(text.replace('Si = "', f'Si = "{CASE}/').replace('C = "', f'C = "{CASE}/'))
    run = program("run", "case.toml", "--ranks", 2, "-q", "--output", "out", cwd=place)
    assert run.returncode == 0, run.stderr
    return place / "out"


def test_projwfc_finds_the_same(folder: Path) -> None:
    result, expected = read_result(folder), json.loads((CASE / "reference.json").read_text())
    found = result["dos"]["projections"]
    assert found["orbitals"] == {"Si": "file", "C": "file"}
    assert found["spilling"] == pytest.approx(expected["spilling"], abs=1e-6)
    energies = np.array(result["dos"]["energies"]) * HARTREE_IN_EV
    shift = (expected["lowest_level_Ha"] - np.min(result["eigenvalues"])) * HARTREE_IN_EV
    for number, atom in enumerate(found["atoms"]):
        assert [orbitals["l"] for orbitals in atom["orbitals"]] == ["s", "p"]
        assert atom["charge"] == pytest.approx(4 - sum(of["electrons"][0] for of in atom["orbitals"]))
        for orbitals in atom["orbitals"]:
            name = f"{atom['element']} {orbitals['l']}"
            assert orbitals["electrons"] == [pytest.approx(expected["electrons"][name], abs=1e-4)]
            theirs = np.array(expected["density_of_states_of_one_atom_per_eV"][name])
            density = np.array(orbitals["density_of_states"][0]) / HARTREE_IN_EV
            ours = np.interp(expected["energies_eV"], energies + shift, density, left=0, right=0)
            complete = np.array(expected["energies_eV"]) < (result["dos"]["complete_below"] * HARTREE_IN_EV + shift - 1)
            assert np.abs(ours - theirs)[complete].max() < 0.01 * theirs.max(), (number, name)


def test_they_add_up_to_less_than_the_total(folder: Path) -> None:
    of_dos = read_result(folder)["dos"]
    total = np.array(of_dos["density_of_states"])
    parts = sum(projections.by_element(Projections.read(of_dos["projections"])).values())
    assert (total - parts).min() > -1e-5
    assert parts.max() > 0.9 * total.max()
    assert invoke("report", folder).exit_code == 0
    page = (folder / "report.html").read_text()
    assert "Löwdin charge (e)" in page
    assert "0.96 % of the electrons are in no orbital" in page


def test_moments_and_sources() -> None:
    """One s channel on the first atom, s and p on the second; up and down."""
    levels = [[[-0.2, 0.1]], [[-0.1, 0.1]]]
    shares = [[[0.9, 0.1, 0.0], [0.0, 0.2, 0.7]], [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]]  # (spin, band, channel)
    result = CoreResult.read({
        "eigenvalues": levels, "occupations": [[[1.0, 0.0]], [[1.0, 0.0]]], "kpoints": [[0, 0, 0, 1.0]],
        "fermi_level": 0.0,
        "projections": {
            "channels": [(0, 0), (1, 0), (1, 1)], "from_file": [False, True], "weights": np.array([shares]),
        },
    })  # fmt: skip
    of_dos = dos.density_of_states(result, {"width": 0.01, "points": None, "smearing": None})
    found = projections.projections(result, of_dos, ["H", "O"], {"H": 1.0, "O": 6.0}).content()
    assert found["orbitals"] == {"H": "pseudo-atom", "O": "file"}
    assert [atom["charge"] for atom in found["atoms"]] == pytest.approx([1 - 1.4, 6 - 0.6])
    assert [atom["magnetic_moment"] for atom in found["atoms"]] == pytest.approx([0.4, -0.4])
    assert found["spilling"] == pytest.approx(0)
    states = np.array(found["atoms"][1]["orbitals"][1]["density_of_states"])  # p, (spin, energy)
    assert scipy.integrate.trapezoid(states, of_dos.energies, axis=1) == pytest.approx([0.7, 1.0], abs=1e-3)


LIH = """
[structure]
cell = [[0, 3.8, 3.8], [3.8, 0, 3.8], [3.8, 3.8, 0]]
unit = "bohr"
atoms = [["Li", 0, 0, 0], ["H", 0.5, 0.5, 0.5]]
coordinates = "fractional"
[basis]
{basis}
[electrons]
xc = "LDA-PZ"
pseudopotentials = {{ Li = "gth-lda-q3", H = "gth-lda-q1" }}
bands = 6
kpoints = {{ mesh = [2, 1, 1] }}
[task]
kind = "dos"
width = "0.02 Ha"
"""


def test_a_mesh_has_those_of_plane_waves(tmp_path: Path) -> None:
    found = []
    for basis, ranks in (('ecut = "40 Ha"', 1), ('method = "realspace"\nspacing = "0.33 bohr"', 2)):
        path, out = tmp_path / "in.toml", tmp_path / str(ranks)
        path.write_text(LIH.format(basis=basis))
        run = program("run", path, "--ranks", ranks, "-q", "--output", out)
        assert run.returncode == 0, run.stderr
        found.append(read_result(out)["dos"]["projections"])
    exact, mesh = found
    assert mesh["orbitals"] == exact["orbitals"] == {"Li": "pseudo-atom", "H": "pseudo-atom"}
    assert mesh["spilling"] == pytest.approx(exact["spilling"], abs=2e-4)
    for ours, theirs in zip(mesh["atoms"], exact["atoms"], strict=True):
        assert [of["l"] for of in ours["orbitals"]] == [of["l"] for of in theirs["orbitals"]]
        for here, there in zip(ours["orbitals"], theirs["orbitals"], strict=True):
            assert here["electrons"] == pytest.approx(there["electrons"], abs=2e-3)
