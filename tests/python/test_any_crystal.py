"""k-points, spin, splits and tasks from the input file to result.json: small whole calculations."""

import json
from pathlib import Path

import numpy as np
import pytest
from ase.io import read
from ase.io.cube import read_cube
from conftest import EXAMPLES, program, read_result

A = 7.6533909  # bohr
ALUMINIUM = f"""\
title = "Al4"
[structure]
cell = [[{A},0,0],[0,{A},0],[0,0,{A}]]
unit = "bohr"
atoms = [["Al",0,0,0],["Al",0,0.5,0.5],["Al",0.5,0,0.5],["Al",0.5,0.5,0]]
coordinates = "fractional"
[basis]
ecut = "8.8309 Ha"
grid = [16,16,16]
[electrons]
xc = "LDA_XC_TETER93"
pseudopotentials = "gth-lda"
smearing = {{ kind = "fermi-dirac", width = "0.00735 Ha" }}
"""
# ABINIT 9.6.2, the same settings, full meshes: issue 5's table
GAMMA_CENTRED, SHIFTED = -8.39122632, -8.38786332


def run(folder: Path, text: str, *, ranks: int = 1, code: int = 0) -> dict:
    """Run an input in `folder` and return result.json; files lie in folder/out."""
    (folder / "in.toml").write_text(text)
    answer = program("run", folder / "in.toml", "--ranks", ranks, "--output", folder / "out")
    assert answer.returncode == code, answer.stderr
    return read_result(folder / "out") | {"screen": answer.stdout}


def aluminium(kpoints: str, more: str = "", electrons: str = "", tolerance: str = "1e-10 Ha") -> str:
    return f'{ALUMINIUM}kpoints = {kpoints}\n{electrons}[scf]\nenergy_tolerance = "{tolerance}"\n{more}'


@pytest.mark.parametrize("use", ["true", "false"])
@pytest.mark.parametrize(("shift", "expected"), [("[0,0,0]", GAMMA_CENTRED), ("[0.5,0.5,0.5]", SHIFTED)])
def test_meshes_of_aluminium(shift: str, expected: float, use: str, tmp_path: Path) -> None:
    text = aluminium(f"{{ mesh = [4,4,4], shift = {shift} }}", f"[symmetry]\nuse = {use}\n")
    result = run(tmp_path, text, ranks=2)
    assert result["energy"]["free"] == pytest.approx(expected, abs=2e-8)
    points = np.array(result["kpoints"])
    assert points[:, 3].sum() == pytest.approx(1, abs=1e-12)
    assert (len(points) < 20) == (use == "true")
    assert np.shape(result["eigenvalues"]) == np.shape(result["occupations"]) == (1, len(points), 12)
    assert np.sum(result["occupations"]) == pytest.approx(12, abs=1e-9)
    assert result["kpoints_description"] in result["screen"]


@pytest.mark.parametrize(
    ("ranks", "split"),
    [
        (1, ""),
        (2, "band_groups = 2"),
        (3, "kpoint_groups = 2"),
        (4, "kpoint_groups = 2\nrows = 1\ncolumns = 2"),
        (4, ""),
        *(
            pytest.param(ranks, split, marks=pytest.mark.study)
            for ranks, split in [
                (2, "kpoint_groups = 2"),
                (2, "rows = 2\ncolumns = 1"),
                (3, "kpoint_groups = 3"),
                (4, "kpoint_groups = 2\nband_groups = 2"),
                (4, "kpoint_groups = 1\nband_groups = 2\nrows = 2\ncolumns = 1"),
            ]
        ),
    ],
)
def test_every_parallel_layout_gives_the_same_energy(ranks: int, split: str, tmp_path: Path) -> None:
    text = aluminium("{ mesh = [3,2,2], shift = [0.5,0,0] }", f"[parallel]\n{split}\n")
    result = run(tmp_path, text, ranks=ranks)
    alone = tmp_path / "alone"
    alone.mkdir()
    if ranks > 1:
        assert result["energy"]["free"] == pytest.approx(
            run(alone, text.replace(split, ""))["energy"]["free"], abs=1e-9
        )
    parallel = result["parallel"]
    for line in filter(None, split.splitlines()):
        name, _, count = line.partition(" = ")
        assert parallel[name] == int(count)
    assert parallel["groups_reason"]


def test_a_list_of_points_equals_the_mesh(tmp_path: Path) -> None:
    meshes = []
    for name, kpoints in (
        ("mesh", "{ mesh = [2,1,1], shift = [0.5,0,0] }"),
        ("list", "{ list = [[0.25,0,0],[0.75,0,0]], weights = [3,3] }"),
    ):
        (tmp_path / name).mkdir()
        text = aluminium(kpoints, "[symmetry]\nuse = false\n")
        meshes.append(run(tmp_path / name, text)["energy"]["free"])
    assert meshes[0] == pytest.approx(meshes[1], abs=1e-9)


OXYGEN = """\
title = "O2"
[structure]
cell = [[7,0,0],[0,7,0],[0,0,8]]
unit = "bohr"
atoms = [["O",0,0,-0.1425],["O",0,0,0.1425]]
coordinates = "fractional"
[basis]
ecut = "12 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = "gth-lda"
spin = "collinear"
"""


def test_the_triplet_of_oxygen(tmp_path: Path) -> None:
    """Free and fixed moment agree, and files hold electrons and moment."""
    (tmp_path / "free").mkdir()
    (tmp_path / "fixed").mkdir()
    smearing = 'smearing = { kind = "gaussian", width = "0.001 Ha" }\n[scf]\nenergy_tolerance = "1e-8 Ha"\n'
    free = run(tmp_path / "free", OXYGEN + smearing + '[output]\ndensity = "cube"\n', ranks=2)
    assert free["magnetisation"]["total"] == pytest.approx(2, abs=1e-4)
    assert "half of those of the free atoms" in free["notes"][0]
    assert "magnetisation" in free["screen"]
    atoms = free["atomic_charges"]  # of a molecule of two equal atoms
    assert atoms["charges"] == pytest.approx([0, 0], abs=2e-4)
    assert atoms["magnetic_moments"] == pytest.approx([1, 1], abs=2e-4)
    assert "moments of the atoms" in free["screen"]
    assert "charges of the atoms" not in free["screen"]
    for name, electrons in (("density", 12), ("magnetisation", free["magnetisation"]["total"])):
        with (tmp_path / "free" / "out" / f"{name}.cube").open() as file:
            data = read_cube(file)["data"]
        assert data.mean() * 7 * 7 * 8 == pytest.approx(electrons, abs=1e-5)
    fixed = run(tmp_path / "fixed", OXYGEN + 'total_magnetisation = 2\n[scf]\nenergy_tolerance = "1e-8 Ha"\n')
    assert fixed["energy"]["free"] == pytest.approx(free["energy"]["free"], abs=1e-6)
    assert len(fixed["fermi_level"]) == 2


def test_the_density_of_states_integrates_to_the_electrons(tmp_path: Path) -> None:
    text = aluminium("{ mesh = [2,2,2] }", '[task]\nkind = "dos"\npoints = 4001\n', tolerance="1e-8 Ha")
    result = run(tmp_path, text, ranks=2)
    dos = result["dos"]
    assert dos["electrons_at_fermi_level"] == pytest.approx(12, abs=1e-9)
    energies, states = np.array(dos["energies"]), np.array(dos["density_of_states"][0])
    assert len(energies) == 4001
    assert states.min() >= 0
    everything = np.trapezoid(states, energies)
    assert everything == pytest.approx(dos["integrated_density_of_states"][0][-1], abs=1e-6)
    assert (tmp_path / "out" / "dos.png").read_bytes().startswith(b"\x89PNG")
    assert "path" not in result


def test_the_bands_of_silicon(tmp_path: Path) -> None:
    text = (EXAMPLES / "si_bands.toml").read_text().replace('path = "GXWKGL"', 'path = "GXWKGL", points = 60')
    (tmp_path / "si_bands.toml").write_text(text)
    answer = program("run", tmp_path / "si_bands.toml", "--ranks", 2, "--output", tmp_path / "out")
    assert answer.returncode == 0, answer.stderr
    result = read_result(tmp_path / "out")
    bands = result["bands"]
    assert np.shape(bands["eigenvalues"]) == (1, 60, 8)
    assert len(bands["x"]) == len(bands["kpoints"]) == 60
    assert bands["labels"] == ["G", "X", "W", "K", "G", "L"]
    assert 0.4 < bands["band_gap"]["fundamental"] * 27.2114 < 0.6  # the LDA's
    assert bands["band_gap"]["valence_band_maximum_index"] == 0
    gap = bands["band_gap"]["fundamental"] * 27.211386246
    assert f"gap {gap:.4f} eV, indirect, on the path; smallest direct gap 2.5" in answer.stdout.splitlines()[-1]
    assert "bands: k-point 30 of 30 in each of 2 groups" in answer.stdout
    assert result["band_gap"]["fundamental"] > bands["band_gap"]["fundamental"]  # of the mesh
    gamma = np.argmin(np.linalg.norm(np.array(result["kpoints"])[:, :3], axis=1))
    assert bands["eigenvalues"][0][0][:4] == pytest.approx(result["eigenvalues"][0][gamma][:4], abs=1e-4)
    assert (tmp_path / "out" / "bands.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "out" / "density.xsf").exists()


def test_iron_is_a_ferromagnet(tmp_path: Path) -> None:
    answer = program("run", EXAMPLES / "fe.toml", "--ranks", 2, "--output", tmp_path / "out")
    assert answer.returncode == 0, answer.stderr
    result = read_result(tmp_path / "out")
    assert 2.0 < result["magnetisation"]["total"] < 2.6
    up, down = np.sum(np.array(result["occupations"]), axis=(1, 2))
    assert up - down == pytest.approx(result["magnetisation"]["total"], abs=1e-6)
    dos = result["dos"]
    assert np.shape(dos["density_of_states"]) == (2, len(dos["energies"]))
    assert len(dos["ranges"]) == 3  # 3s and 3p of both spins apart
    assert dos["electrons_at_fermi_level"] == pytest.approx(16, abs=1e-9)
    assert f"magnetisation {result['magnetisation']['total']:.4f} mu_B" in answer.stdout.splitlines()[-1]
    assert "density of states: k-points of both spins: 4 of 4 in each of 2 groups" in answer.stdout
    assert read(tmp_path / "out" / "result.extxyz").get_magnetic_moment() == pytest.approx(
        result["magnetisation"]["total"], abs=1e-7
    )


def test_a_charged_cell(tmp_path: Path) -> None:
    result = run(tmp_path, aluminium("{ mesh = [1,1,1] }", electrons="charge = 1.5\n", tolerance="1e-7 Ha"))
    assert np.sum(result["occupations"]) == pytest.approx(10.5, abs=1e-9)
    assert "10.5 electrons" in result["screen"]


def test_not_converged_comes_with_advice(tmp_path: Path) -> None:
    result = run(tmp_path, aluminium("{ mesh = [2,1,1] }", "max_steps = 4\n"), code=1)
    assert not result["converged"]
    assert "max_steps = " in result["advice"]
    assert f"not converged in 4 steps: error {result['error_estimate']:.1e} Ha" in result["screen"]
    assert result["screen"].endswith(f" Ha. {result['advice']}\n")


def test_check_shows_k_points_and_levels(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(aluminium("{ mesh = [4,4,4] }"))
    words = program("check", path, "--ranks", 6)
    assert "64 k-points, 10 irreducible" in words.stdout
    assert "why these groups: 10 k-points and spins" in words.stdout
    figures = json.loads(program("check", path, "--ranks", 6, "--json").stdout)
    assert (figures["kpoints"], figures["mode"]) == (10, "complex")
    assert figures["kpoint_groups"] * figures["band_groups"] * figures["rows"] * figures["columns"] <= 6
    assert figures["plane_waves"] == 587
    assert program("check", path, "--ranks", 1, "--json").returncode == 0


def test_the_core_refuses_more_bands_than_the_smallest_sphere(tmp_path: Path) -> None:
    path = tmp_path / "in.toml"
    path.write_text(aluminium("{ mesh = [2,2,2] }", electrons="bands = 586\n"))
    answer = program("check", path, "--ranks", 1)
    assert answer.returncode == 2
    assert "586 bands for 5" in answer.stderr
    assert "fewer bands than plane waves" in answer.stderr
