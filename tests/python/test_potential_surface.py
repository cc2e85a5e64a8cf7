"""The potential on a surface of constant density, averages of the potential, and the charge of core electrons."""

from pathlib import Path

import numpy as np
import pytest
from ase.io.cube import read_cube
from conftest import invoke, program, read_result
from series_runs import refused

from wavegrid.export import surface
from wavegrid.export.core_charge import superposed
from wavegrid.export.fields import Field
from wavegrid.process import core_loader
from wavegrid.results.averages import Averages, macroscopic

POTENTIALS = Path(__file__).parents[1] / "reference/pseudopotentials"
MOLECULE = """\
[structure]
cell = [[15, 0, 0], [0, 15, 0], [0, 0, 15]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["S", 7.5, 7.5, 7], ["H", 9.32, 7.5, 8.75], ["H", 5.68, 7.5, 8.75]]
[basis]
{basis}
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda"
[scf]
energy_tolerance = "1e-9 Ha"
[output]
surface = 0.002
"""
WAVES, MESH = 'ecut = "10 Ha"', 'method = "realspace"\nspacing = "0.4 bohr"\nboundary = "free"'


def run(folder: Path, content: str) -> dict:
    """Run an input in a new folder; return its result.json."""
    folder.mkdir()
    (folder / "in.toml").write_text(content)
    answer = program("run", folder / "in.toml", "--output", folder / "out", "--quiet")
    assert answer.returncode == 0, answer.stderr
    return read_result(folder / "out")


def points(folder: Path) -> np.ndarray:
    """Return the points of surface.csv."""
    return np.loadtxt(folder / "surface.csv", delimiter=",", skiprows=2)


def extrema(found: dict) -> tuple[float, float]:
    """Return the highest maximum and the lowest minimum, Ha."""
    values = {kind: [one["potential"] for one in found["extrema"] if one["kind"] == kind] for kind in KINDS}
    return max(values["maximum"]), min(values["minimum"])


KINDS = ("maximum", "minimum")


def test_a_sphere_has_its_area_and_the_extrema_of_a_dipole() -> None:
    """An exponential density around a corner of a skewed periodic cell, cos(angle) / r^2 as potential."""
    cell = np.array([[12.0, 0, 0], [1.0, 12, 0], [0, 0.5, 12]])
    grid = np.stack(np.meshgrid(*[np.arange(44) / 44] * 3, indexing="ij"), -1)
    away = ((grid - [0.02, 0.98, 0.5] + 0.5) % 1 - 0.5) @ cell
    r = np.linalg.norm(away, axis=-1)
    fields = [
        Field("", "", values, np.zeros(3), cell, [True] * 3)
        for values in (np.exp(-2 * r), -away[..., 2] / np.maximum(r, 0.5) ** 3)
    ]
    found = surface.part(surface.of_density(*fields, float(np.exp(-6))), 1.0, 0.0, "cell")
    assert found.area == pytest.approx(4 * np.pi * 9, rel=0.01)
    assert [one.kind for one in found.extrema] == list(KINDS)
    for one, sign in zip(found.extrema, (1, -1), strict=True):
        assert one.potential == pytest.approx(sign / 9, rel=0.02)
    assert found.mean_positive == pytest.approx(1 / 18, rel=0.05)


def test_hydrogen_sulphide_in_plane_waves_on_a_mesh_and_from_the_checkpoint(tmp_path: Path) -> None:
    """Positive at hydrogen, negative at sulphur; the periodic cell, the free boundary and point charges agree."""
    waves = run(tmp_path / "waves", MOLECULE.format(basis=WAVES))["potential_surface"]
    mesh = run(tmp_path / "mesh", MOLECULE.format(basis=MESH))["potential_surface"]
    assert waves["zero"] == mesh["zero"] == "infinity"
    assert mesh["area"] == pytest.approx(waves["area"], rel=0.02)
    assert extrema(mesh) == pytest.approx(extrema(waves), abs=0.005)
    assert extrema(mesh)[0] > 0.02 and extrema(mesh)[1] < -0.02
    heights = {one["kind"]: one["place"][2] for one in mesh["extrema"] if one["potential"] in extrema(mesh)}
    assert heights["maximum"] > 8 and heights["minimum"] < 7
    for folder in (tmp_path / "waves/out", tmp_path / "mesh/out"):
        before = points(folder)
        answer = invoke("checkpoint", "export", folder / "checkpoint.h5", "--surface", "0.002")
        assert answer.exit_code == 0, answer.output
        after = points(folder)
        for side in (np.max, np.min):
            assert side(after[:, 3]) == pytest.approx(side(before[:, 3]), abs=1e-3)
        assert after[:, 4].sum() == pytest.approx(before[:, 4].sum(), rel=0.01)
        assert (folder / "surface.ply").read_bytes().startswith(b"ply\nformat ascii")


def test_a_surface_that_is_not_there_is_named(tmp_path: Path) -> None:
    text = MOLECULE.format(basis=WAVES)
    layer = 'boundary = ["periodic", "periodic", "free"]'
    some = refused(tmp_path, text.replace(WAVES, MESH.replace('boundary = "free"', layer)))
    assert "free in some directions" in some
    assert "surface = -1" in refused(tmp_path, text.replace("0.002", "-1"))


SLAB = """\
[structure]
cell = [[5, 0, 0], [0, 5, 0], [0, 0, 10]]
unit = "bohr"
coordinates = "cartesian"
atoms = [["Li", 0, 0, 2], ["H", 2.5, 2.5, 6]]
[basis]
ecut = "5 Ha"
[electrons]
xc = "LDA-PW"
pseudopotentials = "gth-lda"
[output]
potential = "electrostatic"
average_axis = 3
average_width = "10 bohr"
"""


def test_averages_of_a_crystal(tmp_path: Path) -> None:
    """The mean of each plane is that of the cube; over the whole cell it is constant."""
    result = run(tmp_path / "run", SLAB)
    assert "vacuum" not in result
    with (tmp_path / "run/out/potential.cube").open() as file:
        planes = read_cube(file)["data"].mean(axis=(0, 1)) * 27.211386
    table = np.loadtxt(tmp_path / "run/out/potential.csv", delimiter=",", skiprows=2)
    assert table[:, 1] == pytest.approx(planes, abs=1e-6)
    assert table[:, 2] == pytest.approx(planes.mean(), abs=1e-6)
    assert (tmp_path / "run/out/potential.png").exists()
    words = refused(tmp_path, SLAB.replace('potential = "electrostatic"\n', ""))
    assert 'average_axis without potential = "electrostatic"' in words
    assert "average_width without a slab" in refused(tmp_path, SLAB.replace("average_axis = 3\n", ""))


@pytest.mark.parametrize("periodic", [True, False])
def test_macroscopic_averages(periodic: bool) -> None:
    """Waves whose period is the width vanish; of a step a ramp is left."""
    x = np.arange(200) / 200 * 10
    wave = macroscopic(Averages(x.tolist(), (3 + np.cos(2 * np.pi * x / 2.5)).tolist(), 10.0, periodic), 2.5)
    inner = slice(None) if periodic else slice(30, -30)
    assert np.array(wave.macroscopic)[inner] == pytest.approx(3.0, abs=1e-3)
    step = macroscopic(Averages(x.tolist(), np.where((x > 2) & (x < 7), 1.0, 0.0).tolist(), 10.0, periodic), 2.0)
    assert step.macroscopic is not None
    assert step.macroscopic[50] == pytest.approx(0.75, abs=0.02) and step.macroscopic[100] == pytest.approx(1.0)


SILICON = f"""\
[structure]
cell = [[0, 5.1, 5.1], [5.1, 0, 5.1], [5.1, 5.1, 0]]
unit = "bohr"
coordinates = "fractional"
atoms = [["Si", 0, 0, 0], ["Si", 0.25, 0.25, 0.25]]
[basis]
ecut = "5 Ha"
[electrons]
xc = "LDA-PZ"
pseudopotentials = {{ Si = "{POTENTIALS / "14-Si.nlcc.UPF"}" }}
[output]
density = "chgcar"
"""


def test_the_core_charge_is_that_of_the_file(tmp_path: Path) -> None:
    run(tmp_path / "run", SILICON)
    lines = (tmp_path / "run/out/AECCAR0").read_text().splitlines()
    blank = lines.index("")
    sizes = [int(word) for word in lines[blank + 1].split()]
    values = np.array(" ".join(lines[blank + 2 :]).split(), dtype=float).reshape(sizes[::-1]).T
    r, n = core_loader.load().core_charge(str(POTENTIALS / "14-Si.nlcc.UPF"), "Si", 4, "")
    charge = np.trapezoid(4 * np.pi * np.array(r) ** 2 * np.array(n), r)
    assert values.mean() == pytest.approx(2 * charge, rel=0.02)
    assert np.unravel_index(values.argmax(), values.shape) in {(0, 0, 0), tuple(count // 4 for count in sizes)}
    kept = (tmp_path / "run/out/AECCAR0").read_bytes().splitlines()[1:]
    options = ["checkpoint", "export", str(tmp_path / "run/out/checkpoint.h5"), "--density", "chgcar"]
    answer = invoke(*options, "--input", str(tmp_path / "run/in.toml"), "--output", str(tmp_path / "again"))
    assert answer.exit_code == 0, answer.stderr
    assert (tmp_path / "again/AECCAR0").read_bytes().splitlines()[1:] == kept
    answer = invoke(*options[:3], "--density", "cube", "--input", "in.toml")
    assert answer.exit_code == 2 and "--input without --density chgcar" in answer.stderr
    without = run(tmp_path / "gth", SILICON.replace(f'{{ Si = "{POTENTIALS / "14-Si.nlcc.UPF"}" }}', '"gth-lda"'))
    assert without["converged"] and not (tmp_path / "gth/out/AECCAR0").exists()
    answer = invoke(*options, "--input", str(tmp_path / "gth/in.toml"))
    assert answer.exit_code == 2 and "no potential has core electrons" in answer.stderr


def test_a_dataset_of_paw_gives_the_whole_core() -> None:
    """Ten electrons of silicon, around atoms in a skewed cell that is smaller than their reach."""
    file = Path(__file__).parents[1] / "reference/ultrasoft/Si-paw.xml"
    r, n = (np.array(one) for one in core_loader.load().core_charge(str(file), "Si", 4, ""))
    assert np.trapezoid(4 * np.pi * r**2 * n, r) == pytest.approx(10, abs=0.02)
    cell = np.array([[3.0, 0, 0], [0.4, 3, 0], [0, 0, 3]])
    smooth = np.exp(-(r**2)) / np.pi**1.5
    field = superposed(cell, [[0.9, 0.1, 0.5], [0.2, 0.3, 0.4]], [(r, smooth), None], (30, 30, 30))
    assert field.mean() * np.linalg.det(cell) == pytest.approx(1.0, abs=5e-3)
