"""The polarisation of crystals by the Berry phase."""

from pathlib import Path

import numpy as np
import pytest
from conftest import invoke, program, read_result

GALLIUM = """\
[structure]
cell = [[0, 5.3, 5.3], [5.3, 0, 5.3], [5.3, 5.3, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Ga", {ga}], ["As", {arsenic}]]
[basis]
ecut = "{ecut} Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
kpoints = {{ mesh = {mesh} }}
{electrons}
[symmetry]
use = {symmetry}
[scf]
energy_tolerance = "1e-10 Ha"
[output]
polarisation = true
{output}
"""
# Of pw.x 6.7 (lberry, gdir = 1, nppstr = 7) with the same potentials, 16 Ha and 6 x 6 x 6 points.
PWX, PWX_QUANTUM = 0.0066631, 0.0251729  # e/bohr^2, along vector 1


def text(
    ga: tuple[float, float, float] = (0, 0, 0),
    arsenic: tuple[float, float, float] = (0.25, 0.25, 0.25),
    ecut: float = 7,
    mesh: tuple[int, int, int] = (3, 3, 3),
    electrons: str = "",
    symmetry: str = "false",
    output: str = "",
) -> str:
    """Return an input."""
    places = {"ga": ", ".join(map(str, ga)), "arsenic": ", ".join(map(str, arsenic))}
    return GALLIUM.format(**places, ecut=ecut, mesh=list(mesh), electrons=electrons, symmetry=symmetry, output=output)


def run(folder: Path, content: str, ranks: int = 1) -> dict:
    """Run an input and return the polarisation."""
    folder.mkdir()
    (folder / "in.toml").write_text(content)
    answer = program("run", folder / "in.toml", "--output", folder / "out", "--ranks", ranks)
    assert answer.returncode == 0, answer.stderr
    assert "polarisation along vector 3" in answer.stdout
    return read_result(folder / "out")["polarisation"]


def differ_by_quanta(one: dict, other: dict, tolerance: float) -> bool:
    """Return whether two polarisations are equal but for multiples of the quanta."""
    turns = (np.array(one["along"]) - other["along"]) / one["quanta"]
    return bool((np.abs(turns - np.rint(turns)) < tolerance).all())


def test_gallium_arsenide_has_the_polarisation_of_another_code(tmp_path: Path) -> None:
    found = run(tmp_path / "run", text(ga=(0.005, 0, 0), ecut=16, mesh=(6, 6, 6)), ranks=2)
    assert found["along"][0] == pytest.approx(PWX, abs=3e-6)
    assert found["quanta"][0] == pytest.approx(PWX_QUANTUM, abs=3e-6)


def test_moving_all_atoms_changes_nothing_and_neither_do_ranks(tmp_path: Path) -> None:
    given = run(tmp_path / "given", text(ga=(0.02, 0.01, 0)))
    moved = run(tmp_path / "moved", text(ga=(0.145, 0.135, 0.125), arsenic=(0.375, 0.375, 0.375)), ranks=3)
    assert differ_by_quanta(given, moved, 1e-3)
    symmetric = run(tmp_path / "symmetric", text(ga=(0.02, 0.01, 0), symmetry="true"))
    assert symmetric["along"] == pytest.approx(given["along"], abs=1e-7)
    split = run(tmp_path / "split", text(ga=(0.02, 0.01, 0)), ranks=2)
    assert split["along"] == pytest.approx(given["along"], abs=1e-7)
    cell = np.array([[0, 5.3, 5.3], [5.3, 0, 5.3], [5.3, 5.3, 0]])
    units = cell / np.linalg.norm(cell, axis=1)[:, None]
    assert given["vector"] == pytest.approx(np.array(given["along"]) @ units)
    turns = (np.array(given["electronic"]) + given["ionic"] - given["along"]) / given["quanta"]
    assert turns == pytest.approx(np.rint(turns), abs=1e-9)


def test_the_born_charge_is_the_same_in_both_directions_and_with_spin(tmp_path: Path) -> None:
    shift, cell_volume, length = 0.01, 2 * 5.3**3, 5.3 * np.sqrt(2)
    middle, plus, minus = (run(tmp_path / str(x), text(ga=(x, 0, 0)), ranks=2) for x in (0.0, shift, -shift))
    charges = [
        (np.array(plus["along"]) - middle["along"]) * cell_volume / (shift * length),
        (np.array(middle["along"]) - minus["along"]) * cell_volume / (shift * length),
    ]
    assert charges[0] == pytest.approx(charges[1], abs=0.05)
    assert 1.5 < charges[0][0] < 3
    spin = 'spin = "collinear"\ntotal_magnetisation = 0'
    both = run(tmp_path / "spin", text(ga=(shift, 0, 0), electrons=spin), ranks=2)
    assert differ_by_quanta(both, plus, 1e-4)


def test_silicon_has_no_polarisation_or_half_a_quantum(tmp_path: Path) -> None:
    silicon = text().replace('"Ga"', '"Si"').replace('"As"', '"Si"')
    found = run(tmp_path / "run", silicon)
    turns = 2 * np.array(found["along"]) / found["quanta"]
    assert turns == pytest.approx(np.rint(turns), abs=1e-5)


def test_gamma_alone_has_that_of_a_large_cell(tmp_path: Path) -> None:
    molecule = """\
[structure]
cell = [[9, 0, 0], [0, 9, 0], [0, 0, 11]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["Li", 4, 4, 4], ["H", 4, 4, 7]]
[basis]
ecut = "8 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
{kpoints}
[symmetry]
use = false
[output]
polarisation = true
"""
    real = run(tmp_path / "real", molecule.format(kpoints="").replace("[symmetry]\nuse = false\n", ""))
    mesh = run(tmp_path / "mesh", molecule.format(kpoints="kpoints = { mesh = [2, 2, 2] }"))
    assert real["along"][2] * 9 * 9 * 11 == pytest.approx(mesh["along"][2] * 9 * 9 * 11, abs=0.2)
    assert real["along"][:2] == pytest.approx([0, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"electrons": 'smearing = { kind = "cold", width = "0.1 eV" }'}, "polarisation with smearing, of metals"),
        ({"output": "checkpoint = false"}, "polarisation with checkpoint = false"),
        ({"electrons": "charge = 2"}, "polarisation of a charged cell"),
    ],
)
def test_what_has_none_is_refused(tmp_path: Path, changes: dict, message: str) -> None:
    (tmp_path / "in.toml").write_text(text(**changes))
    answer = invoke("check", tmp_path / "in.toml")
    assert answer.exit_code == 2
    assert message in answer.stderr


def test_a_metal_has_none(tmp_path: Path) -> None:
    """Fixed occupations fill bands of aluminium that overlap others; the run itself is not lost."""
    content = text(ecut=4, mesh=(2, 2, 2), electrons='spin = "collinear"\ntotal_magnetisation = 1')
    content = content.replace(content[content.index("atoms") : content.index("[basis]")], 'atoms = [["Al", 0, 0, 0]]\n')
    content = content.replace("5.3", "3.8").replace("1e-10 Ha", "1e-3 Ha")
    (tmp_path / "in.toml").write_text(content)
    answer = program("run", tmp_path / "in.toml", "--output", tmp_path / "out")
    assert answer.returncode == 0, answer.stderr
    assert "no polarisation of a metal: an empty level is" in answer.stdout + answer.stderr
    assert "polarisation" not in read_result(tmp_path / "out")
