"""Spinors next to ABINIT and ld1.x: whole crystals with stored inputs, and the levels of an atom."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result

SPINORS = Path(__file__).parents[1] / "reference" / "spinors"
HGH = SPINORS / "hgh"
XENON = f"""\
[structure]
cell = [[0, 10, 10], [10, 0, 10], [10, 10, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Xe", 0, 0, 0]]
[basis]
ecut = "22 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = {{ Xe = "{SPINORS / "Xe.rel-pz-nc.UPF.gz"}" }}
spin_orbit = true
bands = 8
[scf]
energy_tolerance = "1e-8 Ha"
"""
SILICON = Path("/usr/share/espresso/pseudo/Si.rel-pbe-rrkj.UPF")
ZINCBLENDE = """\
[structure]
cell = [[0, {a}, {a}], [{a}, 0, {a}], [{a}, {a}, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["{one}", 0, 0, 0], ["{other}", 0.25, 0.25, 0.25]]
[basis]
ecut = "{ecut} Ha"
grid = [24, 24, 24]
[electrons]
xc = "{xc}"
pseudopotentials = {{ {files} }}
kpoints = {{ mesh = [2, 2, 2] }}
bands = 12
spin_orbit = true
[scf]
energy_tolerance = "1e-10 Ha"
"""
MEV = 27211.386


def run(folder: Path, name: str, text: str) -> dict:
    """Return the result of an input."""
    (folder / f"{name}.toml").write_text(text)
    done = program("run", f"{name}.toml", "--ranks", "1", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_result(folder / name)


def angle(one: np.ndarray, other: np.ndarray) -> float:
    """Return the angle between two vectors in degrees."""
    return float(np.degrees(np.arccos(one @ other / np.linalg.norm(one) / np.linalg.norm(other))))


@pytest.mark.parametrize("name", ["pb", "pt", "bi2te3", "cr3"])
def test_crystals_are_those_of_abinit(tmp_path: Path, name: str) -> None:
    """With the same HGH files: energy, forces, all of the stress, levels at Gamma, directions of moments."""
    theirs = json.loads((HGH / "reference.json").read_text())[name]
    text = (HGH / f"{name}.toml").read_text()
    for file in HGH.glob("*.hgh"):
        text = text.replace(f'"{file.name}"', f'"{file}"')
    ours = run(tmp_path, name, text)
    atoms = len(theirs["forces_Ha_per_bohr"])
    tolerance = 1e-6 if name == "cr3" else 5e-9  # ABINIT's Cr3 is not converged better
    assert ours["energy"]["free"] / atoms == pytest.approx(theirs["energy_Ha"] / atoms, abs=tolerance)
    assert np.array(ours["forces"]["total"]) == pytest.approx(np.array(theirs["forces_Ha_per_bohr"]), abs=5e-6)
    assert np.array(ours["stress"]["total"]) == pytest.approx(np.array(theirs["stress_Ha_per_bohr3"]), abs=1e-7)
    levels = np.array(theirs["eigenvalues_at_gamma_Ha"])[:-2]  # the last are not converged
    assert np.array(ours["eigenvalues"][0][0])[: len(levels)] == pytest.approx(levels, abs=5e-5)
    if "moments_in_spheres_of_2_bohr" in theirs:
        found = np.array(ours["atomic_charges"]["magnetic_moment_vectors"])
        others = np.array(theirs["moments_in_spheres_of_2_bohr"])
        for i, j in ((0, 1), (1, 2), (2, 0)):  # without spin-orbit coupling all may turn together
            assert angle(found[i], found[j]) == pytest.approx(angle(others[i], others[j]), abs=0.1)


def split_off(result: dict) -> float:
    """Return the splitting of the top of the valence bands at Gamma (meV), six states of which are pairs."""
    levels = np.array(result["eigenvalues"][0][0])
    assert levels[:8:2] == pytest.approx(levels[1:8:2], abs=1e-10)
    assert levels[4:8] == pytest.approx(levels[4], abs=1e-7)
    return float(MEV * (levels[4] - levels[2]))


def test_gallium_arsenide_splits_as_in_abinit(tmp_path: Path) -> None:
    theirs = json.loads((SPINORS / "reference.json").read_text())["gaas_perfect"]
    files = ", ".join(f'{name} = "{SPINORS / name}.hgh"' for name in ("Ga", "As"))
    ours = run(tmp_path, "gaas", ZINCBLENDE.format(a=5.34, one="Ga", other="As", ecut=8, xc="TETER", files=files))
    assert ours["energy"]["free"] == pytest.approx(theirs["energy_Ha"], abs=1e-9)
    assert split_off(ours) == pytest.approx(theirs["split_off_meV"], abs=0.01)


@pytest.mark.skipif(not SILICON.exists(), reason="Debian's quantum-espresso-data is not installed")
def test_silicon_splits_as_in_pwx(tmp_path: Path) -> None:
    theirs = json.loads((SPINORS / "reference.json").read_text())["si"]
    files = f'Si = "{SILICON}"'
    ours = run(tmp_path, "si", ZINCBLENDE.format(a=5.13, one="Si", other="Si", ecut=12, xc="PBE", files=files))
    assert split_off(ours) == pytest.approx(theirs["split_off_meV"], abs=0.1)


def test_a_p_level_splits_as_that_of_the_dirac_equation(tmp_path: Path) -> None:
    """5p of xenon: pairs, and the difference of ld1.x's all-electron levels."""
    theirs = json.loads((SPINORS / "reference.json").read_text())["xenon"]
    levels = np.array(run(tmp_path, "xe", XENON)["eigenvalues"][0][0])
    assert levels[0::2] == pytest.approx(levels[1::2], abs=1e-10)
    assert levels[4:8] == pytest.approx(levels[4], abs=1e-6)
    assert levels[4] - levels[2] == pytest.approx(theirs["level_5p3/2_Ha"] - theirs["level_5p1/2_Ha"], abs=3e-5)


def test_iron_and_platinum_have_the_anisotropy_of_pwx(tmp_path: Path) -> None:
    """Moments along z and x: energies, their difference, forces and stress."""
    theirs = json.loads((SPINORS / "reference.json").read_text())["fept"]
    text = (SPINORS / "fept.toml").read_text()
    for element in ("Fe", "Pt"):
        text = text.replace(f'"{element}.rel', f'"{SPINORS}/{element}.rel').replace("nc.UPF", "nc.UPF.gz")
    text = text.replace(".gz.gz", ".gz")
    energies = {}
    for axis, new in {"z": {}, "x": {"[0, 0, 3.2]": "[3.2, 0, 0]", "[0, 0, 0.4]": "[0.4, 0, 0]"}}.items():
        turned = text
        for old, moment in new.items():
            turned = turned.replace(old, moment)
        ours = run(tmp_path, axis, turned)
        energies[axis] = ours["energy"]["free"]
        assert energies[axis] == pytest.approx(theirs[f"energy_{axis}_Ha"], abs=1e-5)
        stress = np.array(theirs[f"stress_{axis}_Ha_per_bohr3"])
        assert np.array(ours["stress"]["total"]) == pytest.approx(stress, abs=2e-6)
        assert ours["magnetisation"]["total"] == pytest.approx(3.07, abs=0.02)
    assert energies["x"] - energies["z"] == pytest.approx(theirs["energy_x_Ha"] - theirs["energy_z_Ha"], abs=2e-7)


def test_iron_is_that_of_abinit(tmp_path: Path) -> None:
    """Spin-orbit coupling, moments along z and x: energies, their difference, stress and moment."""
    theirs = json.loads((HGH / "reference.json").read_text())["fe"]
    text = (HGH / "fe.toml").read_text().replace('"../Fe.hgh"', f'"{SPINORS / "Fe.hgh"}"')
    energies = {}
    for axis in "zx":
        ours = run(tmp_path, axis, text if axis == "z" else text.replace("[0, 0, 3]", "[3, 0, 0]"))
        energies[axis] = ours["energy"]["free"]
        assert energies[axis] == pytest.approx(theirs[f"energy_{axis}_Ha"], abs=1e-6)
        stress = np.array(theirs[f"stress_{axis}_Ha_per_bohr3"])
        assert np.array(ours["stress"]["total"]) == pytest.approx(stress, abs=1e-6)
        moment = np.linalg.norm(theirs[f"magnetisation_{axis}"])
        assert ours["magnetisation"]["total"] == pytest.approx(moment, abs=1e-3)
    assert energies["x"] - energies["z"] == pytest.approx(theirs["energy_x_Ha"] - theirs["energy_z_Ha"], abs=2e-7)
