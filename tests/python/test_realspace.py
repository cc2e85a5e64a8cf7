"""Calculations on a mesh in real space by the command: a result, and what is refused."""

import io
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from ase import Atoms
from ase.io.cube import read_cube
from ase.io.xsf import read_xsf
from conftest import invoke, program, read_result

from wavegrid import Session
from wavegrid.ase import WaveGrid
from wavegrid.errors import InputError
from wavegrid.process import core_loader
from wavegrid.units import BOHR_IN_ANGSTROM, HARTREE_IN_EV

INPUT = """
[structure]
cell = [[10, 0, 0], [0, 10, 0], [0, 0, 10]]
unit = "bohr"
atoms = [["H", 5, 5, 4.3], ["H", 5, 5, 5.7]]
coordinates = "cartesian"
[basis]
method = "realspace"
spacing = "0.5 bohr"
region = { kind = "spheres", radius = "4.5 bohr" }
boundary = "free"
[electrons]
xc = "PBE"
pseudopotentials = "gth-pbe"
[output]
forces = true
directory = "out"
"""


def test_a_molecule_in_free_space(tmp_path: Path) -> None:
    (tmp_path / "h2.toml").write_text(INPUT)
    checked = program("check", "h2.toml", cwd=tmp_path)
    assert "mesh of 3733 points, spacing 0.500 x 0.500 x 0.500 bohr" in checked.stdout, checked.stderr
    assert "recommended spacing 0.25 bohr (estimated)" in checked.stdout
    ended = program("run", "h2.toml", "--ranks", 2, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    for shown in (checked.stdout, ended.stdout):
        assert "eigensolver chebyshev: a mesh, with kinetic energies up to 46 Ha: filtering takes products" in shown
    result = read_result(tmp_path / "out")
    assert result["energy"]["free"] == pytest.approx(-1.165, abs=0.02)  # coarse; converged it is -1.162
    assert result["energy"]["local_g0"] == 0
    assert result["mesh"]["max_points"] < 0.52 * result["mesh"]["points"]
    assert result["eigensolver"] == "chebyshev"
    forces = np.array(result["forces"]["total"])
    assert np.abs(forces[:, :2]).max() < 1e-3
    assert forces[0, 2] == pytest.approx(-forces[1, 2])


def test_the_density_of_a_molecule(tmp_path: Path) -> None:
    (tmp_path / "h2.toml").write_text(INPUT.replace("forces = true", 'density = "cube"').replace("5.7", "6.1"))
    ended = program("run", "h2.toml", "--ranks", 3, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "written: out/density.cube" in ended.stdout
    read = read_cube(io.StringIO((tmp_path / "out" / "density.cube").read_text()))
    atoms, density = read["atoms"], read["data"]
    steps = atoms.cell.array / np.array(density.shape)[:, None]
    assert density.sum() * np.linalg.det(steps / BOHR_IN_ANGSTROM) == pytest.approx(2, abs=1e-6)
    points = read["origin"] + np.moveaxis(np.indices(density.shape), 0, -1) @ steps
    outside = np.linalg.norm(points[..., None, :] - atoms.positions, axis=-1).min(axis=-1) > 4.5 * BOHR_IN_ANGSTROM
    assert outside.any() and np.abs(density[outside]).max() == 0
    assert density.max() > 0.1
    edges = [np.abs(density.take(end, axis)).max() for axis in range(3) for end in (0, -1)]
    assert max(edges) < 1e-3 * density.max()
    centre = np.tensordot(density, points, 3) / density.sum()
    assert centre == pytest.approx(atoms.positions.mean(axis=0), abs=0.02)
    assert atoms.positions / BOHR_IN_ANGSTROM == pytest.approx(np.array([[5, 5, 4.3], [5, 5, 6.1]]), abs=1e-6)


def test_the_density_with_spin(tmp_path: Path) -> None:
    """One electron, whose density is its magnetisation."""
    changed = INPUT.replace(', ["H", 5, 5, 5.7]', "").replace("forces = true", 'density = "xsf"')
    changed = changed.replace('xc = "PBE"', 'xc = "PBE"\nspin = "collinear"\ninitial_magnetic_moments = { H = 1 }')
    (tmp_path / "h.toml").write_text(changed)
    ended = program("run", "h.toml", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    fields = []
    for name in ("density", "magnetisation"):
        text = (tmp_path / "out" / f"{name}.xsf").read_text()
        data, _, vectors, atoms = read_xsf(io.StringIO(text), read_data=True)
        volume = np.linalg.det(vectors / BOHR_IN_ANGSTROM) / np.prod(np.array(data.shape) - 1)
        assert data.sum() * volume == pytest.approx(1, abs=1e-5)
        assert not atoms.pbc.any()
        fields.append(data)
    assert fields[1] == pytest.approx(fields[0], abs=1e-5)
    atomic = read_result(tmp_path / "out")["atomic_charges"]
    assert atomic["charges"] == pytest.approx([atomic["unassigned"]], abs=1e-9)
    assert atomic["magnetic_moments"] == pytest.approx([1], abs=1e-3)


LITHIUM_HYDRIDE = """
[structure]
cell = [[6, 0, 0], [0, 6, 0], [0, 0, 7]]
unit = "bohr"
atoms = [["Li", 0.1, 0.2, -0.1], ["H", 0, 0, 2.9]]
coordinates = "cartesian"
[basis]
BASIS
[electrons]
xc = "LDA-TETER"
pseudopotentials = { Li = "gth-lda-q1", H = "gth-lda-q1" }
[output]
directory = "out"
"""


def test_transport_and_overlap_are_measured_and_kept(tmp_path: Path) -> None:
    energies = []
    for keys in ('transports_file = "transports.txt"', 'overlap = "polling"\ntwo_level = false\nreorder = false'):
        (tmp_path / "h2.toml").write_text(INPUT + f"[parallel]\n{keys}\n")
        ended = program("run", "h2.toml", "--ranks", 3, "--explain", cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        result = json.loads((tmp_path / "out" / "result.json").read_text())
        energies.append(result["energy"]["free"])
        if "overlap" not in keys:
            halo = result["parallel"]["exchanges"][0]
            assert (halo["name"], halo["transport"]) == ("halo", result["parallel"]["transport"])
            assert len(halo["measured"]) > 1
            assert f"\t{result['parallel']['transport']}\n" in (tmp_path / "transports.txt").read_text()
            assert result["mesh"]["overlap"] in ("off", "polling")
            assert "an application took" in result["mesh"]["overlap_reason"]
        else:
            assert result["mesh"]["overlap"] == "polling"
            assert 0 < result["mesh"]["hidden_share"] <= 1
        assert f"overlap {result['mesh']['overlap']}: " in ended.stdout
    assert energies[0] == pytest.approx(energies[1], abs=1e-9)
    (tmp_path / "h2.toml").write_text(INPUT + '[parallel]\ntransports_file = "transports.txt"\n')
    again = program("run", "h2.toml", "--ranks", 3, "--explain", cwd=tmp_path)
    assert "stored in transports.txt" in again.stdout


def test_the_overlap_is_of_meshes(tmp_path: Path) -> None:
    (tmp_path / "al.toml").write_text(
        (Path(__file__).parents[2] / "examples" / "al4.toml").read_text() + '\n[parallel]\noverlap = "off"\n'
    )
    answer = invoke("check", tmp_path / "al.toml")
    assert answer.exit_code == 2
    assert 'overlap with method = "planewaves"; valid: without it, or a mesh' in answer.stderr


SILICON = """
[structure]
cell = [[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]]
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.26, 0.25, 0.25]]
coordinates = "fractional"
[basis]
BASIS
[electrons]
xc = "LDA-TETER"
pseudopotentials = "gth-lda-q4"
[output]
density = "cube"
directory = "out"
"""


def test_the_density_of_a_crystal_is_that_of_plane_waves(tmp_path: Path) -> None:
    densities = []
    for name, basis in (
        ("waves", 'ecut = "40 Ha"\ngrid = [48, 48, 48]'),
        ("mesh", 'method = "realspace"\nspacing = "0.3006 bohr"'),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "si.toml").write_text(SILICON.replace("BASIS", basis))
        ended = program("run", "si.toml", "--ranks", 2, cwd=tmp_path / name)
        assert ended.returncode == 0, ended.stderr
        read = read_cube(io.StringIO((tmp_path / name / "out" / "density.cube").read_text()))
        assert read["origin"] == pytest.approx(np.zeros(3))
        densities.append(read["data"])
    waves, mesh = densities[0][::2, ::2, ::2], densities[1]
    assert mesh == pytest.approx(waves, abs=1e-3 * waves.max())


def test_charges_of_atoms_are_those_of_plane_waves(tmp_path: Path) -> None:
    charges = []
    for name, basis in (("waves", 'ecut = "30 Ha"'), ("mesh", 'method = "realspace"\nspacing = "0.3 bohr"')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lih.toml").write_text(LITHIUM_HYDRIDE.replace("BASIS", basis))
        ended = program("run", "lih.toml", "--ranks", 2, cwd=tmp_path / name)
        assert ended.returncode == 0, ended.stderr
        atomic = read_result(tmp_path / name / "out")["atomic_charges"]
        assert sum(atomic["charges"]) == pytest.approx(atomic["unassigned"], abs=1e-8)
        charges.append(atomic["charges"])
    assert charges[0][0] > 0.1
    assert charges[1] == pytest.approx(charges[0], abs=2e-3)


def test_a_checkpoint_continues_on_other_ranks(tmp_path: Path) -> None:
    (tmp_path / "h2.toml").write_text(INPUT + "checkpoint = true\n")
    assert program("run", "h2.toml", "--ranks", 2, cwd=tmp_path).returncode == 0
    first = read_result(tmp_path / "out")
    assert invoke("checkpoint", "verify", tmp_path / "out" / "checkpoint.h5").exit_code == 0
    ended = program("run", "h2.toml", "--ranks", 3, "--restart", "out/checkpoint.h5", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "different from this input" not in ended.stdout
    result = read_result(tmp_path / "out")
    assert result["restart"]["density"] == "taken"
    assert result["scf_steps"] < first["scf_steps"]
    assert result["energy"]["free"] == pytest.approx(first["energy"]["free"], abs=2e-7)


@pytest.mark.parametrize(
    ("region", "points"),
    [
        ('"cylinder", axis = 3, radius = "4.5 bohr", length = "10 bohr"', 253 * 20),
        ('"box", lengths = ["9 bohr", "9 bohr", "10 bohr"]', 19 * 19 * 20),
    ],
)
def test_other_regions(tmp_path: Path, region: str, points: int) -> None:
    changed = INPUT.replace('"spheres", radius = "4.5 bohr"', region).replace("4.3", "4.05")
    (tmp_path / "h2.toml").write_text(changed + '[parallel]\npartition = "block"\n')
    checked = invoke("check", tmp_path / "h2.toml", "--json")
    assert json.loads(checked.stdout)["mesh"]["points"] == points, checked.stderr


HARD = """
[structure]
cell = [[4.8, 0, 0], [0, 4.8, 0], [0, 0, 4.8]]
unit = "bohr"
atoms = [["Fe", 0.1, 0.05, 0]]
coordinates = "cartesian"
[basis]
BASIS
[electrons]
xc = "LDA-TETER"
pseudopotentials = "gth-lda-q8"
smearing = { kind = "fermi-dirac", width = "0.01 Ha" }
[output]
directory = "out"
"""


def test_hard_projectors_agree_with_plane_waves(tmp_path: Path) -> None:
    energies = []
    for name, basis in (("waves", 'ecut = "100 Ha"'), ("mesh", 'method = "realspace"\nspacing = "0.24 bohr"')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "fe.toml").write_text(HARD.replace("BASIS", basis))
        ended = program("run", "fe.toml", cwd=tmp_path / name)
        assert ended.returncode == 0, ended.stderr
        energies.append(read_result(tmp_path / name / "out")["energy"]["free"])
    # Waves between 0.7 and 1 of pi/h missing in the projectors cost 7e-3 Ha.
    assert energies[1] == pytest.approx(energies[0], abs=5e-4)


SILICON_SPACED = """
[structure]
cell = CELL
unit = "bohr"
atoms = [["Si", 0, 0, 0], ["Si", 0.26, 0.23, 0.28]]
coordinates = "fractional"
[basis]
method = "realspace"
spacing = SPACING
[electrons]
xc = "LDA-TETER"
pseudopotentials = "gth-lda"
bands = 6
[output]
forces = true
directory = "out"
"""
THREE = '["0.4 bohr", "0.35 bohr", "0.45 bohr"]'


@pytest.mark.parametrize(
    ("cell", "grid"),
    [
        ("[[6, 0, 0], [0, 7, 0], [0, 0, 8]]", [15, 20, 18]),
        ("[[6, 0, 0], [1.5, 7, 0], [0.5, -1, 8]]", [15, 21, 18]),
    ],
)
def test_a_spacing_along_each_vector(tmp_path: Path, cell: str, grid: list[int]) -> None:
    results = []
    for spacing in (THREE, '"0.35 bohr"'):
        (tmp_path / "si.toml").write_text(SILICON_SPACED.replace("CELL", cell).replace("SPACING", spacing))
        ended = program("run", "si.toml", "--ranks", 1, cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        results.append(read_result(tmp_path / "out"))
    three, same = results
    assert three["grid"] == grid
    assert three["input"]["basis"]["spacing"] == json.loads(THREE)
    assert three["energy"]["free"] == pytest.approx(same["energy"]["free"], abs=4e-4)
    assert np.allclose(three["forces"]["total"], same["forces"]["total"], atol=1e-3)


def test_the_largest_spacing_decides(tmp_path: Path) -> None:
    path = tmp_path / "si.toml"
    text = SILICON_SPACED.replace("CELL", "[[6, 0, 0], [0, 7, 0], [0, 0, 8]]")
    path.write_text(text.replace("SPACING", '["0.3 bohr", "0.3 bohr", "0.5 bohr"]'))
    checked = invoke("check", path)
    assert "spacing 0.300 x 0.292 x 0.500 bohr" in checked.stdout, checked.stderr
    assert "mesh of spacing 0.3 x 0.3 x 0.5 bohr (ecut 19.7 Ha) is above the recommended spacing" in checked.stdout
    path.write_text(text.replace("SPACING", '["0.3 bohr", "0.3 bohr", "0.38 bohr"]'))
    assert "recommended spacing: " not in invoke("check", path).stdout
    path.write_text(text.replace("SPACING", '["0.3 bohr", "0.3 bohr"]'))
    answer = invoke("check", path)
    assert answer.exit_code == 2
    assert 'spacing = ["0.3 bohr", "0.3 bohr"]: has 2 elements; valid: a length from 0.05' in answer.stderr


def test_a_molecule_moves(tmp_path: Path) -> None:
    moving = INPUT.replace("forces = true\n", "") + '[relax]\noptimizer = "bfgs"\n'
    (tmp_path / "h2.toml").write_text(moving)
    ended = program("run", "h2.toml", "--ranks", 2, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    geometries = read_result(tmp_path / "out")["relaxation"]["geometries"]
    assert geometries[-1]["largest_force"] < 1e-3 < geometries[0]["largest_force"]
    assert geometries[-1]["scf_steps"] < geometries[0]["scf_steps"]
    tables = tomllib.loads(INPUT)
    atoms = Atoms("H2", [[5, 5, 4.3], [5, 5, 5.7]], cell=[10, 10, 10], pbc=True)
    atoms.set_cell(atoms.cell * BOHR_IN_ANGSTROM, scale_atoms=True)
    with WaveGrid(basis=tables["basis"], electrons=tables["electrons"], ranks=1) as calculator:
        atoms.calc = calculator
        assert atoms.get_potential_energy() / HARTREE_IN_EV == pytest.approx(geometries[0]["free_energy"], abs=1e-6)


def test_kpoints_are_shared_among_groups(tmp_path: Path) -> None:
    crystal = INPUT.replace('region = { kind = "spheres", radius = "4.5 bohr" }\nboundary = "free"\n', "")
    crystal = crystal.replace('xc = "PBE"', 'xc = "PBE"\nkpoints = { mesh = [1, 1, 3] }')
    (tmp_path / "h2.toml").write_text(crystal)
    figures = json.loads(invoke("check", tmp_path / "h2.toml", "--ranks", "4", "--json").stdout)
    assert figures["kpoint_groups"] == 2
    assert "2 k-points and spins" in figures["groups_reason"]
    (tmp_path / "h2.toml").write_text(crystal + "[parallel]\nkpoint_groups = 1\n")
    figures = json.loads(invoke("check", tmp_path / "h2.toml", "--ranks", "4", "--json").stdout)
    assert figures["groups_reason"] == "set in the input"
    (tmp_path / "h2.toml").write_text(crystal + "[parallel]\nkpoint_groups = 5\n")
    assert invoke("check", tmp_path / "h2.toml", "--ranks", "4").exit_code == 2


UNFIT = {
    "spheres cut off the density": ('"4.5 bohr"', '"1.5 bohr"', "region", "with a radius of at least 2.00 bohr"),
    "two pieces": (
        '["H", 5, 5, 5.7]]',
        '["H", 5, 5, 15.7]]',
        "region",
        "the spheres around the atoms are several pieces that do not touch; valid: at least 5.70 bohr",
    ),
    "outside a box": (
        '"spheres", radius = "4.5 bohr"',
        '"box", lengths = ["9 bohr", "9 bohr", "1 bohr"]',
        "region",
        "atom 1 lies 0.2 bohr outside the free boundary of the box along lattice vector 3; "
        "valid: at least 2 bohr inside, with a length of at least 5.40 bohr",
    ),
    "on the end of a cylinder": (
        '"spheres", radius = "4.5 bohr"',
        '"cylinder", axis = 3, radius = "4 bohr", length = "1.4 bohr"',
        "region",
        "atom 1 lies on the free boundary at an end of the cylinder; valid: at least 2 bohr inside, with a length of "
        "at least 5.40 bohr",
    ),
    "near the face of a cell": (
        'region = { kind = "spheres", radius = "4.5 bohr" }\nboundary = "free"',
        'boundary = ["free", "periodic", "periodic"]\n[symmetry]\nuse = false',
        "boundary",
        "atom 1 lies 1 bohr inside the free boundary across lattice vector 1; valid: at least 2 bohr inside, with the "
        "atoms moved inwards by 1.00 bohr",
    ),
    "far too coarse": (
        '"0.5 bohr"',
        '"1.6 bohr"',
        "spacing",
        "the mesh of spacing 1.6 bohr (ecut 1.93 Ha) is far too coarse for the pseudopotentials, with an error of "
        "about 0.11 Ha for each H atom; valid: below 0.1 Ha for each valence electron; recommended: H 0.25 bohr "
        "(estimated)",
    ),
    "too many points": (
        '"spheres", radius = "4.5 bohr"',
        '"box", lengths = ["1000 bohr", "1000 bohr", "1000 bohr"]',
        "spacing",
        "the box around the region has 8.01e+09 points; valid: fewer than 2^31",
    ),
    "more ranks than points": (
        '"0.5 bohr"',
        '"1.4 bohr"',
        "spacing",
        "a mesh of 237 points on 250 ranks; valid: at most 237",
    ),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_mesh_that_does_not_fit_is_named_by_its_line(name: str, tmp_path: Path) -> None:
    old, new, key, message = UNFIT[name]
    assert old in INPUT
    text = INPUT.replace(old, new)
    if name == "near the face of a cell":
        text = text.replace('"H", 5,', '"H", 1,')
    (tmp_path / "h2.toml").write_text(text)
    line = next(number for number, found in enumerate(text.splitlines(), 1) if found.startswith(f"{key} = "))
    ranks = 250 if name == "more ranks than points" else 1
    for command in ("check", "run"):
        answer = program(command, "h2.toml", "--ranks", ranks, cwd=tmp_path)
        assert (answer.returncode, answer.stdout) == (2, "")
        assert answer.stderr.startswith(f"error: h2.toml:{line}: ") and answer.stderr.count("\n") == 1
        assert message in answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["h2.toml"]


def test_spheres_touch_across_periodic_directions() -> None:
    core = core_loader.load()
    atoms = {"species": ["H"], "atoms": [(0, 0.05, 0.5, 0.5), (0, 0.95, 0.5, 0.5), (0, 0.35, 0.5, 0.5)]}
    mesh = {"order": 12, "region": "spheres", "radius": 4.0, "axis": 3, "length": 0.0, "lengths": [0.0] * 3}
    mesh |= {"centre": [0.0] * 3, "partition": "metis", "two_level": True, "reorder": True, "overlap": "auto"}
    problem = atoms | {"cell": [[20, 0, 0], [6, 10, 0], [0, 0, 10]], "grid": [40, 20, 20]}
    for periodic, radius in (([False] * 3, 6.0), ([True, False, False], 3.0)):
        assert core.connecting_radius(problem | {"realspace": mesh | {"periodic": periodic}}) == pytest.approx(radius)


def test_a_molecule_may_come_apart_later() -> None:
    tables = tomllib.loads(INPUT)
    atoms = Atoms("He2", [[5, 5, 4.3], [5, 5, 5.7]], cell=[10, 10, 10], pbc=True)
    atoms.set_cell(atoms.cell * BOHR_IN_ANGSTROM, scale_atoms=True)
    apart = atoms.copy()
    apart.positions[1, 2] += 3 * BOHR_IN_ANGSTROM
    basis = tables["basis"] | {"region": {"kind": "spheres", "radius": "2.1 bohr"}}
    with Session(basis=basis, electrons=tables["electrons"], ranks=1) as session:
        with pytest.raises(InputError, match="several pieces that do not touch; valid: at least 2.20 bohr"):
            session.solve(apart)
        session.solve(atoms)
        assert session.solve(apart).energy.free < session.solve(atoms).energy.free


def test_an_isolated_ion_has_no_background(tmp_path: Path) -> None:
    (tmp_path / "h2.toml").write_text(INPUT.replace('xc = "PBE"', 'xc = "PBE"\ncharge = 1\nspin = "collinear"'))
    checked = invoke("check", tmp_path / "h2.toml")
    assert checked.exit_code == 0
    assert "background" not in checked.stdout and "too low" not in checked.stdout


def test_a_free_boundary_is_vacuum_in_a_cell_of_any_size(tmp_path: Path) -> None:
    (tmp_path / "h2.toml").write_text(INPUT.replace("10, 0, 0", "3, 0, 0"))
    checked = invoke("check", tmp_path / "h2.toml")
    assert checked.exit_code == 0 and "periodic crystal" not in checked.stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('spacing = "0.5 bohr"\n', "", "[basis] lacks 'spacing'"),
        ('spacing = "0.5 bohr"', 'spacing = "0.5 bohr"\necut = "10 Ha"', 'ecut with method = "realspace"'),
        ('method = "realspace"', 'ecut = "10 Ha"', 'spacing with method = "planewaves"'),
        (', radius = "4.5 bohr"', "", 'region.kind = "spheres" without radius'),
        ('"spheres", radius = "4.5 bohr"', '"box", length = "8 bohr"', 'region.length with kind = "box"'),
        (
            '"spheres", radius = "4.5 bohr"',
            '"box", lengths = ["9 bohr", "9 bohr", "4 bohr"]',
            "atom 1 lies 1.3 bohr inside",
        ),
        ('"spheres", radius = "4.5 bohr"', '"cylinder", axis = 3, radius = "4 bohr"', "without length"),
        ('boundary = "free"', "", 'with region.kind = "spheres"'),
        ("forces = true", "stress = true", "stress without a periodic direction is not available"),
        ('forces = true\ndirectory = "out"', '[relax]\ncell = "free"', 'cell = "free" with free directions is not'),
        ("[output]", "[symmetry]\nuse = true\n[output]", "symmetry without a periodic direction is not available"),
        ('boundary = "free"', 'boundary = ["free", "open", "free"]', "one of both for each lattice vector"),
        (
            '"spheres", radius = "4.5 bohr" }\nboundary = "free"',
            '"cylinder", radius = "4 bohr", axis = 3 }\nboundary = ["periodic", "free", "free"]',
            "without length",
        ),
        (
            'boundary = "free"\n[electrons]',
            'boundary = ["free", "free", "periodic"]\n[electrons]\nkpoints = { list = [[0.5, 0, 0]] }',
            "a k-point has the component 0.5 along lattice vector 1",
        ),
        (
            'boundary = "free"\n[electrons]',
            'boundary = ["free", "free", "periodic"]\n[electrons]\ncharge = 1\nspin = "collinear"',
            "the charge is 1 and the boundary is periodic in some directions only",
        ),
        ('forces = true\ndirectory = "out"', "[parallel]\ndeterministic = true", "deterministic is not available"),
        ("[output]", '[parallel]\npartition = "greedy"\n[output]', 'partition = "greedy" is not available'),
        ('xc = "PBE"', 'xc = "PBE"\nkpoints = { mesh = [2, 1, 1] }', "valid: Gamma alone"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in INPUT
    (tmp_path / "h2.toml").write_text(INPUT.replace(old, new))
    answer = invoke("check", tmp_path / "h2.toml")
    assert answer.exit_code == 2
    assert answer.stderr.count("\n") == 1 and message in answer.stderr
