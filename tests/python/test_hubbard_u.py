"""U by linear response: hp.x, symmetry, supercells, continued runs, what is refused; tests/reference/hubbard."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import program, read_result
from feature_inputs import POTENTIALS

from wavegrid.crystal.symmetry import images_of_atoms
from wavegrid.motion import response_matrices
from wavegrid.units import HARTREE_IN_EV

REFERENCE = json.loads((POTENTIALS / "hubbard" / "reference.json").read_text())["hp"]
CELL = np.array([[0, 4.1, 4.1], [4.1, 0, 4.1], [4.1, 4.1, 0]])  # bohr
SIC = [["C", 0.25, 0.25, 0.25], ["Si", 0, 0, 0]]
DOUBLED = [["C", 0.125, 0.25, 0.25], ["C", 0.625, 0.25, 0.25], ["Si", 0, 0, 0], ["Si", 0.5, 0, 0]]


def text(
    *,
    projectors: str = "atomic",
    u: float = 4.0,
    cell: np.ndarray = CELL,
    atoms: list = SIC,
    ecut: float = 20.0,
    grid: int = 24,
    mesh: int = 2,
    electrons: str = "",
    more: str = "",
) -> str:
    """Return the input of SiC with U on 2p of C."""
    return f"""[structure]
cell = {cell.tolist()}
unit = "bohr"
coordinates = "fractional"
atoms = {json.dumps(atoms)}
[basis]
ecut = "{ecut} Ha"
grid = {[grid] * 3}
[electrons]
xc = "LDA-PZ"
pseudopotentials = {{ Si = "{POTENTIALS / "projections/Si.UPF"}", C = "{POTENTIALS / "projections/C.UPF"}" }}
kpoints = {{ mesh = {[mesh] * 3} }}
{electrons}
[electrons.hubbard]
projectors = "{projectors}"
C = {{ shell = "2p", u = "{u} eV" }}
[task]
kind = "hubbard-u"
{more}
"""


def run(folder: Path, content: str, *options: object, name: str = "run") -> dict:
    path = folder / f"{name}.toml"
    path.write_text(content)
    answer = program("run", path, "--output", folder / name, "--quiet", *options)
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / name)


@pytest.mark.parametrize(
    ("projectors", "u"), [("ortho-atomic", 0.0), ("atomic", 4.0), ("atomic", 0.0), ("ortho-atomic", 4.0)]
)
def test_hpx(projectors: str, u: float, tmp_path: Path) -> None:
    expected = REFERENCE[f"{projectors}, {u:.0f} eV"]
    found = run(tmp_path, text(projectors=projectors, u=u), "--ranks", 2)["hubbard_response"]
    for name in ("bare", "screened"):
        assert found[name][0][0] / HARTREE_IN_EV == pytest.approx(expected[name], abs=2e-5)
    assert found["u_eV"][0] == pytest.approx(expected["u"], abs=5e-3)
    assert found["error_eV"][0] < 2e-3


def test_a_mesh_has_that_of_plane_waves(tmp_path: Path) -> None:
    waves = text(projectors="ortho-atomic", ecut=45, grid=40, mesh=1)
    mesh = re.sub(r"ecut.*\ngrid.*", 'method = "realspace"\nspacing = "0.3 bohr"\norder = 8', waves)
    found, expected = (
        run(tmp_path, one, "--ranks", ranks, name=name)["hubbard_response"]
        for name, one, ranks in (("mesh", mesh, 2), ("waves", waves, 1))
    )
    for name in ("bare", "screened"):
        assert found[name][0] == pytest.approx(expected[name][0], abs=2e-3)
    assert found["u_eV"][0] == pytest.approx(expected["u_eV"][0], abs=1e-3)


def test_equivalent_shells_need_one_perturbation(tmp_path: Path) -> None:
    """Two atoms of carbon in a doubled cell, with one of them shifted and with each."""
    doubled = {"cell": CELL * [[2], [1], [1]], "atoms": DOUBLED, "ecut": 6.0, "grid": 24, "mesh": 1}
    one, each = (
        run(tmp_path, text(**doubled, more=f"[symmetry]\nuse = {use}"), "--ranks", 1, name=use)["hubbard_response"]
        for use in ("true", "false")
    )
    assert (len(one["perturbed"]), len(each["perturbed"])) == (1, 2)
    for name in ("bare", "screened"):
        assert np.array(one[name]) == pytest.approx(np.array(each[name]), abs=2e-4)
    assert one["u_eV"] == pytest.approx(each["u_eV"], abs=5e-3)
    assert each["asymmetry"] < 1e-3


def test_a_run_goes_on(tmp_path: Path) -> None:
    """With what it has done; another shift is another run."""
    small = {"ecut": 6.0, "grid": 18}
    first = run(tmp_path, text(**small), "--ranks", 1)
    done = json.loads((tmp_path / "run/hubbard-u.json").read_text())
    done["points"] = done["points"][:5]
    (tmp_path / "run/hubbard-u.json").write_text(json.dumps(done))
    checkpoint = tmp_path / "run/checkpoint.h5"
    again = run(tmp_path, text(**small), "--ranks", 2, "--restart", checkpoint, name="again")
    assert again["notes"][-1:] == [] or any("5 shifted potentials" in note for note in again["notes"])
    assert again["hubbard_response"]["u_eV"] == pytest.approx(first["hubbard_response"]["u_eV"], abs=1e-3)
    other = run(tmp_path, text(**small, more='shift = "0.2 eV"'), "--ranks", 1, "--restart", checkpoint, name="other")
    assert not any("shifted" in note for note in other["notes"])


def test_slopes_of_a_polynomial() -> None:
    start, shift = np.array([5.0, 1.0]), 0.1
    electrons = {
        share: start + np.array([-2.0, 0.5]) * share * shift + 3 * (share * shift) ** 2 + 7 * (share * shift) ** 3
        for share in response_matrices.SHARES
    }
    found, errors = response_matrices.slopes(shift, start, electrons)
    assert found == pytest.approx([-2.0, 0.5], abs=1e-12)
    assert errors == pytest.approx([7 * (shift / 2) ** 2] * 2, rel=1e-9)


def test_the_operations_of_a_supercell_have_its_translations() -> None:
    cell = np.diag([4.0, 4.0, 8.0]).tolist()
    places = [[0, 0, 0], [0, 0, 0.5], [0.5, 0.5, 0.25], [0.5, 0.5, 0.75]]
    found = images_of_atoms(cell, ["A", "A", "B", "B"], places, None)
    assert sorted(found) == [[0, 1, 2, 3], [0, 1, 3, 2], [1, 0, 2, 3], [1, 0, 3, 2]]
    reversed_moments = images_of_atoms(cell, ["A", "A", "B", "B"], places, [1.0, -1.0, 0.0, 0.0])
    assert sorted(reversed_moments) == sorted(found)
    assert [1, 0, 2, 3] not in images_of_atoms(cell, ["A", "A", "B", "B"], places, [2.0, -1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('[electrons.hubbard]\nprojectors = "atomic"\nC = { shell = "2p", u = "4.0 eV" }\n', "", "its shells"),
        ('kind = "hubbard-u"', 'kind = "hubbard-u"\nshift = "0 eV"', "not above zero; valid: an energy from 0.0001"),
        ('kind = "hubbard-u"', 'kind = "scf"\nshift = "0.1 eV"', "valid: with kind"),
        ("[task]", "[output]\ncheckpoint = false\n[task]", "checkpoint = false; valid: with one"),
    ],
)
def test_bad_input(old: str, new: str, message: str, tmp_path: Path) -> None:
    content = text()
    assert old in content
    with pytest.raises(AssertionError, match=re.escape(message)):
        run(tmp_path, content.replace(old, new))
