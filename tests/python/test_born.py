"""The task "born": Born charges and dielectric tensor of clamped ions."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import invoke, program, read_result

CELL = "[[0, 5.25, 5.25], [5.25, 0, 5.25], [5.25, 5.25, 0]]"
CRYSTAL = """\
[structure]
cell = {cell}
unit = "bohr"
coordinates = "fractional"
atoms = {atoms}
[basis]
{basis}
[electrons]
xc = "{xc}"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = {mesh} }}
{electrons}
[task]
kind = "born"
{output}
"""
ELECTRIC = Path(__file__).parents[1] / "reference/electric_response"
GALLIUM_ARSENIDE = '[["Ga", 0, 0, 0], ["As", 0.25, 0.25, 0.25]]'


def text(**changes: object) -> str:
    """Return an input."""
    given = {"cell": CELL, "atoms": GALLIUM_ARSENIDE, "basis": 'ecut = "6 Ha"', "xc": "LDA-PW", "mesh": [2, 2, 2]}
    return CRYSTAL.format(**given | {"electrons": "", "output": ""} | changes)


def run(folder: Path, content: str, ranks: int = 1, *more: object) -> dict:
    """Run an input and return its part of the result."""
    folder.mkdir(exist_ok=True)
    (folder / "in.toml").write_text(content)
    answer = program("run", folder / "in.toml", "--output", folder / "out", "--ranks", ranks, *more)
    assert answer.returncode == 0, answer.stderr
    assert "dielectric tensor, z" in answer.stdout
    return read_result(folder / "out")["born"]


def test_ranks_groups_and_spin_change_nothing(tmp_path: Path) -> None:
    one = run(tmp_path / "one", text())
    charges = np.array(one["charges"])
    assert charges.sum(axis=0) == pytest.approx(np.zeros((3, 3)), abs=1e-12)
    assert charges[0] == pytest.approx(charges[0][0, 0] * np.eye(3), abs=1e-4)
    assert np.array(one["dielectric"]) == pytest.approx(one["dielectric"][0][0] * np.eye(3), abs=1e-3)
    for ranks, change in ((3, {}), (2, {"electrons": 'spin = "collinear"\ntotal_magnetisation = 0'})):
        other = run(tmp_path / str(ranks), text(**change), ranks)
        assert np.array(other["charges"]) == pytest.approx(charges, abs=2e-4)
        assert np.array(other["dielectric"]) == pytest.approx(np.array(one["dielectric"]), rel=1e-4)


def test_a_mesh_has_the_response_of_plane_waves(tmp_path: Path) -> None:
    cell, atoms = "[[6, 0, 0], [0, 6, 0], [0, 0, 6]]", '[["Li", 0, 0, 0], ["H", 0.5, 0.5, 0.5]]'
    electrons = {"cell": cell, "atoms": atoms, "mesh": [1, 1, 1]}
    potentials = 'pseudopotentials = { Li = "gth-lda-q1", H = "gth-lda-q1" }'
    found = [
        run(tmp_path / name, text(**electrons, basis=basis).replace('pseudopotentials = "gth-lda"', potentials))
        for name, basis in (("waves", 'ecut = "20 Ha"'), ("mesh", 'method = "realspace"\nspacing = "0.3 bohr"'))
    ]
    waves, mesh = (np.array(one["dielectric"]) for one in found)
    assert mesh == pytest.approx(waves, rel=2e-3, abs=1e-3)
    assert np.array(found[1]["charges"]) == pytest.approx(np.array(found[0]["charges"]), abs=5e-3)


def test_phonons_get_the_splitting_of_the_charges(tmp_path: Path) -> None:
    cell = "[[0, 3.9, 3.9], [3.9, 0, 3.9], [3.9, 3.9, 0]]"
    content = text(cell=cell, atoms='[["Li", 0, 0, 0], ["H", 0.5, 0.5, 0.5]]')
    content = content.replace('"gth-lda"', '{ Li = "gth-lda-q1", H = "gth-lda-q1" }')
    born = run(tmp_path / "run", content)
    phonon = content.replace('kind = "born"', 'kind = "phonon"\n[phonon]\npath = "XGL"\nborn = "run/out"')
    (tmp_path / "phonon.toml").write_text(phonon)
    answer = program("run", tmp_path / "phonon.toml", "--output", tmp_path / "phonon")
    assert answer.returncode == 0, answer.stderr
    bands = read_result(tmp_path / "phonon")["phonons"]["bands"]
    at_gamma = next(i for i, q in enumerate(bands["q_points"]) if not any(q))
    squares = [frequency * abs(frequency) for frequency in bands["frequencies_THz"][at_gamma]]
    transverse, other, longitudinal = (square for square in squares if abs(square) > 0.01)
    assert other == pytest.approx(transverse, rel=1e-3)
    charge, dielectric = born["charges"][0][0][0], born["dielectric"][0][0]
    mass, volume = 1822.888 * 6.94 * 1.008 / (6.94 + 1.008), 2 * 3.9**3  # electron masses, bohr^3
    split = 4 * np.pi * charge**2 / (volume * dielectric * mass) * 6579.684**2  # THz^2, 1 Ha/h is 6579.684 THz
    assert longitudinal - transverse == pytest.approx(split, rel=2e-3)
    (tmp_path / "phonon.toml").write_text(phonon.replace("3.9", "4.0"))
    refused = invoke("run", tmp_path / "phonon.toml")
    assert refused.exit_code == 2
    assert "run/out is of another cell" in refused.stderr


def test_goes_on_after_the_fields_that_are_done(tmp_path: Path) -> None:
    whole = run(tmp_path / "run", text())
    path = tmp_path / "run/out/born.json"
    content = json.loads(path.read_text())
    assert [one["axis"] for one in content["fields"]] == [0, 1, 2]
    path.write_text(json.dumps(content | {"fields": content["fields"][:1]}))
    again = run(tmp_path / "run", text(), 2, "--restart", tmp_path / "run/out/checkpoint.h5")
    assert np.array(again["charges"]) == pytest.approx(np.array(whole["charges"]), abs=2e-4)
    assert len(json.loads(path.read_text())["fields"]) == 3
    path.write_text("{")
    refused = invoke("run", tmp_path / "run/in.toml", "--restart", tmp_path / "run/out/checkpoint.h5")
    assert refused.exit_code == 2
    assert "born.json: is damaged; valid: remove it" in refused.stderr


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"electrons": 'smearing = { kind = "gaussian", width = "0.01 Ha" }'}, "smearing, of metals; valid: fixed"),
        ({"electrons": "charge = 1"}, "of a charged cell; valid: a neutral one"),
        ({"output": "[symmetry]\nuse = true"}, "with symmetry, which a field breaks"),
    ],
)
def test_what_has_no_response_is_refused(tmp_path: Path, changes: dict[str, str], words: str) -> None:
    (tmp_path / "in.toml").write_text(text(**changes))
    refused = invoke("run", tmp_path / "in.toml")
    assert refused.exit_code == 2
    assert words in refused.stderr


def test_a_metal_has_no_response(tmp_path: Path) -> None:
    atoms = '[["Al", 0, 0, 0], ["Al", 0.3, 0.25, 0.25]]'
    (tmp_path / "in.toml").write_text(text(atoms=atoms, basis='ecut = "4 Ha"', mesh=[3, 3, 3]))
    answer = program("run", tmp_path / "in.toml", "--output", tmp_path / "out")
    assert answer.returncode == 2
    assert "no response" in answer.stderr
    assert "valid: an insulator" in answer.stderr


@pytest.mark.parametrize(
    ("case", "reference"),
    [("mgo_gamma", "mgo_next_to_gamma"), ("mgo", "mgo"), ("aln", "aln"), ("gaas", "gaas")],
)
def test_other_codes_have_the_same(tmp_path: Path, case: str, reference: str) -> None:
    """Without Gamma, whose derivatives of projectors the other codes leave out (tests/reference/electric_response)."""
    found = run(tmp_path, (ELECTRIC / f"{case}.toml").read_text())
    codes = json.loads((ELECTRIC / "reference.json").read_text())[reference]
    for code in codes.values():
        dielectric, charges = np.array(code["dielectric"]), np.array(code["charges"])
        charges -= charges.mean(axis=0)
        if case != "aln":  # the mesh is not that of the crystal, whose symmetry is that of our tensors
            dielectric, charges = isotropic(dielectric), np.array([isotropic(one) for one in charges])
        assert np.array(found["dielectric"]) == pytest.approx(dielectric, rel=5e-5, abs=1e-4)
        assert np.array(found["charges"]) == pytest.approx(charges, abs=1e-4)


def isotropic(tensor: np.ndarray) -> np.ndarray:
    """Return the part of a tensor that a cubic crystal has."""
    return np.trace(tensor) / 3 * np.eye(3)
