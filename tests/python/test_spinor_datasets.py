"""Ultrasoft and PAW datasets with spin-orbit coupling and moments of any direction."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result
from feature_inputs import POTENTIALS

from wavegrid.errors import InputError
from wavegrid.input.document import read
from wavegrid.job.prepare import prepare_document
from wavegrid.process import core_loader

REFERENCE = json.loads((POTENTIALS / "spinors" / "reference.json").read_text())
PLATINUM = Path("/usr/share/espresso/pseudo/Pt.rel-pz-n-rrkjus.UPF")
SILICON = """\
[structure]
cell = [[0.1, 5.1, 5.2], [5.0, 0.2, 5.1], [5.3, 5.1, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", 0.26, 0.23, 0.27]]
[basis]
ecut = "5 Ha"
density_ecut = "30 Ha"
[electrons]
xc = "PBE"
pseudopotentials = {{ Si = "{dataset}" }}
{spin}
kpoints = {{ mesh = [2, 1, 2], shift = [0.5, 0, 0.5] }}
smearing = {{ kind = "gaussian", width = "0.02 Ha" }}
[scf]
energy_tolerance = "1e-9 Ha"
[output]
forces = true
stress = true
checkpoint = true
"""
PT = f"""\
[structure]
cell = [[0, 3.7, 3.7], [3.7, 0, 3.7], [3.7, 3.7, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Pt", 0, 0, 0]]
[basis]
ecut = "15 Ha"
density_ecut = "120 Ha"
grid = [36, 36, 36]
[electrons]
xc = "LDA-PZ"
pseudopotentials = {{ Pt = "{PLATINUM}" }}
spin_orbit = true
kpoints = {{ mesh = [2, 2, 2] }}
bands = 18
smearing = {{ kind = "fermi-dirac", width = "0.01 Ha" }}
[scf]
energy_tolerance = "1e-8 Ha"
[output]
stress = true
"""


def run(folder: Path, name: str, text: str, *words: str) -> dict:
    """Return the result of an input."""
    (folder / f"{name}.toml").write_text(text)
    done = program("run", f"{name}.toml", *words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_result(folder / name)


def silicon(dataset: str, kind: str, moment: object, bands: int) -> str:
    """Return the input of two atoms with moments."""
    spin = f'spin = "{kind}"\ninitial_magnetic_moments = {{ Si = {moment} }}\nbands = {bands}'
    return SILICON.format(dataset=POTENTIALS / "ultrasoft" / dataset, spin=spin)


@pytest.mark.parametrize("dataset", ["Si-paw.UPF", "Si-paw.xml"])
def test_moments_along_any_axis_are_those_along_z(tmp_path: Path, dataset: str) -> None:
    """Both conventions of xc: energy, forces and stress of collinear spin, and a restart on another number of ranks."""
    one = run(tmp_path, "one", silicon(dataset, "collinear", 0.8, 8))
    tilted = silicon(dataset, "noncollinear", [0.5333, -0.2667, 0.5333], 16)
    any_axis = run(tmp_path, "tilted", tilted, "--ranks", "2")
    assert any_axis["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=2e-9)
    assert np.array(any_axis["forces"]["total"]) == pytest.approx(np.array(one["forces"]["total"]), abs=1e-5)
    assert np.array(any_axis["stress"]["total"]) == pytest.approx(np.array(one["stress"]["total"]), abs=1e-7)
    assert any_axis["magnetisation"]["total"] == pytest.approx(one["magnetisation"]["total"], abs=1e-3)
    again = run(tmp_path, "again", tilted, "--restart", "tilted/checkpoint.h5")
    assert again["energy"]["free"] == pytest.approx(one["energy"]["free"], abs=2e-9)
    assert again["scf_steps"] <= 3


@pytest.mark.skipif(not PLATINUM.exists(), reason="Debian's quantum-espresso-data is not installed")
def test_platinum_is_that_of_pwx(tmp_path: Path) -> None:
    """pw.x's energy with the same functions on twice the radial points; levels and stress."""
    theirs = REFERENCE["pt_us"]
    ours = run(tmp_path, "pt", PT)
    assert ours["energy"]["free"] == pytest.approx(theirs["energy_of_finer_file_Ha"], abs=1e-6)
    stress = np.diag(ours["stress"]["total"])
    assert stress == pytest.approx(np.full(3, theirs["stress_of_finer_file_Ha_per_bohr3"]), abs=5e-7)
    levels = np.array(ours["eigenvalues"]).reshape(-1, 18)[0, :12]  # those that have electrons, nearly
    assert levels[0::2] == pytest.approx(levels[1::2], abs=1e-8)


@pytest.mark.skipif(not PLATINUM.exists(), reason="Debian's quantum-espresso-data is not installed")
def test_a_fully_relativistic_dataset_needs_spin_orbit_coupling(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(PT.replace("spin_orbit = true\n", ""))
    with pytest.raises(InputError, match="of which there is no average over j; valid: spin_orbit = true"):
        prepare_document(core_loader.load(), *read(path))


@pytest.mark.skipif(shutil.which("ld1.x") is None, reason="ld1.x is not installed")
@pytest.mark.parametrize("kind", ["us", "paw"])
def test_anisotropy_of_a_dataset(tmp_path: Path, kind: str) -> None:
    """By full runs: without the coupling there is no density for the force theorem."""
    given = (POTENTIALS / "spinors" / f"fe_{kind}.ld1").read_text()
    subprocess.run(["ld1.x"], input=given, text=True, cwd=tmp_path, check=True, capture_output=True)
    (dataset,) = tmp_path.glob("*.UPF")
    text = PT.replace(str(PLATINUM), str(dataset)).replace("Pt", "Fe").replace("18\n", "16\n")
    for old, new in {
        "[[0, 3.7, 3.7], [3.7, 0, 3.7], [3.7, 3.7, 0]]": "[[5.2, 0, 0], [0, 5.2, 0], [0, 0, 4.8]]",
        'density_ecut = "120 Ha"\ngrid = [36, 36, 36]': 'density_ecut = "90 Ha"',
        "spin_orbit = true": 'spin_orbit = true\nspin = "noncollinear"\ninitial_magnetic_moments = { Fe = [0, 0, 3] }',
        "[output]\nstress = true": '[symmetry]\nuse = true\n[anisotropy]\nmethod = "full"',
        "1e-8 Ha": "1e-9 Ha",
    }.items():
        assert old in text
        text = text.replace(old, new)
    found = run(tmp_path, "fe", text)
    z, x = found["anisotropy"]["directions"]
    path = tmp_path / "both.toml"
    path.write_text(text.replace('method = "full"', 'method = "both"'))
    with pytest.raises(InputError, match="method 'both' needs a density without spin-orbit coupling"):
        prepare_document(core_loader.load(), *read(path))
    assert z["free_energy"] == pytest.approx(found["energy"]["free"], abs=1e-8)
    assert -3e-6 < x["free_energy"] - z["free_energy"] < -1e-6
    assert x["magnetisation"] == pytest.approx([z["magnetisation"][2], 0, 0], abs=0.01)
