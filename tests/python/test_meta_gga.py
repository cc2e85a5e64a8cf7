"""Meta-GGA functionals in plane waves against ABINIT 9.6.2 and, for TPSS, pw.x 6.7 (tests/reference/meta_gga).

Same potentials, cutoffs and grids. Runs use symmetry, the references do not. ABINIT has no meta-GGA with the core
density of a norm-conserving potential, and its meta-GGA stress is wrong: neither is compared here.
"""

from pathlib import Path

import numpy as np
import pytest
from cases import REFERENCE, TERMS, energies, reference
from conftest import program, read_result

META_GGA = REFERENCE / "meta_gga"
CASES = sorted(path.parent.name for path in META_GGA.glob("*/case.toml"))
OCCUPIED = 1e-4  # electrons; emptier states are not converged
PER_ATOM = 1e-6  # Ha
LEVELS = 1e-5  # Ha
FORCES = 1e-5  # Ha/bohr
PWX_PER_ATOM = 2e-6  # Ha: pw.x's own TPSS (digits of PW92, low densities left out) differs from libxc's by 5e-7
TERM = 1e-5  # Ha per atom at 1e-12 Ha: parts of the energy are first order in the error of the wave functions


def run(name: str, folder: Path) -> dict:
    """Run a case with forces and return its result.json."""
    text = (
        (META_GGA / name / "case.toml").read_text().replace('"../../', f'"{REFERENCE}/').replace("1e-10 Ha", "1e-12 Ha")
    )
    path = folder / "case.toml"
    path.write_text(text + "\n[output]\nforces = true\n")
    answer = program("run", path, "--ranks", 1, "--output", folder / "out", "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def same_point(k: list[float], kpoints: np.ndarray) -> int:
    """Return which of the reference's points is k or -k, modulo reciprocal vectors."""
    apart = np.stack([kpoints - k, kpoints + k])
    distances = np.abs(apart - np.round(apart)).max(axis=2).min(axis=0)
    assert distances.min() < 1e-6, f"{k} is not among the reference's k-points"
    return int(distances.argmin())


def check_levels(result: dict, expected: dict, levels_Ha: list) -> None:
    """Compare the occupied levels at every k-point and spin."""
    theirs = np.array(levels_Ha)
    theirs = theirs if theirs.ndim == 3 else theirs[None]
    kpoints = np.array(expected["kpoints"])
    for spin, (levels, occupations) in enumerate(zip(result["eigenvalues"], result["occupations"], strict=True)):
        for point, ours, electrons in zip(result["kpoints"], levels, occupations, strict=True):
            filled = np.abs(np.array(electrons)) / point[3] > OCCUPIED
            found = theirs[spin][same_point(np.array(point[:3]), kpoints)][: len(ours)]
            assert np.array(ours)[filled] == pytest.approx(found[filled], abs=LEVELS)


@pytest.mark.parametrize("name", CASES)
def test_meta_gga(name: str, tmp_path: Path) -> None:
    expected = reference(f"meta_gga/{name}")
    atoms = len(expected["structure"]["atoms"])
    result = run(name, tmp_path)
    ours, theirs = result["energy"], energies(expected)
    assert ours["free"] == pytest.approx(theirs["free"], abs=PER_ATOM * atoms)
    for term in TERMS:
        assert ours[term] == pytest.approx(theirs[term], abs=TERM * atoms), term
    check_levels(result, expected, expected["eigenvalues_Ha"])
    assert np.array(result["forces"]["total"]) == pytest.approx(np.array(expected["forces_Ha_per_bohr"]), abs=FORCES)
    if expected["fermi_Ha"] is not None and "moment" not in expected:  # with a fixed moment there are two
        assert result["fermi_level"] == pytest.approx(expected["fermi_Ha"], abs=LEVELS)
    if "moment" in expected:
        assert result["magnetisation"]["total"] == pytest.approx(expected["moment"], abs=1e-4)
    if "pwx" in expected:
        theirs = expected["pwx"]
        assert ours["free"] == pytest.approx(theirs["energies_Ha"]["free"], abs=PWX_PER_ATOM * atoms)
        assert np.array(result["forces"]["total"]) == pytest.approx(np.array(theirs["forces_Ha_per_bohr"]), abs=FORCES)
