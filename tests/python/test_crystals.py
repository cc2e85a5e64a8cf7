"""Crystals, slabs and molecules with k-points, spin, charge and files of pseudopotentials, against ABINIT 9.6.2.

Reached at a tolerance of 1e-12 Ha: free energies within 1e-9 Ha per atom in every case but those named below, occupied
levels within 4e-6 Ha, forces within 3e-6 Ha/bohr and stresses within 2e-8 Ha/bohr^3. Runs use symmetry, the references
do not.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from cases import REFERENCE, reference
from conftest import program, read_result

CRYSTALS = REFERENCE / "crystals"
# ABINIT keeps the core density up to its G sphere, we in the whole box; for iron's hard core at 20 Ha that is worth
# 1.4e-5 Ha, at 40 Ha 8e-7. (ABINIT's own two ways differ by 1.3e-5 and 6.5e-8: `abinit_controls`.)
PER_ATOM = {"fe_dojo_lda_222": 2e-5, "fe_dojo_lda_222_fine": 1e-6, "si2_dojo_pbe_222": 5e-8}
OCCUPIED = 1e-4  # electrons; emptier states are not converged
# ABINIT takes the neutral number of electrons for the core term of a charged cell.
CHARGED = "h3o_plus"


# As others, but with another mesh, functional or cutoff: run by `make study-crystals`.
VARIANTS = {
    *("al4_444_half", "al4_444_pz", "al4_vbc_444_30", "al4_vbc_gamma_30", "fe_dojo_lda_222", "nacl_q1_222", "o2_lda"),
    *("si2_444", "si2_444_half", "si2_444_pz", "si2_displaced_444_half", "si2_displaced_444_pz"),
}


def cases() -> list:
    """Return the cases with energies of one structure."""
    names = sorted(path.parent.name for path in CRYSTALS.glob("*/case.toml"))
    return [
        pytest.param(name, marks=[pytest.mark.study] if name in VARIANTS else [])
        for name in names
        if not name.endswith("_eos")
    ]


def run(name: str, folder: Path, *options: object) -> dict:
    """Run a case, with forces and stress where there are references of them, and return its result.json."""
    text = (CRYSTALS / name / "case.toml").read_text().replace('"../', f'"{CRYSTALS}/').replace("1e-10 Ha", "1e-12 Ha")
    if (CRYSTALS / name / "derivatives.json").exists():
        text += "\n[output]\nforces = true\nstress = true\n"
    path = folder / "case.toml"
    path.write_text(text)
    answer = program("run", path, "--output", folder / "out", "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def place_of(k: list[float], kpoints: np.ndarray) -> int:
    """Return which of the reference's points is k or -k, modulo reciprocal vectors."""
    for point in (np.array(k), -np.array(k)):
        apart = kpoints - point
        distance = np.abs(apart - np.round(apart)).max(axis=1)
        if distance.min() < 1e-6:
            return int(distance.argmin())
    raise AssertionError(f"{k} is not among the reference's k-points")


def check_levels(result: dict, expected: dict) -> None:
    """Compare the occupied levels at every k-point and spin."""
    theirs = np.array(expected["eigenvalues_Ha"])
    theirs = theirs if theirs.ndim == 3 else theirs[None]
    kpoints = np.array(expected["kpoints"])
    for spin, (levels, occupations) in enumerate(zip(result["eigenvalues"], result["occupations"], strict=True)):
        for point, ours, electrons in zip(result["kpoints"], levels, occupations, strict=True):
            filled = np.abs(np.array(electrons)) / point[3] > OCCUPIED
            reference_levels = theirs[spin][place_of(point[:3], kpoints)][: len(ours)]
            assert np.array(ours)[filled] == pytest.approx(reference_levels[filled], abs=5e-6)


def check_derivatives(name: str, result: dict, forces: float, stress: float) -> None:
    """Compare forces (Ha/bohr) and stress (Ha/bohr^3)."""
    theirs = json.loads((CRYSTALS / name / "derivatives.json").read_text())
    assert np.array(result["forces"]["total"]) == pytest.approx(np.array(theirs["forces_Ha_per_bohr"]), abs=forces)
    assert np.array(result["forces"]["terms"]["nonlocal"]).shape == np.array(result["forces"]["total"]).shape
    expected = np.array(theirs["stress_Ha_per_bohr3"])
    if name == CHARGED:
        energies = reference(f"crystals/{name}")
        error = energies["core_by_electrons_Ha"]["core"] - energies["energies_Ha"]["core"]
        expected = expected - error / np.linalg.det(energies["structure"]["cell_bohr"]) * np.eye(3)
    assert np.array(result["stress"]["total"]) == pytest.approx(expected, abs=stress)


@pytest.mark.parametrize("name", cases())
def test_abinit(name: str, tmp_path: Path) -> None:
    expected = reference(f"crystals/{name}")
    result = run(name, tmp_path, "--ranks", 1)
    free = expected.get("core_by_electrons_Ha", expected["energies_Ha"])["free"]
    per_atom = PER_ATOM.get(name, 1e-9)
    assert result["energy"]["free"] == pytest.approx(free, abs=per_atom * len(expected["structure"]["atoms"]))
    if name not in PER_ATOM:
        check_levels(result, expected)
    if "moment" in expected:
        assert result["magnetisation"]["total"] == pytest.approx(expected["moment"], abs=1e-4)
    if "forces" in result:
        check_derivatives(name, result, forces=1e-6, stress=3e-8)  # errors of first order


def test_symmetry_changes_nothing_in_a_slab(tmp_path: Path) -> None:
    """The local density of states that preconditions the mixing here has to be symmetric too."""
    text = (CRYSTALS / "al111_slab_441/case.toml").read_text()
    energies, forces, stresses = [], [], []
    for use in ("true", "false"):
        path = tmp_path / f"{use}.toml"
        path.write_text(f"{text}\n[symmetry]\nuse = {use}\n[output]\nforces = true\nstress = true\n")
        answer = program("run", path, "--output", tmp_path / use, "--quiet")
        assert answer.returncode == 0, answer.stderr
        result = read_result(tmp_path / use)
        assert result["preconditioner"] == "ldos"
        energies.append(result["energy"]["free"])
        forces.append(np.array(result["forces"]["total"]))
        stresses.append(np.array(result["stress"]["total"]))
    assert energies[0] == pytest.approx(energies[1], abs=2e-10)
    assert forces[0] == pytest.approx(forces[1], abs=5e-7)
    assert stresses[0] == pytest.approx(stresses[1], abs=5e-9)
