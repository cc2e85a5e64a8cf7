"""The task "phonon": displacements by symmetry, bands and free energy of a small supercell, and how it continues."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest
from series_runs import continued, refused, run_text, text

from wavegrid.errors import EnvironmentFault
from wavegrid.job.prepare import prepare
from wavegrid.model.core_result import CoreResult
from wavegrid.model.series import Phonons
from wavegrid.process import core_loader
from wavegrid.results import result_warnings

pytest.importorskip("phonopy")
PHONON = "[phonon]\nmesh = [5, 5, 5]\n"
SUPERCELL = "supercell = [2, 1, 1]\n"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("phonon")
    return folder, run_text(folder, text(PHONON, structure=SUPERCELL))


def test_bands_and_free_energy_of_silicon(solved: tuple[Path, dict]) -> None:
    folder, result = solved
    part = result["phonons"]
    bands = part["bands"]
    at_gamma = bands["frequencies_THz"][bands["q_points"].index([0, 0, 0])]
    assert np.abs(at_gamma[:3]).max() < 1e-3 and np.ptp(at_gamma[3:]) < 2
    assert 13 < at_gamma[-1] < 18
    assert np.trapezoid(part["dos"]["density"], part["dos"]["frequencies_THz"]) == pytest.approx(6, rel=0.1)
    thermal = part["thermal"]
    assert thermal["free_energy_eV"][0] == pytest.approx(thermal["zero_point_energy_eV"])
    assert thermal["heat_capacity_eV_per_K"][-1] == pytest.approx(6 * 8.617e-5, rel=0.06)  # Dulong and Petit
    slope = np.gradient(thermal["free_energy_eV"], thermal["temperatures"])
    assert np.allclose(slope[1:-1], -np.array(thermal["entropy_eV_per_K"])[1:-1], rtol=0.02, atol=1e-6)
    assert "THz" in result["screen"].splitlines()[-1]
    assert (folder / "out/phonon.png").read_bytes().startswith(b"\x89PNG")
    assert len((folder / "out/phonon.csv").read_text().splitlines()) == len(bands["x"]) + 2


def test_phonopy_reads_the_file(solved: tuple[Path, dict]) -> None:
    import phonopy

    folder, result = solved
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = phonopy.load(folder / "out/phonopy.yaml", log_level=0, symmetrize_fc=False)
    ours = result["phonons"]["bands"]
    found.run_qpoints(ours["q_points"])
    assert np.allclose(found.qpoints.frequencies, ours["frequencies_THz"], atol=1e-3)


def test_a_run_that_was_cut_continues_on_other_ranks(solved: tuple[Path, dict]) -> None:
    folder, whole = solved
    found = continued(folder, folder / "cut", 2, ranks=2)
    ours, expected = (np.array(one["phonons"]["bands"]["frequencies_THz"]) for one in (found, whole))
    assert np.abs(ours - expected).max() < 0.02


def test_phonopy_is_named_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "si.toml").write_text(text(PHONON))
    core = core_loader.load()
    assert any("those at Gamma" in note for note in prepare(core, tmp_path / "si.toml").notes)
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "phonopy" else found(name))
    with pytest.raises(EnvironmentFault, match="needs phonopy, which is not installed; pip install phonopy"):
        prepare(core, tmp_path / "si.toml")


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    assert "(FCC): G, K, L, U, W, X" in refused(tmp_path, text('[phonon]\npath = "GQ"\n'))
    field = text('[phonon]\n[external]\nfield = "0.001 Ha/bohr"\naxis = 3\n')
    assert "in which atoms of a supercell are not equivalent" in refused(tmp_path, field)


def test_what_phonons_bring_warnings_of() -> None:
    part = Phonons(residual_force=0.01, lowest_frequency_THz=-1.0)
    names = [one.name for one in result_warnings.remarks({"smearing": {}}, CoreResult(phonons=part))]
    assert names == ["phonons_of_unrelaxed_atoms", "imaginary_frequencies"]
