"""Lists of k-points: those of weight zero, and the irreducible points of a mesh."""

from pathlib import Path

import pytest
from ase.build import bulk
from conftest import invoke, program, read_result

from wavegrid import Session
from wavegrid.errors import InputError
from wavegrid.model.core_result import CoreResult
from wavegrid.results import zero_weight

SILICON = """
[structure]
cell = [[0,5.13,5.13],[5.13,0,5.13],[5.13,5.13,0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si",0,0,0],["Si",0.25,0.25,0.25]]
[basis]
ecut = "10 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
bands = 8
"""
TWO = "list = [[0.25,0.25,0.25],[0.25,0.25,-0.25]{}], weights = [0.25,0.75{}]"
OUTPUT = "[output]\ncheckpoint = false\nforces = true\nstress = true\n"


def run(folder: Path, kpoints: str, *, text: str = SILICON, more: str = "", ranks: int = 1) -> dict:
    """Return result.json of a calculation."""
    path = folder / "in.toml"
    path.write_text(f"{text}kpoints = {{ {kpoints} }}\n{more}{OUTPUT}")
    answer = program("run", path, "--quiet", "--ranks", ranks, "--output", folder / "out")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def test_points_of_weight_zero_have_levels_and_change_nothing(tmp_path: Path) -> None:
    alone = run(tmp_path, TWO.format("", ""))
    both = run(tmp_path, TWO.format(",[0,0,0],[0.5,0.5,0]", ",0,0"))
    assert alone["energy"]["free"] == pytest.approx(-7.923365969, abs=1e-7)
    assert both["energy"]["free"] == pytest.approx(alone["energy"]["free"], abs=1e-11)
    assert both["kpoints"] == alone["kpoints"]
    assert both["occupations"] == alone["occupations"]
    assert both["stress"]["total"][0] == pytest.approx(alone["stress"]["total"][0], abs=1e-9)
    found = both["levels_at_weight_zero"]
    assert found["kpoints"] == [[0, 0, 0], [0.5, 0.5, 0]]
    assert found["converged"]
    assert found["eigenvalues"][0][0][0] == pytest.approx(-0.179157, abs=1e-5)
    assert found["eigenvalues"][0][1][:2] == pytest.approx([-0.028936, -0.024779], abs=1e-5)


@pytest.mark.parametrize(
    ("basis", "electrons", "more", "ranks"),
    [
        ('ecut = "5 Ha"', 'spin = "collinear"\nsmearing = { kind = "cold", width = "0.01 Ha" }\n', "", 2),
        ('method = "realspace"\nspacing = "0.8 bohr"', "", "", 1),
        ('ecut = "5 Ha"', "", '[task]\nkind = "dos"\npoints = 20\n', 1),
    ],
)
def test_points_of_weight_zero_with_spin_meshes_and_projections(
    tmp_path: Path, basis: str, electrons: str, more: str, ranks: int
) -> None:
    text = SILICON.replace('ecut = "10 Ha"', basis) + electrons
    alone = run(tmp_path, TWO.format("", ""), text=text, more=more, ranks=ranks)
    both = run(tmp_path, TWO.format(",[0,0,0]", ",0"), text=text, more=more, ranks=ranks)
    assert both["energy"]["free"] == pytest.approx(alone["energy"]["free"], abs=1e-10)
    assert [len(of_spin) for of_spin in both["levels_at_weight_zero"]["eigenvalues"]] == [1] * len(both["eigenvalues"])
    if "dos" in both:
        atoms = [of["dos"]["projections"]["atoms"][0]["charge"] for of in (alone, both)]
        assert atoms[0] == pytest.approx(atoms[1], abs=1e-6)


def test_levels_of_weight_zero_leave_the_path() -> None:
    path = {
        "kpoints": [[0, 0, 0, 0], [1, 0, 0, 0]],
        "eigenvalues": [[[0.1], [0.2]]],
        "error_bound": 0,
        "converged": True,
    }
    results = [CoreResult.read({"path": path}) for _ in range(3)]
    for count, result in enumerate(results):
        zero_weight.separate(result, count)
    assert results[0].content() == {"path": path}
    assert results[1].path.eigenvalues == [[[0.1]]]
    assert results[1].levels_at_weight_zero.eigenvalues == [[[0.2]]]
    assert results[2].path is None


@pytest.mark.parametrize("basis", ['ecut = "6 Ha"', 'method = "realspace"\nspacing = "0.8 bohr"'])
def test_irreducible_points_are_the_mesh(tmp_path: Path, basis: str) -> None:
    text = SILICON.replace('ecut = "10 Ha"', basis)
    mesh = run(tmp_path, "mesh = [2,2,2]", text=text)
    points = [point[:3] for point in mesh["kpoints"]]
    listed = f"list = {points}, weights = {[point[3] for point in mesh['kpoints']]}"
    found = run(tmp_path, f"{listed}, irreducible = true", text=text)
    assert len(points) == 3
    assert found["energy"]["free"] == pytest.approx(mesh["energy"]["free"], abs=1e-10)
    assert found["stress"]["total"][0] == pytest.approx(mesh["stress"]["total"][0], abs=1e-10)
    assert "irreducible by Fd-3m" in found["kpoints_description"]


def test_atoms_that_leave_the_symmetry_of_an_irreducible_list_are_refused() -> None:
    electrons: dict[str, object] = {"xc": "LDA-PZ", "pseudopotentials": "gth-lda"}
    electrons["kpoints"] = {"list": [[0.25, 0.25, 0.25], [0.25, 0.25, -0.25]], "weights": [1, 3], "irreducible": True}
    silicon = bulk("Si", a=5.43)
    with Session(ranks=1, basis={"ecut": "4 Ha"}, electrons=electrons) as session:
        session.solve(silicon)
        silicon.positions[1, 0] += 0.05
        with pytest.raises(InputError, match="the atoms have left the symmetry of Fd-3m"):
            session.solve(silicon)


def test_all_weights_zero_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(f"{SILICON}kpoints = {{ list = [[0,0,0]], weights = [0] }}\n")
    answer = invoke("check", path)
    assert answer.exit_code == 2
    assert "all weights are zero" in answer.stderr
